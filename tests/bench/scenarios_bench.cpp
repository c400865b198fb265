// What many scenarios of one recording cost against as many runs of one: processor time, wall time,
// memory.
//
//   scenarios_bench [RANKS [ROUNDS [SCENARIOS]]]        default: 64 ranks, 2,000 rounds of an exchange, 16 scenarios
//
// The recording is made in memory: each round is computation, a receive, a send and a wait with
// each of two neighbours, and every tenth an allreduce. Memory is what the program has allocated
// and not freed, at its peak.
#include "predictor/base/process_info.h"
#include "predictor/platform/cluster.h"
#include "predictor/scenario/questions.h"
#include "predictor/scenario/recorded_source.h"
#include "predictor/trace/recorded_timelines.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <malloc.h>
#include <new>
#include <string>
#include <unit/trace/slot_script.h>

using namespace farcast;

namespace {

std::atomic<std::int64_t> live_bytes{0};
std::atomic<std::int64_t> most_bytes{0};
std::atomic<bool> counting{false};

void count(std::int64_t bytes) {
  const std::int64_t now = live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = most_bytes.load(std::memory_order_relaxed);
  while (now > most && !most_bytes.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void* counted(void* memory) {
  if (counting && memory != nullptr) count(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
}

} // namespace

void* operator new(std::size_t size) {
  void* const memory = counted(std::malloc(size));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return counted(std::malloc(size)); }
void operator delete(void* memory) noexcept {
  if (counting && memory != nullptr) count(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }

namespace {

trace::SlotScript exchange_of(int rank, int ranks, int rounds) {
  trace::SlotScript script;
  script.init(ranks);
  for (int round = 0; round < rounds; ++round) {
    for (const int step : {1, ranks - 1}) {
      const int to = (rank + step) % ranks, from = (rank + ranks - step) % ranks;
      script.compute(static_cast<std::uint64_t>(2000 + 10 * rank + round % 97));
      script.call("MPI_Irecv",
                  {.peer = from, .tag = step, .bytes = 8000, .request = 7, .comm = stream::kCommWorld, .site = 0x1000});
      script.call("MPI_Send", {.peer = to, .tag = step, .bytes = 8000, .comm = stream::kCommWorld, .site = 0x1010}, 500);
      script.call("MPI_Wait", {.bytes = 7, .site = 0x1020}, 3000).status(from, step, 8000);
    }
    if (round % 10 == 9)
      script.compute(500).call("MPI_Allreduce", {.bytes = 8, .comm = stream::kCommWorld, .site = 0x1030}, 9000);
  }
  return script.call("MPI_Finalize", {.site = 0x1040}).end();
}

void record(trace::Recording& recording, int ranks, int rounds) {
  recording.world_size = ranks;
  recording.mpi_library = "Open MPI";
  for (int rank = 0; rank < ranks; ++rank) {
    auto made = std::make_unique<trace::RankRecording>();
    made->rank = rank;
    made->modules = {{0, 0x100000, "abcd", "/home/me/app"}};
    made->threads.push_back(std::make_unique<trace::SlotStream>(recording.spill));
    made->threads.back()->append(exchange_of(rank, ranks, rounds).slots());
    made->threads.back()->close();
    recording.ranks.push_back(std::move(made));
  }
}

// Clusters with other links each; every second one with ordered channels.
std::vector<scenario::Scenario> sweep(int count, int ranks) {
  std::vector<scenario::Scenario> out;
  for (int i = 0; i < count; ++i) {
    platform::Cluster cluster;
    cluster.id = "c";
    for (int host = 0; host < ranks; ++host) cluster.radicals.push_back(static_cast<std::uint32_t>(host));
    cluster.speed = base::FlopsPerSecond(1e9);
    cluster.bandwidth = base::BytesPerSecond(125e6 * (1 + 0.1 * i));
    cluster.latency = base::Seconds(25e-6);
    scenario::PlacedPlatform placed{platform::build_platform(cluster), {}};
    for (int rank = 0; rank < ranks; ++rank) placed.placement.host_of.push_back(static_cast<platform::HostId>(rank));
    placed.placement.core_of.assign(static_cast<std::size_t>(ranks), 0);
    out.push_back({std::make_shared<const scenario::PlacedPlatform>(std::move(placed)), {}});
    out.back().options.p2p = i % 2 == 1 ? sim::MessageModel::channel : sim::MessageModel::smpi;
  }
  return out;
}

struct Cost {
  double cpu_s = 0;
  double wall_s = 0;
  double memory_mb = 0; // at most, beyond what there was before
  std::string times;    // predicted: for comparing
};

Cost cost_of(trace::Recording& recording, const std::vector<scenario::Scenario>& scenarios) {
  const auto began = std::chrono::steady_clock::now();
  const double cpu = base::own_cpu_seconds();
  const std::int64_t before = live_bytes.load();
  most_bytes.store(before);
  Cost out;
  {
    scenario::RecordedSource source(recording);
    const scenario::Answers answers = scenario::ask(source, scenarios);
    for (const sim::Prediction& prediction : answers.predictions)
      out.times += fmt::format("{:a} {}\n", prediction.time.value(), prediction.complete);
  }
  out.cpu_s = base::own_cpu_seconds() - cpu;
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  out.memory_mb = static_cast<double>(most_bytes.load() - before) * 1e-6;
  return out;
}

// Returns: megabytes of all operations.
double decoded_mb(trace::Recording& recording, std::uint64_t& operations) {
  trace::RecordedTimelines timelines(recording);
  trace::SharedTimelines shared(timelines, nullptr, ~std::uint64_t{0});
  const auto reader = shared.reader();
  trace::Operation operation;
  for (int i = 0; i < reader->timelines(); ++i) {
    while (reader->next(i, operation)) {
    }
  }
  operations = shared.decoded();
  return static_cast<double>(shared.bytes_held()) * 1e-6;
}

int run(int ranks, int rounds, int count) {
  trace::Recording recording(std::uint64_t{8} << 30);
  record(recording, ranks, rounds);
  const auto scenarios = sweep(count, ranks);
  std::uint64_t operations = 0;
  const double decoded = decoded_mb(recording, operations);
  fmt::print("{} ranks, {} operations, {:.1f} MB decoded; {} cores\n", ranks, operations, decoded, base::usable_cores().size());
  Cost alone;
  for (const scenario::Scenario& one : scenarios) {
    const Cost cost = cost_of(recording, {one});
    alone.cpu_s += cost.cpu_s;
    alone.wall_s += cost.wall_s;
    alone.memory_mb = std::max(alone.memory_mb, cost.memory_mb);
    alone.times += cost.times;
  }
  const Cost together = cost_of(recording, scenarios);
  counting = true; // takes time
  const double memory_of_one = cost_of(recording, {scenarios[0]}).memory_mb;
  const double memory_of_few = cost_of(recording, {scenarios.begin(), scenarios.begin() + std::min(count, 3)}).memory_mb;
  const double memory_of_all = cost_of(recording, scenarios).memory_mb;
  counting = false;
  const double cores = static_cast<double>(base::usable_cores().size());
  fmt::print("  {:2} x 1       {:8.3f} s of CPU  {:8.3f} s wall\n", count, alone.cpu_s, alone.wall_s);
  fmt::print("  {:2} together  {:8.3f} s of CPU  {:8.3f} s wall\n", count, together.cpu_s, together.wall_s);
  fmt::print("  CPU {:.3f} of {} x 1 (goal 1.05); wall {:.2f} of one (goal {:.2f})\n", together.cpu_s / alone.cpu_s, count,
             together.wall_s / (alone.wall_s / count), count / cores + 1);
  fmt::print("  memory: one {:.1f} MB, 3 {:.1f} MB, {} {:.1f} MB: each further one {:.3f} of the decoded recording (goal 0.1)\n",
             memory_of_one, memory_of_few, count, memory_of_all, (memory_of_all - memory_of_one) / (count - 1) / decoded);
  if (together.times == alone.times) return 0;
  fmt::print("the predictions differ\n");
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  const auto number = [&](int index, int usual) { return argc > index ? std::max(2, std::atoi(argv[index])) : usual; };
  return run(number(1, 64), number(2, 2000), number(3, 16));
}
