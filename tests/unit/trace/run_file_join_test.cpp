#include "predictor/trace/run_file.h"

#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>
#include <unit/trace/sample_recording.h>

using namespace farcast;
using namespace farcast::trace;
using Catch::Contains;

namespace {

// A node of a job of four ranks, with two of them.
std::unique_ptr<Recording> node(int first, double ticks_per_second) {
  auto recording = std::make_unique<Recording>(0);
  recording->source = "node" + std::to_string(first) + ".h5";
  recording->program = "./app";
  recording->mpi_library = "MPICH";
  recording->mpi_version = "4.0.2";
  recording->start_date = "2026-01-02T03:04:0" + std::to_string(9 - first) + "Z";
  recording->world_size = 4;
  recording->notes = {"the same note", "note of " + std::to_string(first)};
  recording->resolved = {{"/opt/app", "ab", 1, "a.c:1", "a.c", 1, "main"}};
  recording->backlog_records = 5;
  for (int rank = first; rank < first + 2; ++rank) {
    SlotScript script;
    script.init(4).compute(1000).call("MPI_Send", {.peer = 0, .bytes = 8, .comm = 0}).end();
    RankRecording& made = add_rank(*recording, rank);
    made.ticks_per_second = ticks_per_second;
    made.overhead_ticks = 0;
    add_thread(*recording, made, script.slots());
  }
  return recording;
}

base::Result<std::unique_ptr<Recording>> joined(std::unique_ptr<Recording> a, std::unique_ptr<Recording> b) {
  std::vector<std::unique_ptr<Recording>> parts;
  parts.push_back(std::move(a));
  parts.push_back(std::move(b));
  return join(std::move(parts));
}

} // namespace

TEST_CASE("the files of two nodes make one run, each with its own clock") {
  auto got = joined(node(2, 2e9), node(0, 1e9));
  REQUIRE(got);
  Recording& whole = **got;
  REQUIRE(check_complete(whole));
  REQUIRE(whole.ranks.size() == 4);
  for (int rank = 0; rank < 4; ++rank) CHECK(whole.ranks[static_cast<std::size_t>(rank)]->rank == rank);
  CHECK(whole.start_date == "2026-01-02T03:04:07Z");
  CHECK(whole.notes == std::vector<std::string>{"the same note", "note of 2", "note of 0"});
  CHECK(whole.resolved.size() == 1);
  CHECK(whole.backlog_records == 10);
  CHECK(whole.predictor_cpu_s == -1);
  CHECK(whole.source == "node2.h5 node0.h5");
  RecordedTimelines timelines(whole);
  for (int rank = 0; rank < 4; ++rank) {
    Operation operation;
    REQUIRE(timelines.next(rank, operation)); // MPI_Init
    REQUIRE(timelines.next(rank, operation));
    CHECK(operation.compute.value() == Approx(rank < 2 ? 1e-6 : 0.5e-6));
  }
}

TEST_CASE("joined runs can be written and read as one") {
  const TemporaryFolder folder;
  auto got = joined(node(0, 1e9), node(2, 2e9));
  REQUIRE(got);
  REQUIRE(write_run_file(folder.file("all.h5"), **got));
  const auto read = read_run_file(folder.file("all.h5"));
  REQUIRE(read);
  CHECK((*read)->ranks.size() == 4);
  CHECK((*read)->ranks[3]->ticks_per_second == 2e9);
}

TEST_CASE("one file is a run by itself; none is an error") {
  std::vector<std::unique_ptr<Recording>> one;
  one.push_back(node(0, 1e9));
  const Recording* same = one.front().get();
  const auto got = join(std::move(one));
  REQUIRE(got);
  CHECK(got->get() == same);
  CHECK_FALSE(join({}));
}

TEST_CASE("files of different jobs are refused, and the error says why") {
  const auto refused = [](const auto& change) {
    auto other = node(2, 1e9);
    change(*other);
    const auto got = joined(node(0, 1e9), std::move(other));
    REQUIRE_FALSE(got);
    CHECK_THAT(got.error().message, Contains("'node0.h5' and 'node2.h5'"));
    return got.error().message;
  };
  CHECK_THAT(refused([](Recording& r) { r.program = "./other"; }), Contains("the program differs ('./app' and './other')"));
  CHECK_THAT(refused([](Recording& r) { r.mpi_library = "Open MPI"; }), Contains("the MPI library differs"));
  CHECK_THAT(refused([](Recording& r) { r.world_size = 8; }), Contains("the number of ranks differs ('4' and '8')"));
  CHECK_THAT(refused([](Recording& r) { r.ranks[1]->rank = 0; }), Contains("both hold rank 0"));
}

TEST_CASE("versions of one library may differ, and the report will say so") {
  auto other = node(2, 1e9);
  other->mpi_version = "4.0.3";
  const auto got = joined(node(0, 1e9), std::move(other));
  REQUIRE(got);
  CHECK_THAT((*got)->notes.back(), Contains("different versions of MPICH"));
}

TEST_CASE("missing ranks are named") {
  auto part = node(1, 1e9);
  const auto complete = check_complete(*part);
  REQUIRE_FALSE(complete);
  CHECK_THAT(complete.error().message, Contains("'node1.h5' lacks rank 0, 3 of 4"));
  part->world_size = 10;
  CHECK_THAT(check_complete(*part).error().message, Contains("0, 3-9 of 10"));
  part->world_size = 0;
  CHECK_THAT(check_complete(*part).error().message, Contains("'node1.h5' holds 2 processes, not each rank of 0 once"));
}

TEST_CASE("a node with other counters than the first has none") {
  auto first = node(0, 1e9);
  first->counters = {"PAPI_TOT_INS"};
  auto second = node(2, 1e9);
  SECTION("the same") {
    second->counters = {"PAPI_TOT_INS"};
    const auto got = joined(std::move(first), std::move(second));
    REQUIRE(got);
    CHECK((*got)->counters == std::vector<std::string>{"PAPI_TOT_INS"});
    for (const auto& rank : (*got)->ranks) CHECK(rank->counters_note.empty());
  }
  SECTION("none") {
    const auto got = joined(std::move(second), std::move(first)); // whichever comes first
    REQUIRE(got);
    CHECK((*got)->counters == std::vector<std::string>{"PAPI_TOT_INS"});
    CHECK((*got)->ranks[0]->counters_note.empty());
    CHECK_FALSE((*got)->ranks[3]->counters_note.empty());
  }
}
