#include "predictor/base/read_file.h"

#include "predictor/base/missing_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace farcast::base {

namespace {

// Returns: why nobody should open this for reading; empty: it is a regular file or a pipe.
std::string unfit(mode_t mode) {
  if (S_ISREG(mode) || S_ISFIFO(mode)) return {};
  if (S_ISDIR(mode)) return std::strerror(EISDIR);
  return fmt::format("found a {}, expected a regular file or a pipe", S_ISSOCK(mode) ? "socket" : "device");
}

} // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  // Asked by name before it is opened: that alone makes some devices act, a tape rewind.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return fail(why_not_found(path, errno));
  if (std::string reason = unfit(status.st_mode); !reason.empty()) return fail(std::move(reason));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return fail(std::strerror(errno));
  InputFile file(descriptor, S_ISFIFO(status.st_mode));
  if (::fstat(descriptor, &status) != 0) return fail(std::strerror(errno));
  if (std::string reason = unfit(status.st_mode); !reason.empty()) return fail(std::move(reason)); // changed in between
  file.pipe_ = S_ISFIFO(status.st_mode);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), pipe_(other.pipe_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> InputFile::append(std::string& out, std::size_t size) {
  const std::size_t old = out.size();
  out.resize(old + size);
  ssize_t got = -1;
  do got = ::read(descriptor_, out.data() + old, size);
  while (got < 0 && errno == EINTR);
  const int error = errno;
  out.resize(old + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got < 0) return fail(std::strerror(error));
  return static_cast<std::size_t>(got);
}

Result<std::string> contents_of(const std::string& path, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  auto file = InputFile::open(path);
  if (!file) return tl::make_unexpected(file.error());
  std::string text;
  for (;;) {
    const auto got = file->append(text, kPiece);
    if (!got) return tl::make_unexpected(got.error());
    if (text.size() > most) return fail(fmt::format("found more than {} bytes", most));
    if (*got == 0) return text;
  }
}

Result<std::string> read_file(const std::string& path, std::size_t most) {
  auto text = contents_of(path, most);
  if (!text) return fail(fmt::format("{}: cannot be read: {}", path, text.error().message));
  return text;
}

} // namespace farcast::base
