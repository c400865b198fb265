#include "predictor/base/missing_file.h"

#include "predictor/base/nearest_name.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <vector>

namespace farcast::base {

namespace fs = std::filesystem;

std::string nearest_beside(const std::string& path) {
  constexpr std::size_t kMostEntries = 4096; // of a folder that are compared
  const fs::path folder = fs::path(path).parent_path();
  std::error_code problem;
  std::vector<std::string> names;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && entry != fs::directory_iterator() && names.size() < kMostEntries; entry.increment(problem))
    names.push_back(entry->path().filename().string());
  const std::vector<std::string> nearest = nearest_names(fs::path(path).filename().string(), names, 1);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", (folder / nearest.front()).string());
}

std::string why_not_found(const std::string& path, int error) {
  std::string reason = std::strerror(error);
  if (error != ENOENT || path.empty()) return reason;
  const fs::path folder = fs::path(path).parent_path();
  std::error_code problem;
  if (!folder.empty() && !fs::is_directory(folder, problem))
    return fmt::format("{}: there is no folder '{}'", reason, folder.string());
  return reason + nearest_beside(path);
}

} // namespace farcast::base
