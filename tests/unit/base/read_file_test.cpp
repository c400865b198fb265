#include "predictor/base/read_file.h"

#include "predictor/base/atomic_file.h"
#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>

using farcast::base::read_file;
using farcast::base::write_file;

TEST_CASE("a file is read byte for byte, an empty one too") {
  const farcast::test::TemporaryFolder folder;
  const std::string bytes("line\r\n\0\xff\x1a no newline at the end", 33);
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
