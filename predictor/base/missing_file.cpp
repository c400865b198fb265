#include "predictor/base/missing_file.h"

#include "predictor/base/nearest_name.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <vector>

namespace farcast::base {

std::string why_not_found(const std::string& path, int error) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMostEntries = 4096; // of a folder that are compared
  std::string reason = std::strerror(error);
  if (error != ENOENT || path.empty()) return reason;
  const fs::path folder = fs::path(path).parent_path();
  const fs::path from = folder.empty() ? fs::path(".") : folder;
  std::error_code problem;
  if (!fs::is_directory(from, problem)) return fmt::format("{}: there is no folder '{}'", reason, from.string());
  std::vector<std::string> names;
  fs::directory_iterator entry(from, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && entry != fs::directory_iterator() && names.size() < kMostEntries; entry.increment(problem))
    names.push_back(entry->path().filename().string());
  const std::vector<std::string> nearest = nearest_names(fs::path(path).filename().string(), names, 1);
  if (nearest.empty()) return reason;
  return fmt::format("{}; did you mean {}?", reason, (folder / nearest.front()).string());
}

} // namespace farcast::base
