#include "predictor/platform/builtin.h"

#include "predictor/base/nearest_name.h"
#include "predictor/platform/builtin_table.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/simgrid_xml.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace farcast::platform {

namespace {

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const BuiltinFile& file : builtin_files()) {
    names.emplace_back(file.name);
  }
  return names;
}

// A name that cannot be meant as one of ours: something is there, or it is written like a path.
bool is_path(const std::string& text) {
  std::error_code ignored;
  return text.find('/') != std::string::npos || text.ends_with(".xml") || std::filesystem::exists(text, ignored);
}

base::Result<Platform> load(const BuiltinFile& file) {
  base::Result<Platform> platform = parse_simgrid_xml(file.xml, fmt::format("built-in platform {}", file.name));
  if (platform) {
    platform->name = file.name;
  }
  return platform;
}

} // namespace

std::string_view builtin_xml(std::string_view name) {
  for (const BuiltinFile& file : builtin_files()) {
    if (file.name == name) {
      return file.xml;
    }
  }
  return {};
}

std::vector<BuiltinPlatform> builtin_platforms() {
  std::vector<BuiltinPlatform> platforms;
  for (const BuiltinFile& file : builtin_files()) {
    const base::Result<Platform> platform = load(file); // the tests hold that every one of them loads
    platforms.push_back({std::string(file.name), platform ? platform->description : platform.error().message});
  }
  return platforms;
}

base::Result<Platform> find_platform(const std::string& name_or_path) {
  for (const BuiltinFile& file : builtin_files()) {
    if (file.name == name_or_path) {
      return load(file);
    }
  }
  if (is_path(name_or_path)) {
    return read_simgrid_xml(name_or_path);
  }
  const std::vector<std::string> names = builtin_names();
  const std::vector<std::string> nearest = base::nearest_names(name_or_path, names);
  return base::fail(fmt::format("found platform {}, expected a file or one of {}{}", in_quotes(name_or_path),
                                fmt::join(names, ", "),
                                nearest.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(nearest, " or "))));
}

} // namespace farcast::platform
