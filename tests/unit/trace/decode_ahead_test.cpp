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

using Figures = std::tuple<OperationKind, int, int, double, double, std::uint32_t, std::vector<std::uint32_t>, std::vector<int>>;

// Timelines are asked in turn, as an engine does.
std::vector<std::vector<Figures>> played(RecordedTimelines& timelines) {
  std::vector<std::vector<Figures>> out(static_cast<std::size_t>(timelines.timelines()));
  Operation operation;
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < timelines.timelines(); ++i) {
      if (!timelines.next(i, operation)) continue;
      more = true;
      out[static_cast<std::size_t>(i)].emplace_back(
          operation.kind, operation.peer, operation.tag, operation.bytes, operation.compute.value(), operation.request,
          operation.requests, operation.communicator ? operation.communicator->members : std::vector<int>{});
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
