#include "predictor/live/rank_file.h"

#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace farcast::live {

namespace {

struct Memory {
  int file = memfd_create("farcast-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  Memory() { REQUIRE(ftruncate(file, 4096) == 0); }
  ~Memory() { close(file); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

} // namespace

TEST_CASE("memory that cannot shrink and is large enough can be mapped") {
  const Memory memory;
  REQUIRE(fcntl(memory.file, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  CHECK(can_be_mapped(memory.file, 4096));
  CHECK_FALSE(can_be_mapped(memory.file, 4097));
}

TEST_CASE("memory that its owner may still take away cannot") {
  const Memory memory;
  CHECK_FALSE(can_be_mapped(memory.file, 4096));
}

TEST_CASE("a file on a disk, a device and no file cannot") {
  const test::TemporaryFolder folder;
  const int file = open(folder.file("f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(ftruncate(file, 4096) == 0);
  CHECK_FALSE(can_be_mapped(file, 16));
  close(file);
  const int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
  CHECK_FALSE(can_be_mapped(zero, 16));
  close(zero);
  CHECK_FALSE(can_be_mapped(-1, 16));
}

} // namespace farcast::live
