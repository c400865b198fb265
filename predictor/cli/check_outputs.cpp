#include "predictor/cli/check_outputs.h"

#include "predictor/base/atomic_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace farcast::cli {

base::Result<void> check_outputs(const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    struct stat status {};
    const bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    if (path.empty() || special) continue;
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    if (std::error_code error; !std::filesystem::is_directory(folder, error))
      return base::fail(fmt::format("cannot write '{}': there is no folder '{}'", path, folder.string()));
    if (const auto file = base::AtomicFile::create(path); !file) return base::fail(file.error().message);
  }
  return {};
}

} // namespace farcast::cli
