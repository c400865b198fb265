// Reading a TI trace alone: actions per second of CPU, for the ring of 64 ranks that the comparison
// with SimGrid plays.
#include "predictor/trace/ti_trace.h"

#include <benchmark/benchmark.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

using namespace farcast;

namespace {

class RingTrace {
public:
  RingTrace(int ranks, int rounds)
      : folder_(std::filesystem::temp_directory_path() / fmt::format("farcast-ti-bench-{}", getpid())) {
    std::filesystem::create_directories(folder_);
    std::ofstream index(folder_ / "trace");
    for (int rank = 0; rank < ranks; ++rank) {
      const int left = (rank + ranks - 1) % ranks;
      std::ofstream out(folder_ / fmt::format("{}.ti", rank));
      out << rank << " init\n";
      for (int round = 0; round < rounds; ++round)
        out << fmt::format("{0} irecv {1} 0 1000\n{0} send {2} 0 1000\n{0} wait {1} {0} 0\n", rank, left, (rank + 1) % ranks);
      out << rank << " finalize\n";
      index << rank << ".ti\n";
    }
  }
  RingTrace(const RingTrace&) = delete;
  RingTrace& operator=(const RingTrace&) = delete;
  ~RingTrace() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string index() const { return (folder_ / "trace").string(); }

private:
  std::filesystem::path folder_;
};

void ring(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  const RingTrace trace(ranks, 1000);
  std::int64_t actions = 0;
  for (auto _ : state) {
    const auto files = trace::find_ti_trace(trace.index());
    trace::TiTimelines timelines(*files, std::vector<double>(static_cast<std::size_t>(ranks), 1e9), base::Seconds(0));
    trace::Operation operation;
    for (bool more = true; more;) { // as the engine does, in turn
      more = false;
      for (int rank = 0; rank < ranks; ++rank) {
        if (!timelines.next(rank, operation)) continue;
        ++actions;
        more = true;
      }
    }
    if (!timelines.error().empty()) state.SkipWithError(timelines.error().c_str());
  }
  state.SetItemsProcessed(actions);
}
BENCHMARK(ring)->Arg(64)->Arg(1024);

} // namespace

BENCHMARK_MAIN();
