#include "libinterpose/clock.h"

#include "libinterpose/process.h"
#include "libinterpose/pushed_aside.h"

#include <ctime>
#include <dlfcn.h>

namespace farcast::interpose {

constinit std::uint64_t* fixed_clock = nullptr;

namespace {

struct Instant {
  std::uint64_t ticks;
  double ns;
};

// Both clocks at one instant: of several tries the one that took least, for an interrupt or the
// first touch of the vDSO's pages between the two readings would pass for time.
Instant both_clocks() {
  constexpr int kTries = 8;
  Instant instant{};
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < kTries; ++i) {
    timespec now{};
    const std::uint64_t before = stream::ticks();
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    const std::uint64_t took = stream::ticks() - before;
    if (took >= least) continue;
    least = took;
    instant = {before + took / 2, static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec)};
  }
  return instant;
}

// Ticks per nanosecond, good to about 1e-4: thresholds, and the limit of a region's CPU time, rest
// on it. Wall times do not: the predictor has both clocks at both ends of the run.
double measure_tick_rate() {
  constexpr double kLongEnoughNs = 200'000;
  const Instant from = both_clocks();
  Instant to = from;
  while (to.ns - from.ns < kLongEnoughNs) to = both_clocks();
  return static_cast<double>(to.ticks - from.ticks) / (to.ns - from.ns);
}

// What a recorded call costs the program between its exit stamp and the next entry stamp, taken
// from empty calls.
std::uint64_t measure_overhead() {
  constexpr int kRounds = 256;
  std::uint64_t best = ~std::uint64_t{0};
  std::uint64_t last = stream::ticks();
  for (int i = 0; i < kRounds; ++i) {
    const std::uint64_t now = stream::ticks();
    if (now - last < best) best = now - last;
    last = stream::ticks();
  }
  return best;
}

// The time stamps and the store of one recorded call, taken from empty calls on a scratch slot: the
// best of some batches, for other processes may interrupt.
std::uint64_t measure_call_cost() {
  constexpr int kBatches = 16;
  constexpr std::uint64_t kRounds = 64;
  static stream::Slot scratch[64];
  std::uint64_t best = ~std::uint64_t{0};
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::uint64_t first = stream::ticks();
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      const std::uint64_t enter = stream::ticks();
      stream::Slot* slot = &scratch[i % 64];
      slot->call = stream::CallSlot{stream::SlotKind::call, 0, 0, 0, enter, 0, 0, 0, 0, 0, {0}, 0};
      asm volatile("" : : "r"(slot) : "memory");
      slot->call.result = stream::ticks() - enter;
    }
    const std::uint64_t cost = (stream::ticks() - first) / kRounds;
    if (cost < best) best = cost;
  }
  return best;
}

void measure_clock(stream::RankHeader& header) {
  header.overhead_ticks = measure_overhead();
  header.call_cost_ticks = measure_call_cost();
  process.ticks_per_ns = measure_tick_rate();
  process.row_ticks = static_cast<std::uint64_t>(static_cast<double>(stream::kMostRowNs) * process.ticks_per_ns);
  process.worthwhile_ticks = static_cast<std::uint64_t>(kWorthwhileNs * process.ticks_per_ns);
  process.refresh_ticks = static_cast<std::uint64_t>(kRefreshNs * process.ticks_per_ns);
}

} // namespace

void set_clock(stream::RankHeader& header) {
  if (process.settings.fixed_clock) fixed_clock = static_cast<std::uint64_t*>(dlsym(RTLD_DEFAULT, "farcast_fixed_clock"));
  if (fixed_clock == nullptr) {
    if (process.settings.fixed_clock)
      tell_first("FARCAST_FIXED_CLOCK: the program has no such clock", "the times are the machine's");
    return measure_clock(header);
  }
  // What other processes take is none of its time.
  header.fixed_clock = 1;
  process.ticks_per_ns = kFixedTicksPerNs;
  process.row_ticks = 0;
  process.worthwhile_ticks = process.refresh_ticks = ~std::uint64_t{0};
}

} // namespace farcast::interpose
