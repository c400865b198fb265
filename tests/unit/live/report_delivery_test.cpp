#include "predictor/live/report_delivery.h"

#include "libinterpose/stream/protocol.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace farcast::live {

namespace {

struct Pair {
  std::array<int, 2> ends{};
  Pair() { REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0); }
  ~Pair() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
};

// Returns: the text, and whether it was said to be all.
std::pair<std::string, bool> read_report(int socket) {
  std::vector<char> message(stream::kMaxMessageBytes);
  std::string text;
  for (;;) {
    const ssize_t got = recv(socket, message.data(), message.size(), 0);
    stream::MessageHeader head{};
    if (got < static_cast<ssize_t>(sizeof head)) return {text, false};
    std::memcpy(&head, message.data(), sizeof head);
    if (head.kind == stream::MessageKind::done) return {text, true};
    text.append(message.data() + sizeof head, static_cast<std::size_t>(got) - sizeof head);
  }
}

} // namespace

TEST_CASE("a report of many messages arrives whole at all that wait") {
  std::string report;
  for (int line = 0; report.size() < 20 * stream::kMaxMessageBytes; ++line) report += std::to_string(line) + "\n";
  const Pair first, second;
  const std::array sockets{first.ends[0], second.ends[0]};
  std::array<std::pair<std::string, bool>, 2> read;
  std::thread one([&] { read[0] = read_report(first.ends[1]); });
  std::thread other([&] { read[1] = read_report(second.ends[1]); });
  CHECK(deliver_report(sockets, report));
  one.join();
  other.join();
  for (const auto& [text, complete] : read) {
    CHECK(complete);
    CHECK(text == report);
  }
}

TEST_CASE("a rank that has gone keeps nobody from the report") {
  Pair gone;
  const Pair there;
  close(std::exchange(gone.ends[1], -1));
  CHECK_FALSE(deliver_report(std::array{gone.ends[0]}, "text\n"));
  CHECK(deliver_report(std::array{gone.ends[0], there.ends[0]}, "text\n"));
  CHECK(read_report(there.ends[1]) == std::pair(std::string("text\n"), true));
}

TEST_CASE("nobody to tell is no delivery") { CHECK_FALSE(deliver_report({}, "text\n")); }

} // namespace farcast::live
