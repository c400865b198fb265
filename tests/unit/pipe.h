// A pipe that a thread writes a text into, with a name for readers of files, as a shell's
// <(command) has one.
#pragma once

#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

namespace farcast::test {

class Pipe {
public:
  explicit Pipe(std::string text) {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::signal(SIGPIPE, SIG_IGN); // a reader may have enough before the end
    writer_ = std::thread([this, text = std::move(text)] {
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t written = ::write(ends_[1], text.data() + at, text.size() - at);
        if (written <= 0) break;
        at += static_cast<std::size_t>(written);
      }
      ::close(ends_[1]);
    });
  }
  ~Pipe() {
    ::close(ends_[0]);
    writer_.join();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }

private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

} // namespace farcast::test
