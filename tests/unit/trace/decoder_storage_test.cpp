// File accesses: who asks for how many bytes, and which wait completes what.
#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

TEST_CASE("blocking accesses, alone or collective, are their bytes") {
  auto script = SlotScript().init(2);
  script.call("MPI_File_open", {.request = 0x91, .comm = 0});
  for (const char* name : {"MPI_File_read", "MPI_File_read_at_all", "MPI_File_read_ordered", "MPI_File_read_shared"})
    script.call(name, {.bytes = 100, .request = 0x91});
  for (const char* name : {"MPI_File_write", "MPI_File_write_at", "MPI_File_write_all", "MPI_File_write_ordered"})
    script.call(name, {.bytes = 200, .request = 0x91});
  const auto ops = decode(script, 2);
  REQUIRE(ops.size() == 9);
  for (std::size_t i = 1; i < 9; ++i) {
    INFO(i);
    const bool reads = i < 5;
    CHECK(ops[i].kind == Kind::storage);
    CHECK(ops[i].bytes == (reads ? -1 : 200));
    CHECK(ops[i].reply_bytes == (reads ? 100 : -1));
  }
}

TEST_CASE("non-blocking accesses are completed by their waits, split ones by their end") {
  auto script = SlotScript().init(2);
  script.call("MPI_File_open", {.request = 0x91, .comm = 0});
  script.call("MPI_File_iwrite_at", {.bytes = 300, .request = 0x41});
  script.call("MPI_File_read_all_begin", {.bytes = 100, .request = 0x91});
  script.call("MPI_Wait", {.bytes = 0x41});
  script.call("MPI_File_read_all_end", {.request = 0x91});
  script.call("MPI_File_read_all_end", {.request = 0x91}); // nothing is open
  const auto ops = decode(script, 2);
  REQUIRE(ops.size() == 6);
  CHECK(ops[1].kind == Kind::istorage);
  CHECK(ops[1].bytes == 300);
  CHECK(ops[2].kind == Kind::istorage);
  CHECK(ops[2].reply_bytes == 100);
  CHECK(ops[1].request != ops[2].request);
  CHECK(ops[3].kind == Kind::wait);
  CHECK(ops[3].requests == std::vector{ops[1].request});
  CHECK(ops[4].kind == Kind::wait);
  CHECK(ops[4].requests == std::vector{ops[2].request});
  CHECK(ops[5].requests.empty());
}
