// Operations come out the same whether they are decoded as they are played or ahead, on another thread.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <tuple>
#include <unit/trace/decoded.h>

using namespace farcast;
using namespace farcast::trace;

namespace {

constexpr int kRanks = 3;
constexpr int kRounds = 1500; // several batches

// A ring of messages, the receives from anybody; the source is told by the wait.
SlotScript ring(int rank) {
  SlotScript script;
  script.init(kRanks);
  const int left = (rank + kRanks - 1) % kRanks;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t receive = 100 + static_cast<std::uint64_t>(round % 7), send = 200;
    script.compute(50).call("MPI_Irecv",
                            {.peer = stream::kAnyPeer, .tag = 4, .bytes = 8, .request = receive, .comm = stream::kCommWorld});
    script.call("MPI_Isend", {.peer = (rank + 1) % kRanks, .tag = 4, .bytes = 8, .request = send, .comm = stream::kCommWorld});
    script.call("MPI_Wait", {.bytes = receive}).status(left, 4, 8);
    script.call("MPI_Wait", {.bytes = send});
  }
  return script.call("MPI_Finalize").end();
}

void record(Recording& recording) {
  recording.world_size = kRanks;
  for (int rank = 0; rank < kRanks; ++rank) recording.ranks.push_back(rank_of(recording, rank, {ring(rank)}));
}

using Figures = std::tuple<OperationKind, int, int, double, double, double, std::uint32_t, std::uint32_t, std::uint32_t,
                           std::vector<std::uint32_t>, std::vector<int>>;

// Rows of repeated calls: of a receive, a send, which some libraries give one handle for all of
// them, and local calls; polls before such rows too.
SlotScript rows(int rank) {
  SlotScript script;
  script.init(kRanks);
  const int right = (rank + 1) % kRanks, left = (rank + kRanks - 1) % kRanks;
  for (int round = 0; round < kRounds; ++round) {
    script.compute(50).call("MPI_Irecv", {.peer = left, .bytes = 8, .request = 100, .comm = stream::kCommWorld, .site = 0x40});
    script.row({4, 103, 201, 70, 111, 29}, {101, 102, 103, 104});
    script.call("MPI_Isend", {.peer = right, .bytes = 8, .request = 7, .comm = stream::kCommWorld, .site = 0x41});
    script.row({4, 90, 180, 30, 60, 29}, {7, 7, 7, 7});
    if (round % 3 == 0) script.call("MPI_Iprobe", {.peer = left, .tag = 9, .comm = stream::kCommWorld, .site = 0x42});
    script.call("MPI_Comm_rank", {.comm = stream::kCommWorld, .site = 0x43}).row({3, 31, 17, 20, 9, 4});
    script.call("MPI_Waitall", {.site = 0x44}).handles({100, 101, 102, 103, 104, 7, 7, 7, 7, 7});
  }
  return script.call("MPI_Finalize").end();
}

// Timelines are asked in turn, as an engine does. alike: what is told in short too.
std::vector<std::vector<Figures>> played(RecordedTimelines& timelines, bool alike = false) {
  const auto count = static_cast<std::size_t>(timelines.timelines());
  std::vector<std::vector<Figures>> out(count);
  std::vector<Operation> last(count);
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < timelines.timelines(); ++i) {
      Operation& operation = last[static_cast<std::size_t>(i)];
      const bool is_alike = alike && timelines.next_alike(i, operation);
      if (!is_alike && !timelines.next(i, operation)) continue;
      more = true;
      out[static_cast<std::size_t>(i)].emplace_back(
          operation.kind, operation.peer, operation.tag, operation.bytes, operation.compute.value(), operation.measured.value(),
          operation.site, operation.region, operation.request, operation.requests,
          operation.communicator ? operation.communicator->members : std::vector<int>{});
    }
  }
  return out;
}

} // namespace

TEST_CASE("what is decoded ahead is what is decoded as it is played") {
  Recording recording(1 << 20);
  record(recording);
  RecordedTimelines as_played(recording), ahead(recording);
  int begun = 0;
  ahead.decode_ahead([&begun] { ++begun; });
  const auto expected = played(as_played);
  REQUIRE(expected[0].size() == 2 + 4 * kRounds);
  CHECK(std::get<1>(expected[0][1]) == 2); // the receive from anybody names its source
  CHECK(played(ahead) == expected);
  CHECK(ahead.slots_read() == as_played.slots_read());
  CHECK(begun == (std::thread::hardware_concurrency() > 1 ? 1 : 0));
}

TEST_CASE("rows of repeated calls are the calls that they stand for, told one by one or in short") {
  Recording recording(1 << 20);
  recording.world_size = kRanks;
  for (int rank = 0; rank < kRanks; ++rank) recording.ranks.push_back(rank_of(recording, rank, {rows(rank)}));
  RecordedTimelines as_played(recording), ahead(recording), in_short(recording);
  ahead.decode_ahead([] {});
  in_short.decode_ahead([] {});
  const auto expected = played(as_played);
  std::size_t starts = 0;
  for (const Figures& figures : expected[0]) starts += std::get<0>(figures) == OperationKind::ireceive ? 1 : 0;
  REQUIRE(starts == 5 * kRounds);
  CHECK(played(ahead) == expected);
  CHECK(played(in_short, true) == expected);
}

TEST_CASE("a row of local calls is the call, its longest repetition, and one operation for all others") {
  const double overhead = 2; // ticks before each call
  const double in_call = 1;  // of ours, in each
  SlotScript script;
  script.init(1).call("MPI_Comm_rank", {.comm = stream::kCommWorld, .site = 0x43}, 5);
  script.row({1001, 20070, 50111, 70, 111, 29}); // 1000 that share 20000 before and 50000 in them
  script.compute(9).call("MPI_Comm_rank", {.comm = stream::kCommWorld, .site = 0x44}, 5).row({2, 7, 9, 5, 6, 3});
  script.call("MPI_Finalize").end();
  const bool polls = GENERATE(false, true); // a row of polls that is open holds the calls
  SlotScript polled;
  polled.init(1).call("MPI_Iprobe", {.peer = 0, .tag = 9, .comm = stream::kCommWorld, .site = 0x42});
  polled.call("MPI_Comm_rank", {.comm = stream::kCommWorld, .site = 0x43}, 5).row({1001, 20070, 50111, 70, 111, 29});
  polled.call("MPI_Finalize").end();
  const std::vector<Operation> operations =
      decode(polls ? polled : script, 1, static_cast<std::uint64_t>(overhead), static_cast<std::uint64_t>(in_call));
  if (polls) { // those after the first, which lies behind another call, are one operation anyway
    REQUIRE(operations.size() == 4);
    CHECK(operations[2].times == 1001);
    CHECK(operations[2].compute.value() == Approx((20070 - 1001 * overhead) * 1e-9));
    CHECK(operations[2].measured.value() == Approx((50111 - 1001 * in_call) * 1e-9));
    return;
  }
  REQUIRE(operations.size() == 7);
  const Operation &longest = operations[1], &others = operations[2];
  CHECK(longest.times == 1);
  CHECK(longest.compute.value() == Approx((70 - overhead) * 1e-9));
  CHECK(longest.measured.value() == Approx((111 - in_call) * 1e-9));
  CHECK(others.times == 1000);
  CHECK(computations_of(others) == 1000);
  CHECK(others.compute.value() == Approx((20000 - 1000 * overhead) * 1e-9));
  CHECK(others.measured.value() == Approx((50000 - 1000 * in_call) * 1e-9));
  CHECK(std::tuple(others.kind, others.site, others.region) == std::tuple(OperationKind::local, longest.site, longest.region));
  CHECK(operations[3].compute.value() == Approx((9 - overhead) * 1e-9)); // the row ends where its last call ended
  CHECK(operations[5].times == 1);
  CHECK(operations[5].measured.value() == Approx((3 - in_call) * 1e-9));
}

TEST_CASE("an engine that stops early does not wait for what is decoded ahead") {
  Recording recording(1 << 20);
  record(recording);
  RecordedTimelines timelines(recording);
  timelines.decode_ahead([] {});
  Operation operation;
  CHECK(timelines.next(0, operation));
  CHECK(operation.kind == OperationKind::init);
}

TEST_CASE("a fault of the thread that decodes ahead reaches who plays") {
  Recording recording(1 << 20);
  record(recording);
  SiteTable sites;
  CommRegistry comms;
  Decoder decoder(recording, *recording.ranks[0], sites, comms);
  std::atomic<std::uint64_t> read{0};
  DecodeAhead ahead(
      {{&decoder, 0}}, [] { throw std::runtime_error("no"); }, read);
  Operation operation;
  CHECK_THROWS_WITH(ahead.next(0, operation), "no");
}
