#include "predictor/base/progress_line.h"

#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace farcast::base {

ProgressLine ProgressLine::on_stderr() {
  return ProgressLine([] { return isatty(STDERR_FILENO) == 1 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1; });
}

bool ProgressLine::due() {
  if (!wanted_ || (last_ && Clock::now() - *last_ < between_)) return false;
  if (terminal_ < 0) terminal_ = open_();
  wanted_ = terminal_ >= 0;
  return wanted_;
}

void ProgressLine::show(std::string_view text) {
  if (!due()) return;
  last_ = Clock::now();
  std::string line = "\r\033[Kfarcast: ";
  line += text;
  write(line);
}

void ProgressLine::erase() {
  if (terminal_ < 0) return;
  write("\r\033[K");
  close(terminal_);
  terminal_ = -1;
}

void ProgressLine::write(std::string_view text) const {
  if (::write(terminal_, text.data(), text.size()) < 0) return;
}

} // namespace farcast::base
