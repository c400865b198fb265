#include "predictor/base/read_file.h"

#include "predictor/base/atomic_file.h"
#include "tests/unit/pipe.h"
#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using farcast::base::read_file;
using farcast::base::write_file;
using namespace std::string_literals;

TEST_CASE("a file is read byte for byte, an empty one too") {
  const farcast::test::TemporaryFolder folder;
  const std::string bytes = "line\r\n\0\xff\x1a no newline at the end"s;
  REQUIRE(write_file(folder.file("bytes"), bytes));
  CHECK(read_file(folder.file("bytes")).value() == bytes);
  REQUIRE(write_file(folder.file("empty"), ""));
  CHECK(read_file(folder.file("empty")).value().empty());
  const std::string large(std::size_t{3} << 20U, 'x'); // more than any buffer
  REQUIRE(write_file(folder.file("large"), large));
  CHECK(read_file(folder.file("large")).value() == large);
}

TEST_CASE("a file that is not there, or is a folder, is refused with its path and the reason") {
  const farcast::test::TemporaryFolder folder;
  const std::string missing = folder.file("missing");
  CHECK(read_file(missing).error().message == missing + ": cannot be read: No such file or directory");
  CHECK(read_file(folder.file("")).error().message == folder.file("") + ": cannot be read: Is a directory");
}

TEST_CASE("a pipe is read to its end") {
  const std::string text(std::size_t{3} << 20U, 'x'); // more than a pipe holds
  const farcast::test::Pipe pipe(text);
  CHECK(read_file(pipe.path()).value() == text);
}

TEST_CASE("a device is refused without a look into it, and so is a socket") {
  for (const char* device : {"/dev/zero", "/dev/null", "/dev/full"})
    CHECK(read_file(device).error().message ==
          std::string(device) + ": cannot be read: found a device, expected a regular file or a pipe");
  const farcast::test::TemporaryFolder folder;
  sockaddr_un address{AF_UNIX, {}};
  folder.file("s").copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  CHECK(read_file(folder.file("s")).error().message ==
        folder.file("s") + ": cannot be read: found a socket, expected a regular file or a pipe");
  ::close(socket);
}

TEST_CASE("no more is read than was agreed") {
  const farcast::test::TemporaryFolder folder;
  REQUIRE(write_file(folder.file("ten"), "0123456789"));
  CHECK(read_file(folder.file("ten"), 10).value() == "0123456789");
  CHECK(read_file(folder.file("ten"), 9).error().message == folder.file("ten") + ": cannot be read: found more than 9 bytes");
  std::filesystem::resize_file(folder.file("ten"), std::size_t{1} << 40U); // a terabyte, most of it without blocks
  CHECK(read_file(folder.file("ten")).error().message == folder.file("ten") + ": cannot be read: found more than 67108864 bytes");
}
