// Reader of SimGrid platform files, version 4.1.
//
// file -> Platform. <config> changes the point-to-point model (smpi_config.h); the zone or cluster
// below <platform> gives hosts, links and routes (zone_reader.h, cluster_reader.h), and its
// properties what farcast adds (node_properties.h, platform_properties.h).
// 1. Whatever the bytes of the file, the answer is a platform or an error: no crash, no unbounded
//    memory.
// 2. What the file asks for and is not modelled is in Platform::warnings; what would change the
//    network's shape and is not supported (peers, Vivaldi and Wifi zones) is an error.
// Pure functions, any thread. Source: SimGrid's DTD for platform version 4.1.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"

#include <string>
#include <string_view>

namespace farcast::platform {

// Returns: the platform, named after the path. Errors: unreadable file, and those of parse_simgrid_xml.
base::Result<Platform> read_simgrid_xml(const std::string& path);

// Returns: the platform, named `file_name`.
// Errors: one sentence with file, line, element or attribute, what was found and what was expected.
base::Result<Platform> parse_simgrid_xml(std::string_view text, const std::string& file_name);

} // namespace farcast::platform
