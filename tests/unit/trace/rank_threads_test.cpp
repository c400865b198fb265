#include "predictor/trace/rank_threads.h"

#include "predictor/trace/tally.h"

#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>
#include <unit/trace/run_files.h>

using namespace farcast;
using namespace farcast::trace;
using stream::SlotKind;

namespace {

constexpr std::uint64_t kMs = 1'000'000; // a tick is a nanosecond

int cores_of(const std::vector<RankThreads>& ranks) {
  Recording recording(0);
  for (const RankThreads& threads : ranks) add_rank(recording, static_cast<int>(recording.ranks.size())).threads_seen = threads;
  return cores_per_rank(recording);
}

std::vector<stream::Others> others(std::uint64_t ns, std::uint64_t own_ns, std::uint64_t passed_ns) {
  return {{ns, own_ns, passed_ns}};
}

// 20 ms beside a thread that computes all the time, then a barrier of 10 ms beside one that does
// for 6 ms of 12.
SlotScript two_threads() {
  SlotScript script;
  script.init(1).list(SlotKind::call_others, others(kMs, kMs, kMs)); // what MPI_Init was made of
  script.compute(20 * kMs).call("MPI_Barrier", {.comm = 0}, 10 * kMs);
  script.list(SlotKind::region_others, others(20 * kMs, 20 * kMs, 20 * kMs));
  script.list(SlotKind::call_others, others(6 * kMs, 12 * kMs, 12 * kMs));
  return script.compute(kMs).call("MPI_Finalize").end();
}

} // namespace

TEST_CASE("a rank needs as many cores as threads computed at a time, and had") {
  CHECK(cores_of({}) == 1);
  CHECK(cores_of({{}, {}}) == 1); // a run of an earlier version
  CHECK(cores_of({{8, 1, 0.0, {0xff}}}) == 1);
  CHECK(cores_of({{8, 4, 3.9, {0xff}}, {8, 3, 2.0, {0xff00}}}) == 4);
  CHECK(cores_of({{12, 12, 2.0, {0x3}}}) == 2);          // they took turns on two cores
  CHECK(cores_of({{12, 12, 12.0, {}}}) == 12);           // nobody knows which they might use
  CHECK(cores_of({{1, 1, 3.6, {0xff}}}) == 4);           // threads that were there for a while
  CHECK(cores_of({{1, 1, 1.4, {0xff}}}) == 1);           // one that computed a little
  CHECK(cores_of({{70, 70, 1.0, {~0ull, 0x3f}}}) == 70); // more cores than a word holds
}

TEST_CASE("other threads use the core of one that sleeps") {
  CHECK(others_beyond({30, 10, 10}, 10e-9) == Approx(30e-9));
  CHECK(others_beyond({30, 2, 10}, 10e-9) == Approx(22e-9)); // it waited for them for 8
  CHECK(others_beyond({5, 2, 10}, 10e-9) == 0.0);
  CHECK(others_beyond({30, 25, 30}, 10e-9) == Approx(30e-9)); // there were calls before
}

TEST_CASE("what other threads used is divided between a call and what came before") {
  CHECK(split_at_call({30, 10, 10}, 10e-9).second == Approx(30e-9));
  CHECK(split_at_call({30, 10, 40}, 10e-9).first == Approx(22.5e-9));
  CHECK(split_at_call({30, 10, 40}, 10e-9).second == Approx(7.5e-9));
  CHECK(split_at_call({30, 10, 0}, 10e-9).second == Approx(30e-9));
}

TEST_CASE("operations carry what other threads used before and in them, from the exit of MPI_Init on") {
  const DecodedRun run({{two_threads()}});
  REQUIRE(run[0].size() == 3);
  CHECK(run[0][0].others_s == 0.0F);
  CHECK(run[0][0].others_in_call_s == 0.0F);
  CHECK(run[0][1].others_s == Approx(21e-3)); // 1 ms of the second reading lay before the call
  CHECK(run[0][1].others_in_call_s == Approx(5e-3));
  CHECK(run[0][2].others_s == 0.0F);
}

TEST_CASE("they are counted once where a call becomes two operations") {
  SlotScript both;
  both.init(2).compute(20 * kMs).call("MPI_Isendrecv", {.peer = 1, .bytes = 8, .request = 5, .comm = 0}, 10);
  both.list(SlotKind::region_others, others(10 * kMs, 20 * kMs, 20 * kMs)).receive_half(8, 1, 0).end();
  const auto operations = decode(both, 2);
  REQUIRE(operations.size() == 2);
  CHECK(operations[0].others_s == Approx(10e-3));
  CHECK(operations[1].others_s == 0.0F);
}

TEST_CASE("the tally sums what other threads used while the rank computed") {
  Recording recording(std::uint64_t{1} << 30);
  RankRecording& rank = add_rank(recording, 0);
  rank.ticks_per_second = 1e9;
  rank.overhead_ticks = 0;
  recording.world_size = 1;
  add_thread(recording, rank, two_threads().slots());
  SiteTable sites;
  const MeasuredRank measured = tally(recording, rank, sites);
  CHECK_FALSE(measured.corrupt);
  CHECK(measured.compute_s == Approx(21e-3));
  CHECK(measured.others_s == Approx(21e-3));
}

TEST_CASE("what a run file says of threads comes back, and one of an earlier version says nothing") {
  const TemporaryFolder folder;
  Recording before(0);
  before.world_size = 1;
  add_rank(before, 0).threads_seen = {5, 4, 3.75, {0xf0, 0x1}};
  REQUIRE(write_run_file(folder.file("run.h5"), before));
  const RankThreads after = good(folder.file("run.h5"))->ranks.at(0)->threads_seen;
  CHECK(after.program == 5);
  CHECK(after.computing == 4);
  CHECK(after.peak_cores == 3.75);
  CHECK(after.cores == std::vector<std::uint64_t>{0xf0, 0x1});
  {
    Altered file(folder.file("run.h5"));
    file.drop_attribute("/ranks/0", "program_threads");
    file.integer("/", "version", 3);
  }
  const RankThreads none = good(folder.file("run.h5"))->ranks.at(0)->threads_seen;
  CHECK(none.program == 0);
  CHECK(none.cores.empty());
}

TEST_CASE("who reads an abandoned recording stops") {
  Recording recording(1 << 20);
  recording.world_size = 1;
  recording.ranks.push_back(rank_of(recording, 0, {two_threads()}));
  recording.abandoned = true;
  RecordedTimelines timelines(recording);
  Operation operation;
  CHECK_FALSE(timelines.next(0, operation));
  SiteTable sites;
  CHECK(tally(recording, *recording.ranks[0], sites).calls == 0);
}
