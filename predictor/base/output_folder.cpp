#include "predictor/base/output_folder.h"

#include "predictor/base/words.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace farcast::base {

namespace fs = std::filesystem;

namespace {

// Folders of processes that are gone.
void remove_leftovers(const fs::path& parent, const std::string& prefix) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const pid_t owner = number_in<pid_t>(std::string_view(name).substr(prefix.size())).value_or(0);
    const bool gone = owner > 0 && kill(owner, 0) != 0 && errno == ESRCH;
    std::error_code ignored;
    if (gone) fs::remove_all(entry.path(), ignored);
  }
}

} // namespace

Result<OutputFolder> OutputFolder::create(const std::string& path) {
  std::error_code error;
  fs::path place = fs::path(path).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (!place.has_filename() || place.filename() == "." || place.filename() == "..")
    return fail(fmt::format("cannot write '{}': it is no name for a new folder", path));
  if (fs::exists(fs::symlink_status(place, error)))
    return fail(fmt::format("cannot write '{}': it exists already, expected a name for a new folder", path));
  const fs::path parent = place.has_parent_path() ? place.parent_path() : fs::path(".");
  const std::string prefix = fmt::format(".{}.farcast-", place.filename().string());
  remove_leftovers(parent, prefix);
  OutputFolder out;
  out.path_ = place.string();
  const fs::path aside = parent / fmt::format("{}{}", prefix, getpid());
  if (!fs::create_directory(aside, error))
    return fail(fmt::format("cannot write '{}': {}", path, error ? error.message() : "its temporary folder exists"));
  out.aside_ = aside.string();
  return out;
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)), aside_(std::exchange(other.aside_, std::string())) {}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!aside_.empty()) fs::remove_all(aside_, ignored);
}

Result<void> OutputFolder::write(const std::string& name, std::string_view content) {
  const std::string file = aside_ + "/" + name;
  std::FILE* out = std::fopen(file.c_str(), "wb");
  int problem = out == nullptr ? errno : 0;
  if (out != nullptr && std::fwrite(content.data(), 1, content.size(), out) != content.size()) problem = errno;
  if (out != nullptr && std::fclose(out) != 0 && problem == 0) problem = errno;
  if (problem == 0) return {};
  return fail(fmt::format("cannot write '{}/{}': {}", path_, name, std::strerror(problem)));
}

Result<void> OutputFolder::commit() {
  if (std::rename(aside_.c_str(), path_.c_str()) != 0)
    return fail(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  aside_.clear();
  return {};
}

} // namespace farcast::base
