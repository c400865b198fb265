#include "predictor/trace/tally.h"

#include "libinterpose/stream/segment.h"

#include <catch2/catch.hpp>
#include <unit/trace/sample_recording.h>

using namespace farcast::trace;
namespace stream = farcast::stream;

namespace {

constexpr double kInCall = 11; // ticks in each call that are farcast's

// One rank with one thread; a tick is a nanosecond, and a call costs nothing but that.
struct Measured {
  explicit Measured(const SlotScript& script) : recording(std::uint64_t{1} << 30) {
    RankRecording& rank = add_rank(recording, 0);
    rank.ticks_per_second = 1e9;
    rank.overhead_ticks = 0;
    rank.in_call_ticks = static_cast<std::uint64_t>(kInCall);
    add_thread(recording, rank, script.slots());
    got = tally(recording, rank, sites);
  }
  std::uint32_t site(std::uint64_t address) {
    for (std::uint32_t site = 0; site < sites.sites().size(); ++site) {
      if (sites.sites()[site].frames.front().offset == address - 0x1000) return site; // the module starts there
    }
    FAIL("no site at " << address);
    return 0;
  }
  const MeasuredRegion& region(std::uint64_t from, std::uint64_t to) {
    return got.regions.at(sites.region(site(from), site(to)));
  }
  Recording recording;
  SiteTable sites;
  MeasuredRank got;
};

} // namespace

TEST_CASE("counters and times are summed per region, from the exit of Init on") {
  SlotScript script;
  script.call("MPI_Init", {.site = 0x1100}).word(stream::SlotKind::counters, 1000000);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    script.compute(100 * round).call("MPI_Barrier", {.comm = 0, .site = 0x1200});
    script.list(stream::SlotKind::counters, std::vector<std::uint64_t>{round, 10 * round, 3, 4, 5, 6, 7, 8});
  }
  script.compute(50).call("MPI_Finalize", {.site = 0x1300}).end(); // no counters came with it
  Measured measured(script);
  CHECK_FALSE(measured.got.corrupt);
  const MeasuredRegion& first = measured.region(0x1100, 0x1200);
  CHECK(first.visits == 1);
  CHECK(first.counters == std::vector<std::uint64_t>{1, 10, 3, 4, 5, 6, 7, 8});
  const MeasuredRegion& loop = measured.region(0x1200, 0x1200);
  CHECK(loop.visits == 2);
  CHECK(loop.total_s == Approx(500e-9));
  CHECK(loop.counters == std::vector<std::uint64_t>{5, 50, 6, 8, 10, 12, 14, 16});
  CHECK(measured.region(0x1200, 0x1300).counters.empty());
}

TEST_CASE("time in which the rank could have run and did not leaves the regions and calls, and is summed from Init to Finalize") {
  using stream::SlotKind;
  const auto aside = [](std::uint64_t lost) { return std::vector<std::uint64_t>{lost, 600}; };
  SlotScript script;
  script.compute(90000).call("MPI_Init", {.site = 0x1100}).list(SlotKind::region_aside, aside(50000));
  script.compute(90000).call("MPI_Comm_rank", {.comm = 0, .site = 0x1200}, 70000);
  script.list(SlotKind::region_aside, aside(20000)).list(SlotKind::call_aside, aside(30000));
  script.compute(40000).call("MPI_Finalize", {.site = 0x1300}, 90000);
  script.list(SlotKind::region_aside, aside(1000)).list(SlotKind::call_aside, aside(70000)).end();
  Measured measured(script);
  CHECK(measured.region(0x1100, 0x1200).total_s == Approx(69400e-9));
  CHECK(measured.region(0x1200, 0x1300).total_s == Approx(38400e-9));
  CHECK(measured.got.sites.at(measured.site(0x1200)).time_s.total == Approx((39400 - kInCall) * 1e-9)); // of MPI_Comm_rank
  CHECK(measured.got.mpi_s == Approx(70000e-9));                                                        // all that passed in it
  CHECK(measured.got.aside_s == Approx(51000e-9));
  CHECK(measured.got.app_s == Approx(200000e-9));
}

TEST_CASE("rows of repeated calls count call by call") {
  SlotScript script;
  script.call("MPI_Init", {.site = 0x1100});
  script.compute(20).call("MPI_Isend", {.peer = 0, .bytes = 8, .request = 1, .comm = stream::kCommWorld, .site = 0x1200}, 40);
  script.row({5, 107, 203, 70, 111, 20}, {1, 1, 1, 1, 1});
  script.compute(30).call("MPI_Finalize", {.site = 0x1300}).end();
  Measured measured(script);
  CHECK(measured.got.calls == 8);
  CHECK(measured.got.functions[number_of("MPI_Isend")] == 6);
  const MeasuredRegion& loop = measured.region(0x1200, 0x1200);
  CHECK(loop.visits == 5);
  CHECK(loop.total_s == Approx(107e-9));
  CHECK(loop.squares == Approx((70.0 * 70 + 10 * 10 + 3 * 9 * 9) * 1e-18));
  CHECK(measured.region(0x1200, 0x1300).total_s == Approx(30e-9));
  CHECK(measured.got.mpi_s == Approx(243e-9));
  CHECK(measured.got.app_s == Approx((20 + 40 + 107 + 203 + 30) * 1e-9));
  const auto site = std::find_if(measured.got.sites.begin(), measured.got.sites.end(),
                                 [](const auto& entry) { return entry.second.sent_bytes.count > 0; });
  REQUIRE(site != measured.got.sites.end());
  CHECK(site->second.sent_bytes.total == 48);
  CHECK(site->second.time_s.count == 6);
  CHECK(site->second.time_s.max == Approx((111 - kInCall) * 1e-9));
  CHECK(site->second.time_s.min == Approx((23 - kInCall) * 1e-9));
}

TEST_CASE("rows of polls that alternate count call by call") {
  SlotScript script;
  script.call("MPI_Init", {.site = 0x1100});
  script.compute(7).call("MPI_Test", {.bytes = 0xa, .site = 0x1200}, 20);
  script.compute(9).call("MPI_Iprobe", {.comm = 0, .site = 0x1300}, 30);
  script.call("MPI_Test", {.bytes = 0xa, .site = 0x1200, .flags = stream::kFlagRow}, 1000).fold(100, 400);
  script.rewind(500).call("MPI_Iprobe", {.comm = 0, .site = 0x1300, .flags = stream::kFlagRow}, 500).fold(99, 200);
  script.compute(11).call("MPI_Test", {.bytes = 0xa, .site = 0x1200, .flags = stream::kFlagFound | stream::kFlagRepeat}, 40);
  script.compute(50).call("MPI_Finalize", {.site = 0x1400}).end();
  Measured measured(script);
  CHECK(measured.got.calls == 1 + 1 + 1 + 100 + 99 + 1 + 1);
  CHECK(measured.got.decisions == 2);
  CHECK(measured.got.mpi_s == Approx((20 + 30 + 600 + 300 + 40) * 1e-9));
  CHECK(measured.region(0x1200, 0x1300).visits == 1 + 99);
  CHECK(measured.region(0x1200, 0x1300).total_s == Approx(209e-9));
  CHECK(measured.region(0x1300, 0x1200).visits == 100 + 1);
  CHECK(measured.region(0x1300, 0x1200).total_s == Approx(411e-9)); // the rows end together
}

TEST_CASE("more counters than there can be are cut") {
  SlotScript script;
  script.call("MPI_Init", {.site = 0x1100});
  script.call("MPI_Barrier", {.comm = 0, .site = 0x1200})
      .list(stream::SlotKind::counters, std::vector<std::uint64_t>(5000, 1))
      .end();
  Measured measured(script);
  CHECK(measured.region(0x1100, 0x1200).counters.size() == stream::kMostCounters);
}

TEST_CASE("outcomes hang on timing where anybody's message is taken, beside a send too, and where requests are looked at") {
  SlotScript script;
  script.call("MPI_Init");
  script.call("MPI_Recv", {.peer = 1, .tag = 3, .comm = 0});
  script.call("MPI_Sendrecv", {.peer = 1, .tag = 3, .bytes = 8, .comm = 0}).receive_half(8, 2, 4).status(2, 4, 8);
  script.call("MPI_Wait", {.bytes = 0xa});
  const auto decisions = [](SlotScript more) { return Measured(more.call("MPI_Finalize").end()).got.decisions; };
  CHECK(decisions(script) == 0);
  SlotScript received = script, exchanged = script, looked = script;
  received.call("MPI_Recv", {.peer = stream::kAnyPeer, .tag = 3, .comm = 0}).status(1, 3, 8);
  CHECK(decisions(received) == 1);
  exchanged.call("MPI_Sendrecv", {.peer = 1, .tag = 3, .bytes = 8, .comm = 0})
      .receive_half(8, stream::kAnyPeer, 4)
      .status(2, 4, 8);
  CHECK(decisions(exchanged) == 1);
  looked.call("MPI_Test", {.bytes = 0xa, .flags = stream::kFlagFound});
  CHECK(decisions(looked) == 1);
}
