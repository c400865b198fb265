#include "predictor/base/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace farcast::base {
namespace {

constexpr int kNameAttempts = 100;

std::string reason_of(int error) { return std::strerror(error); }

// Returns: `path` with symbolic links resolved where it exists; unchanged otherwise.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

// Returns: a name beside `target` that no other process or thread uses.
std::string aside_name(const std::string& target) {
  static std::atomic<unsigned> sequence{0};
  return fmt::format("{}.{}-{}.tmp", target, ::getpid(), sequence.fetch_add(1));
}

} // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  AtomicFile file;
  file.path_ = path;
  file.target_ = resolved(path);
  struct stat status {};
  const bool exists = ::stat(file.target_.c_str(), &status) == 0;
  if (path.empty() || path.back() == '/' || (exists && S_ISDIR(status.st_mode)))
    return fail(fmt::format("cannot write '{}': it names a directory, not a file", path));
  if (exists && !S_ISREG(status.st_mode)) {
    file.aside_ = file.target_;
    file.descriptor_ = ::open(file.target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
      file.aside_ = aside_name(file.target_);
      file.descriptor_ = ::open(file.aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file.descriptor_ >= 0 || errno != EEXIST) break;
    }
  }
  if (file.descriptor_ < 0) return fail(fmt::format("cannot write '{}': {}", path, reason_of(errno)));
  if (exists && S_ISREG(status.st_mode)) // keeping the mode is a courtesy: some file systems have none
    static_cast<void>(::fchmod(file.descriptor_, status.st_mode & 07777));
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)), aside_(std::exchange(other.aside_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    target_ = std::move(other.target_);
    aside_ = std::exchange(other.aside_, {});
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  if (aside_ != target_) ::unlink(aside_.c_str());
}

Result<void> AtomicFile::write(std::string_view content) {
  if (descriptor_ < 0) return fail(fmt::format("cannot write '{}': it was given up after an earlier error", path_));
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      discard();
      return fail(fmt::format("cannot write '{}': {}", path_, reason_of(error)));
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> AtomicFile::commit() {
  if (descriptor_ < 0) return fail(fmt::format("cannot write '{}': it was given up after an earlier error", path_));
  // close() reports what the file system held back until now (quota and network file systems).
  int error = ::close(std::exchange(descriptor_, -1)) == 0 || errno == EINTR ? 0 : errno;
  if (error == 0 && aside_ != target_ && ::rename(aside_.c_str(), target_.c_str()) != 0) error = errno;
  if (error == 0) return {};
  if (aside_ != target_) ::unlink(aside_.c_str());
  return fail(fmt::format("cannot write '{}': {}", path_, reason_of(error)));
}

Result<void> write_file(const std::string& path, std::string_view content) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected<Error>(file.error());
  if (Result<void> written = file->write(content); !written) return written;
  return file->commit();
}

} // namespace farcast::base
