#include "predictor/trace/rank_threads.h"

#include "predictor/trace/recording.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace farcast::trace {

namespace {
double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }
} // namespace

int cores_allowed(const RankThreads& threads) {
  int count = 0;
  for (const std::uint64_t word : threads.cores) count += std::popcount(word);
  return count;
}

int threads_at_a_time(const RankThreads& threads) {
  return std::max({1, threads.computing, static_cast<int>(std::lround(threads.peak_cores))});
}

int cores_per_rank(const Recording& recording) {
  int most = 1;
  for (const auto& rank : recording.ranks) {
    const int threads = threads_at_a_time(rank->threads_seen);
    const int allowed = cores_allowed(rank->threads_seen);
    most = std::max(most, allowed > 0 ? std::min(threads, allowed) : threads);
  }
  return most;
}

double others_beyond(const stream::Others& others, double compute_s) {
  const double slept = std::max(0.0, compute_s - seconds(others.own_ns));
  return std::max(0.0, seconds(others.ns) - slept);
}

std::pair<double, double> split_at_call(const stream::Others& others, double call_s) {
  const double passed = seconds(others.passed_ns);
  const double in_call = seconds(others.ns) * (passed > 0 ? std::min(1.0, call_s / passed) : 1.0);
  return {seconds(others.ns) - in_call, in_call};
}

} // namespace farcast::trace
