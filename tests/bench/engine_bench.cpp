// The engine's speed: operations and messages per second on a flat cluster with SimGrid's model,
// cross-traffic included.
#include "predictor/platform/builtin.h"
#include "predictor/platform/cluster.h"
#include "predictor/sim/predict.h"

#include <benchmark/benchmark.h>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace farcast;

namespace {

platform::Platform cluster(int hosts, bool backbone) {
  platform::Cluster cluster;
  cluster.id = "bench";
  for (int i = 0; i < hosts; ++i) cluster.radicals.push_back(static_cast<std::uint32_t>(i));
  cluster.bandwidth = base::BytesPerSecond(125e6);
  cluster.latency = base::Seconds(50e-6);
  if (backbone) cluster.backbone = platform::LinkFigures{base::BytesPerSecond(2.25e9), base::Seconds(500e-6)};
  return platform::build_platform(cluster);
}

platform::Placement one_per_host(int ranks) {
  platform::Placement placement;
  placement.host_of.resize(static_cast<std::size_t>(ranks));
  std::iota(placement.host_of.begin(), placement.host_of.end(), 0u);
  placement.core_of.assign(static_cast<std::size_t>(ranks), 0);
  return placement;
}

// Operations made as they are asked for: write(rank, step, out) until step reaches `steps`, between
// an init and a finalize.
class Generated final : public trace::Timelines {
public:
  using Write = std::function<void(int rank, int step, trace::Operation& out)>;
  Generated(int ranks, int steps, Write write) : ranks_(ranks), steps_(steps), write_(std::move(write)) {
    at_.assign(static_cast<std::size_t>(ranks), -1);
    auto communicator = std::make_shared<trace::Communicator>();
    communicator->members.resize(static_cast<std::size_t>(ranks));
    std::iota(communicator->members.begin(), communicator->members.end(), 0);
    communicator_ = std::move(communicator);
  }
  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] int timelines() const override { return ranks_; }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, trace::Operation& out) override {
    const int step = at_[static_cast<std::size_t>(timeline)]++;
    out.compute = base::Seconds(0);
    out.communicator = communicator_;
    if (step < 0)
      out.kind = trace::OperationKind::init;
    else if (step < steps_)
      write_(timeline, step, out);
    else
      out.kind = trace::OperationKind::finalize;
    return step <= steps_;
  }

private:
  int ranks_;
  int steps_;
  Write write_;
  std::vector<int> at_;
  std::shared_ptr<const trace::Communicator> communicator_;
};

void run(benchmark::State& state, int ranks, int steps, bool backbone, const Generated::Write& write) {
  const platform::Platform platform = cluster(ranks, backbone);
  const platform::Placement placement = one_per_host(ranks);
  std::uint64_t events = 0;
  double time = 0;
  for (auto _ : state) {
    Generated program(ranks, steps, write);
    const sim::Prediction prediction = sim::predict(program, platform, placement, {});
    if (!prediction.complete) state.SkipWithError("the run did not complete");
    events += prediction.events;
    time = prediction.time.value();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(ranks) * steps * static_cast<std::int64_t>(state.iterations()));
  state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["virtual_s"] = time;
}

// Items are operations: each rank sends 1 KB to the next and receives from the one before.
void ring(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  run(state, ranks, 2 * 200000 / ranks, false, [ranks](int rank, int step, trace::Operation& out) {
    out.kind = step % 2 == 0 ? trace::OperationKind::send : trace::OperationKind::receive;
    out.peer = (rank + (step % 2 == 0 ? 1 : ranks - 1)) % ranks;
    out.bytes = 1024;
  });
}
BENCHMARK(ring)->Arg(64)->Arg(1024)->Arg(65536)->Unit(benchmark::kMillisecond);

// The same with computation that differs by rank and step, so that hardly two events share an instant.
void uneven_ring(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  run(state, ranks, 2 * 200000 / ranks, false, [ranks](int rank, int step, trace::Operation& out) {
    out.kind = step % 2 == 0 ? trace::OperationKind::send : trace::OperationKind::receive;
    out.peer = (rank + (step % 2 == 0 ? 1 : ranks - 1)) % ranks;
    out.bytes = 1024;
    out.compute = base::Seconds(1e-6 * ((rank * 7919 + step * 104729) % 1009));
  });
}
BENCHMARK(uneven_ring)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

// Two ranks of one node send each other windows of 64 messages, on a platform with power figures.
// Items are messages.
void windows(benchmark::State& state) {
  const auto platform = platform::find_platform("taurus");
  if (!platform) return state.SkipWithError("no platform");
  platform::Placement placement;
  placement.host_of = {0, 0};
  placement.core_of = {0, 1};
  constexpr int kWindow = 64;
  constexpr int kSteps = 2 * kWindow + 1;
  const int windows = static_cast<int>(state.range(0));
  const auto write = [](int rank, int step, trace::Operation& out) {
    const int at = step % kSteps;
    out.peer = 1 - rank;
    out.bytes = 8;
    out.compute = base::Seconds((at < kWindow ? 17e-9 : 31e-9) + 1e-9 * ((rank * 7919 + step * 104729) % 13));
    out.request = static_cast<std::uint32_t>(step - step / kSteps + 1);
    out.requests.clear();
    out.kind = at < kWindow ? trace::OperationKind::ireceive : trace::OperationKind::isend;
    if (at < 2 * kWindow) return;
    out.kind = trace::OperationKind::wait;
    for (std::uint32_t i = 0; i < 2 * kWindow; ++i) out.requests.push_back(out.request - 2 * kWindow + i);
  };
  double time = 0;
  for (auto _ : state) {
    Generated program(2, windows * kSteps, write);
    const sim::Prediction prediction = sim::predict(program, *platform, placement, {});
    if (!prediction.complete) state.SkipWithError("the run did not complete");
    time = prediction.time.value();
  }
  state.SetItemsProcessed(2 * kWindow * static_cast<std::int64_t>(windows) * static_cast<std::int64_t>(state.iterations()));
  state.counters["virtual_s"] = time;
}
BENCHMARK(windows)->Arg(2000)->Unit(benchmark::kMillisecond);

// All pairs at once: ranks * (ranks - 1) concurrent flows.
void linear_alltoall(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  const double spread = static_cast<double>(state.range(1));
  run(state, ranks, 2 * (ranks - 1) + 1, false, [ranks, spread](int rank, int step, trace::Operation& out) {
    const int other = (rank + 1 + step / 2) % ranks;
    out.requests.clear();
    if (step == 2 * (ranks - 1)) {
      out.kind = trace::OperationKind::wait;
      for (int i = 0; i < 2 * (ranks - 1); ++i) out.requests.push_back(static_cast<std::uint32_t>(i));
      return;
    }
    out.kind = step % 2 == 0 ? trace::OperationKind::ireceive : trace::OperationKind::isend;
    out.peer = other;
    out.bytes = 100000 + spread * ((rank * 31 + other * 17) % 97);
    out.request = static_cast<std::uint32_t>(step);
  });
}
BENCHMARK(linear_alltoall)->Args({64, 0})->Args({256, 0})->Args({64, 100})->Unit(benchmark::kMillisecond);

void allreduce(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  auto arguments = std::make_shared<trace::Collective>();
  arguments->kind = trace::CollectiveKind::allreduce;
  arguments->send_bytes = arguments->receive_bytes = 8;
  run(state, ranks, 20, true, [arguments](int, int, trace::Operation& out) {
    out.kind = trace::OperationKind::collective;
    out.collective = arguments;
  });
}
BENCHMARK(allreduce)->Arg(1024)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
