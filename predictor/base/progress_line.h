// A line on a terminal that is written again and again while something long runs, and erased at its
// end.
//
// Nothing is shown, nor the terminal opened, until the first line is due; where nobody looks at a
// terminal none ever is. A terminal that is gone is no fault. Threads: one.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

namespace farcast::base {

class ProgressLine {
public:
  using Clock = std::chrono::steady_clock;

  // `open`: opens the terminal. Returns: a descriptor that becomes ours; -1: there is none, and it
  // is not asked again.
  explicit ProgressLine(std::function<int()> open, Clock::duration between = {}) : open_(std::move(open)), between_(between) {}
  // On this process's own standard error, where that is a terminal.
  static ProgressLine on_stderr();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  // Returns: there is a terminal, and the last line is old enough.
  [[nodiscard]] bool due();
  // Writes "farcast: <text>" over the line before. Nothing unless it is due.
  void show(std::string_view text);
  // Takes the line away and lets go of the terminal.
  void erase();

private:
  void write(std::string_view text) const;

  std::function<int()> open_;
  Clock::duration between_;
  bool wanted_ = true;
  int terminal_ = -1;
  std::optional<Clock::time_point> last_; // unset: nothing was shown; the clock may have begun a moment ago
};

} // namespace farcast::base
