#include "predictor/trace/ti_lines.h"

#include "predictor/base/read_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace farcast::trace {

namespace {

// A line of a trace begins with a rank; Returns: that number, -1 for anything else.
long leading_rank(std::string_view line) {
  long rank = -1;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), rank);
  const bool blank_behind = end != line.data() + line.size() && (*end == ' ' || *end == '\t');
  return error == std::errc() && blank_behind ? rank : -1;
}

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

constexpr long kMostRanks = 1L << 26;

constexpr std::size_t kLongestLine = std::size_t{1} << 26;      // a vector collective of a million ranks has lines of megabytes
constexpr std::uint64_t kLargestCopy = std::uint64_t{64} << 30; // of what came through a pipe

// The lines of a file or a pipe, once and in order. Of a pipe a copy is kept, for a trace is read
// in several places.
class InputLines {
public:
  InputLines(base::InputFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
    if (file_.is_pipe()) make_copy();
  }
  // Returns: false at the end, or when error() says something.
  bool next(std::string& line) {
    for (std::size_t searched = at_;;) {
      const std::size_t end = buffer_.find('\n', searched);
      if (end == std::string::npos && more()) {
        searched = buffer_.size() - last_;
        continue;
      }
      if (at_ == buffer_.size() || !error_.empty()) return false;
      line.assign(buffer_, at_, end == std::string::npos ? end : end - at_);
      at_ = end == std::string::npos ? buffer_.size() : end + 1;
      ++number_;
      return true;
    }
  }
  [[nodiscard]] std::uint64_t number() const { return number_; } // of the last line
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const std::shared_ptr<const TraceCopy>& copy() const { return copy_; }

private:
  void make_copy() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "farcast-trace-XXXXXX").string();
    const int descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) {
      error_ = fmt::format("cannot keep what comes from '{}' in {}: {}", path_, name, std::strerror(errno));
      return;
    }
    unlink(name.c_str());
    copy_ = std::make_shared<const TraceCopy>(descriptor);
  }
  // Reads one more piece behind what is left. Returns: false when there was nothing more.
  bool more() {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    if (!error_.empty()) return false;
    buffer_.erase(0, at_);
    at_ = 0;
    if (buffer_.size() > kLongestLine) {
      error_ = fmt::format("{}:{}: the line is longer than {} bytes", path_, number_ + 1, kLongestLine);
      return false;
    }
    const auto got = file_.append(buffer_, kPiece);
    last_ = got ? *got : 0;
    if (!got) error_ = fmt::format("cannot read '{}': {}", path_, got.error().message);
    if (copy_ != nullptr && last_ > 0) keep();
    return last_ > 0 && error_.empty();
  }
  void keep() {
    const char* at = buffer_.data() + buffer_.size() - last_;
    for (std::size_t left = last_; left > 0 && error_.empty();) {
      const ssize_t written = write(copy_->descriptor(), at, left);
      if (written < 0 && errno != EINTR)
        error_ = fmt::format("cannot keep what comes from '{}': {}", path_, std::strerror(errno));
      left -= static_cast<std::size_t>(std::max<ssize_t>(written, 0));
      at += std::max<ssize_t>(written, 0);
    }
    kept_ += last_;
    if (kept_ > kLargestCopy) error_ = fmt::format("{}: found more than {} bytes from a pipe", path_, kLargestCopy);
  }
  base::InputFile file_;
  std::string path_;
  std::string buffer_;
  std::size_t at_ = 0;   // in the buffer
  std::size_t last_ = 0; // bytes of the last piece, at the buffer's end
  std::uint64_t number_ = 0;
  std::uint64_t kept_ = 0;
  std::string error_;
  std::shared_ptr<const TraceCopy> copy_;
};

// Adds the trace that a line of an index names. Returns: an error; empty: none.
std::string add_trace(TiTraceFiles& found, const std::string& path, const std::string& name, std::uint64_t number) {
  namespace fs = std::filesystem;
  std::error_code error;
  // smpirun takes paths as they stand; an index that was moved with its traces works too.
  const std::string beside = (fs::path(path).parent_path() / name).string();
  fs::file_status status = fs::status(name, error);
  const bool as_it_stands = fs::exists(status);
  if (!as_it_stands) status = fs::status(beside, error);
  if (!fs::exists(status))
    return fmt::format("{}:{}: the trace '{:.200}' does not exist, expected the file of rank {}", path, number, name,
                       found.paths.size());
  // Ranks are read in turns, a piece at a time.
  if (!fs::is_regular_file(status))
    return fmt::format("{}:{}: the trace '{:.200}' is no regular file, expected the file of rank {}", path, number, name,
                       found.paths.size());
  found.paths.push_back(as_it_stands ? name : beside);
  return {};
}

} // namespace

TraceCopy::~TraceCopy() { close(descriptor_); }

base::Result<TiTraceFiles> find_ti_trace(const std::string& path) {
  auto file = base::InputFile::open(path);
  if (!file) return base::fail(fmt::format("cannot read '{}': {}", path, file.error().message));
  InputLines lines(std::move(*file), path);
  TiTraceFiles found;
  long most = -1;
  for (std::string line; lines.next(line);) {
    const std::string text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    const long rank = leading_rank(text);
    if (found.paths.empty() && rank >= 0) found.shared = true;
    if (found.shared) {
      if (rank < 0 || rank >= kMostRanks)
        return base::fail(
            fmt::format("{}:{}: found '{:.60}', expected a line 'RANK action arguments'", path, lines.number(), text));
      most = std::max(most, rank);
    } else if (std::string problem = add_trace(found, path, text, lines.number()); !problem.empty()) {
      return base::fail(std::move(problem));
    }
  }
  if (!lines.error().empty()) return base::fail(lines.error());
  if (found.shared) {
    found.copy = lines.copy();
    found.name = path;
    found.paths = {found.copy == nullptr ? path : fmt::format("/proc/self/fd/{}", found.copy->descriptor())};
  }
  if (found.paths.empty()) return base::fail(fmt::format("{}: it names no trace, expected one file per line", path));
  found.ranks = found.shared ? static_cast<int>(most + 1) : static_cast<int>(found.paths.size());
  return found;
}

TiLines::TiLines(TiLines&& other) noexcept
    : path_(std::move(other.path_)), name_(std::move(other.name_)), usual_(other.usual_), piece_(other.piece_), at_(other.at_),
      buffer_(std::move(other.buffer_)), error_(std::move(other.error_)), offset_(other.offset_), number_(other.number_),
      file_(std::exchange(other.file_, -1)), keep_open_(other.keep_open_), ended_(other.ended_) {}

TiLines::~TiLines() {
  if (file_ >= 0) close(file_);
}

// Reads one more piece behind what is left. Returns: false when there was nothing more.
bool TiLines::fill() {
  if (ended_) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  if (file_ < 0) file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const std::size_t old = buffer_.size();
  ssize_t got = -1;
  if (file_ >= 0) {
    buffer_.resize(old + piece_);
    do got = pread(file_, buffer_.data() + old, piece_, static_cast<off_t>(offset_));
    while (got < 0 && errno == EINTR);
  }
  if (got < 0) error_ = fmt::format("cannot read '{}': {}", name_, std::strerror(errno));
  buffer_.resize(old + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  offset_ += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
  ended_ = got <= 0;
  if (file_ >= 0 && (ended_ || !keep_open_)) {
    close(file_);
    file_ = -1;
  }
  return got > 0;
}

// The line at hand goes on in the next piece, or the file ends.
bool TiLines::next_across_pieces(TiWords& words) {
  std::size_t end = std::string::npos;
  while (end == std::string::npos) {
    const std::size_t seen = buffer_.size() - at_;
    if (seen > kLongestLine) {
      error_ = fmt::format("{}:{}: the line is longer than {} bytes", name_, number_ + 1, kLongestLine);
      return false;
    }
    if (!fill()) break;
    end = buffer_.find('\n', at_ + seen);
  }
  if (end == std::string::npos) end = buffer_.size(); // the last line has no end
  if (at_ == buffer_.size() || !error_.empty()) return false;
  words.split(std::string_view(buffer_).substr(at_, end - at_));
  at_ = std::min(end + 1, buffer_.size());
  ++number_;
  return true;
}

} // namespace farcast::trace
