// The files of a SimGrid time-independent trace, and their lines.
//
// In: the index file that smpirun's -replay takes (a file per rank, one path per line), or one file
// with the lines of all ranks.
// Out: lines, with their numbers. Invariant: files are read in pieces, the same bytes whatever
// their number (thousands are closed between pieces). Threads: one reader.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/ti_words.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace farcast::trace {

// A file without a name that holds what came through a pipe.
class TraceCopy {
public:
  explicit TraceCopy(int descriptor) : descriptor_(descriptor) {}
  TraceCopy(const TraceCopy&) = delete;
  TraceCopy& operator=(const TraceCopy&) = delete;
  ~TraceCopy();
  [[nodiscard]] int descriptor() const { return descriptor_; }

private:
  int descriptor_;
};

struct TiTraceFiles {
  std::vector<std::string> paths; // [rank]; a single one for all when `shared`
  int ranks = 0;
  bool shared = false;
  std::string name{};                      // of a shared trace, for messages; empty: its path
  std::shared_ptr<const TraceCopy> copy{}; // null: the trace is a file; else paths has this one, as long as it is held
};

// A trace of all ranks may come through a pipe, as may an index; traces of one rank each are
// regular files.
// Errors: unreadable, a device, no ranks, a line that is neither a file nor an action.
base::Result<TiTraceFiles> find_ti_trace(const std::string& path);

// Lines of a file, read in pieces.
class TiLines {
public:
  // name: for messages. usual: how its lines begin.
  TiLines(std::string path, std::string name, std::size_t piece, bool keep_open, const TiPrefix& usual)
      : path_(std::move(path)), name_(std::move(name)), usual_(usual), piece_(piece), keep_open_(keep_open) {}
  TiLines(TiLines&& other) noexcept;
  TiLines& operator=(TiLines&&) = delete;
  TiLines(const TiLines&) = delete;
  TiLines& operator=(const TiLines&) = delete;
  ~TiLines();
  // Puts the words of the next line, valid until the next call, into `words`. Returns: false at the
  // end, or when error() says something.
  bool next(TiWords& words) {
    const char* const end = buffer_.data() + buffer_.size();
    const char* const behind = words.split(buffer_.data() + at_, end, usual_);
    if (behind == end) return next_across_pieces(words);
    at_ = static_cast<std::size_t>(behind - buffer_.data()) + 1;
    ++number_;
    return true;
  }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // of the last line
  [[nodiscard]] const std::string& path() const { return name_; } // as messages name it
  [[nodiscard]] const std::string& error() const { return error_; }

private:
  bool next_across_pieces(TiWords& words);
  bool fill();
  std::string path_;
  std::string name_;
  TiPrefix usual_;
  std::size_t piece_;
  std::size_t at_ = 0; // in the buffer
  std::string buffer_;
  std::string error_;
  std::uint64_t offset_ = 0; // of the buffer's end in the file
  std::uint64_t number_ = 0;
  int file_ = -1;
  bool keep_open_;
  bool ended_ = false;
};

} // namespace farcast::trace
