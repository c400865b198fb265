#include "predictor/base/progress_line.h"

#include <array>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace farcast::base {

namespace {

// What stands for a terminal: a pipe, read without waiting.
struct Screen {
  std::array<int, 2> ends{};
  Screen() { REQUIRE(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0); }
  ~Screen() {
    for (const int end : ends) close(end);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  [[nodiscard]] std::string text() const {
    std::array<char, 4096> piece{};
    const ssize_t got = read(ends[0], piece.data(), piece.size());
    return got > 0 ? std::string(piece.data(), static_cast<std::size_t>(got)) : std::string();
  }
};

} // namespace

TEST_CASE("each line takes the place of the one before, and the last is taken away") {
  const Screen screen;
  {
    ProgressLine line([&] { return dup(screen.ends[1]); });
    line.show("run 1 of 2");
    line.show("run 2 of 2");
    CHECK(screen.text() == "\r\033[Kfarcast: run 1 of 2\r\033[Kfarcast: run 2 of 2");
  }
  CHECK(screen.text() == "\r\033[K");
}

TEST_CASE("where there is no terminal it is asked once, and nothing is written") {
  int asked = 0;
  ProgressLine line([&] {
    ++asked;
    return -1;
  });
  CHECK_FALSE(line.due());
  line.show("run 1 of 2");
  line.erase();
  CHECK(asked == 1);
}

TEST_CASE("a line that comes too soon after another is left out") {
  const Screen screen;
  ProgressLine line([&] { return dup(screen.ends[1]); }, std::chrono::hours(1));
  line.show("first");
  CHECK_FALSE(line.due());
  line.show("second");
  CHECK(screen.text() == "\r\033[Kfarcast: first");
}

TEST_CASE("a terminal is opened only when something is to be shown") {
  bool opened = false;
  {
    ProgressLine line([&] {
      opened = true;
      return -1;
    });
  }
  CHECK_FALSE(opened);
}

} // namespace farcast::base
