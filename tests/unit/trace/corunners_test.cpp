#include "predictor/trace/corunners.h"

#include <unit/trace/decoded.h>

namespace corunners_test {

using namespace farcast::trace;
using farcast::stream::kFlagRow;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(1e-12); }

// Both ranks leave MPI_Init at 1010; times below count from there.
struct TwoRanks {
  explicit TwoRanks(const SlotScript& zero, const SlotScript& one, int cores = 0, bool one_node = true) : recording(1 << 20) {
    recording.world_size = 2;
    for (const SlotScript& script : {zero, one}) {
      recording.ranks.push_back(rank_of(recording, static_cast<int>(recording.ranks.size()), {script}));
      recording.ranks.back()->cores = cores;
      recording.ranks.back()->host = one_node || recording.ranks.size() == 1 ? "n0" : "n1";
    }
    track = std::make_unique<CorunnerTrack>(recording);
  }
  std::vector<double> shares(std::size_t rank, std::uint64_t from, std::uint64_t to) const {
    std::vector<double> share;
    track->shares(rank, 1010 + from, 1010 + to, share);
    return share;
  }
  Recording recording;
  std::unique_ptr<CorunnerTrack> track;
};

SlotScript started() { return SlotScript().init(2); }

} // namespace

TEST_CASE("co-runners are the ranks that are between two calls at each moment") {
  // 0: computes 0-100, in a call until 300, computes 300-400. 1: computes 0-50, in a call until
  // 350, computes until 400.
  const TwoRanks run(started().compute(100).call("MPI_Barrier", {}, 200).compute(100).call("MPI_Finalize").end(),
                     started().compute(50).call("MPI_Barrier", {}, 300).compute(50).call("MPI_Finalize").end());
  const std::vector<double> first = run.shares(0, 0, 100);
  REQUIRE(first.size() == 2);
  CHECK(first[0] == near(0.5));
  CHECK(first[1] == near(0.5));
  CHECK(run.shares(1, 0, 50) == std::vector<double>{0.0, 1.0});
  CHECK(run.shares(0, 300, 400) == std::vector<double>{0.5, 0.5});
  CHECK(run.shares(1, 350, 400) == std::vector<double>{0.0, 1.0});
}

TEST_CASE("ranks of another node, and more ranks than cores, are no co-runners") {
  const SlotScript script = started().compute(100).call("MPI_Finalize").end();
  CHECK(TwoRanks(script, script, 0, false).shares(0, 0, 100) == std::vector<double>{1.0});
  CHECK(TwoRanks(script, script, 1).shares(0, 0, 100) == std::vector<double>{1.0});
  CHECK(TwoRanks(script, script, 2).shares(0, 0, 100) == std::vector<double>{0.0, 1.0});
}

TEST_CASE("ranks that computed one at a time were alone, whatever their streams hold so far") {
  TwoRanks run(started().compute(100).call("MPI_Finalize").end(), started());
  for (const auto& rank : run.recording.ranks) rank->isolation = 1;
  run.recording.ranks[1]->threads[0] = std::make_unique<SlotStream>(run.recording.spill); // open, and nothing comes
  run.track = std::make_unique<CorunnerTrack>(run.recording);
  CHECK(run.shares(0, 0, 100) == std::vector<double>{1.0});
}

namespace {

struct OpenCall final : SlotSource { // of a coupled rank that has published no more
  void fetch(std::uint64_t /*have*/) override { FAIL("waited for a rank that may wait for the answer"); }
  [[nodiscard]] bool is_back() const override { return false; }
  LastCall bring() override { return last; }
  LastCall last;
};

} // namespace

TEST_CASE("who answers a coupled rank does not wait for its next call, but takes what its ring says of the last one") {
  // 0 computes. 1: in MPI_Init until it says more; computes until 30, is in a call until 60, computes,
  // is in a call from 180.
  TwoRanks run(started().compute(400).call("MPI_Finalize").end(), SlotScript());
  SlotStream& stream = *(run.recording.ranks[1]->threads[0] = std::make_unique<SlotStream>(run.recording.spill));
  OpenCall source;
  stream.come_from(&source);
  run.track = std::make_unique<CorunnerTrack>(run.recording, true);
  CHECK(run.shares(0, 0, 10) == std::vector<double>{1.0});
  source.last = {0, 1020};
  CHECK(run.shares(0, 10, 20) == std::vector<double>{0.0, 1.0});
  source.last = {1040, 1070};
  CHECK(run.shares(0, 20, 30) == std::vector<double>{0.0, 1.0});
  const std::vector<double> half = run.shares(0, 30, 90);
  REQUIRE(half.size() == 2);
  CHECK(half[0] == near(0.5));
  source.last = {1190, 1070};
  CHECK(run.shares(0, 90, 180) == std::vector<double>{0.0, 1.0});
  CHECK(run.shares(0, 180, 200) == std::vector<double>{1.0});
}

TEST_CASE("a rank that has not begun, has ended, or died computes no more") {
  const TwoRanks late(started().compute(400).call("MPI_Finalize").end(),
                      SlotScript().compute(100).init(2).compute(100).call("MPI_Finalize").end());
  CHECK(late.shares(0, 0, 400) == std::vector<double>{0.75, 0.25});
  const TwoRanks died(started().compute(400).call("MPI_Finalize").end(), started().compute(100).call("MPI_Barrier", {}, 100));
  CHECK(died.shares(0, 0, 400) == std::vector<double>{0.75, 0.25}); // what followed its last record is unknown
}

TEST_CASE("a row of fruitless polls is waiting, unless most of it was spent between them") {
  const auto polls = [](std::uint64_t computing) {
    return started()
        .call("MPI_Iprobe", {.peer = 0}, 0)
        .call("MPI_Iprobe", {.peer = 0, .flags = kFlagRow}, 100)
        .fold(10, computing)
        .call("MPI_Finalize")
        .end();
  };
  const SlotScript other = started().compute(100).call("MPI_Finalize").end();
  CHECK(TwoRanks(other, polls(20)).shares(0, 0, 100) == std::vector<double>{1.0});
  CHECK(TwoRanks(other, polls(90)).shares(0, 0, 100) == std::vector<double>{0.0, 1.0});
}

TEST_CASE("the co-runners of each computation reaches who corrects it, and what it says reaches the operation") {
  class Halves : public CorunnerCorrection {
  public:
    double alone_share(const Operation& operation, const std::vector<double>& share) override {
      seen.emplace_back(operation.compute.value(), share);
      return 0.5;
    }
    std::vector<std::pair<double, std::vector<double>>> seen;
  };
  TwoRanks run(started().compute(100).call("MPI_Barrier", {}, 10).call("MPI_Finalize").end(),
               started().compute(50).call("MPI_Barrier", {}, 60).call("MPI_Finalize").end());
  RecordedTimelines timelines(run.recording);
  Halves halves;
  timelines.correct_with(halves);
  Operation operation;
  std::vector<double> shares;
  while (timelines.next(0, operation)) shares.push_back(operation.alone_share);
  CHECK(shares == std::vector<double>{1.0, 0.5, 1.0}); // MPI_Init and MPI_Finalize have no computation before them
  REQUIRE(halves.seen.size() == 1);
  CHECK(halves.seen[0].first == near(100e-9));
  CHECK(halves.seen[0].second == std::vector<double>{0.5, 0.5});
}

} // namespace corunners_test
