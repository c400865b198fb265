// The platforms that farcast knows by name: builtin/*.xml, compiled into the program by embed.cmake.
//
// Each is an ordinary SimGrid file; its comments say where every figure comes from and which are
// assumed.
// Pure functions, any thread.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::platform {

struct BuiltinPlatform {
  std::string name;
  std::string description; // one line
};

// Returns: the built-in platforms; the first is the default.
std::vector<BuiltinPlatform> builtin_platforms();

// Returns: the XML text of a built-in platform; empty for an unknown name.
std::string_view builtin_xml(std::string_view name);

// Returns: the built-in platform of that name, else the platform file at that path (./taurus is a
// file, taurus is not).
// Errors: neither (with the nearest names and the list), and those of read_simgrid_xml.
base::Result<Platform> find_platform(const std::string& name_or_path);

} // namespace farcast::platform
