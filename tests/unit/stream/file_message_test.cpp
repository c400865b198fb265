#include "libinterpose/stream/file_message.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <unistd.h>
#include <vector>

using namespace farcast::stream;

namespace {

struct Sockets {
  Sockets() { REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0); }
  ~Sockets() {
    close(ends[0]);
    close(ends[1]);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  int ends[2] = {-1, -1};
};

constexpr MessageHeader kHello{kMagic, kVersion, MessageKind::hello, 3};

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
}

} // namespace

TEST_CASE("a descriptor goes over with its message, and is closed on exec") {
  const Sockets sockets;
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  REQUIRE(send_with_file(sockets.ends[0], kHello, pipe_ends[1]));
  MessageHeader head{};
  int file = -1;
  REQUIRE(receive_with_file(sockets.ends[1], head, file) == Received::file);
  CHECK(head.kind == MessageKind::hello);
  CHECK(head.version == kVersion);
  CHECK(head.value == 3);
  REQUIRE(file >= 0);
  CHECK(file != pipe_ends[1]);
  CHECK((fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
  char byte = 'x';
  CHECK(write(file, &byte, 1) == 1);
  byte = 0;
  CHECK(read(pipe_ends[0], &byte, 1) == 1);
  CHECK(byte == 'x');
  for (const int end : {file, pipe_ends[0], pipe_ends[1]}) close(end);
}

TEST_CASE("what is no message with a descriptor is told from no message at all") {
  const Sockets sockets;
  MessageHeader head{};
  int file = -7;
  CHECK(receive_with_file(sockets.ends[1], head, file) == Received::nothing_yet);
  REQUIRE(send_with_file(sockets.ends[0], kHello, -1));
  CHECK(receive_with_file(sockets.ends[1], head, file) == Received::something_else);
  MessageHeader foreign = kHello;
  foreign.magic = 1;
  REQUIRE(send_with_file(sockets.ends[0], foreign, sockets.ends[0]));
  CHECK(receive_with_file(sockets.ends[1], head, file) == Received::something_else);
  REQUIRE(send(sockets.ends[0], &kHello, sizeof(kHello) - 1, 0) > 0);
  CHECK(receive_with_file(sockets.ends[1], head, file) == Received::something_else);
  REQUIRE(shutdown(sockets.ends[0], SHUT_RDWR) == 0);
  CHECK(receive_with_file(sockets.ends[1], head, file) == Received::something_else);
  CHECK(file == -7);
  CHECK_FALSE(send_with_file(sockets.ends[0], kHello, -1)); // no signal either
}

TEST_CASE("a message that is refused leaves no descriptor open, however many came with it") {
  const Sockets sockets;
  const auto before = open_descriptors();
  MessageHeader head{};
  int file = -7;
  MessageHeader foreign = kHello;
  foreign.magic = 1;
  REQUIRE(send_with_file(sockets.ends[0], foreign, sockets.ends[0]));
  CHECK(receive_with_file(sockets.ends[1], head, file) == Received::something_else);
  for (const std::size_t files : {2, 3, 100}) {
    MessageHeader hello = kHello;
    iovec part{&hello, sizeof(hello)};
    std::vector<int> many(files, sockets.ends[0]);
    std::vector<char> control(CMSG_SPACE(files * sizeof(int)));
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* attached = CMSG_FIRSTHDR(&message);
    attached->cmsg_level = SOL_SOCKET;
    attached->cmsg_type = SCM_RIGHTS;
    attached->cmsg_len = CMSG_LEN(files * sizeof(int));
    std::memcpy(CMSG_DATA(attached), many.data(), files * sizeof(int));
    REQUIRE(sendmsg(sockets.ends[0], &message, 0) > 0);
    CHECK(receive_with_file(sockets.ends[1], head, file) == Received::something_else);
  }
  CHECK(file == -7);
  CHECK(open_descriptors() == before);
}
