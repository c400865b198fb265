#include "predictor/live/call_cost.h"

namespace farcast::live {

std::optional<std::uint64_t> sampled_call_cost(const std::vector<stream::CostSamples>& threads, double ticks_per_second) {
  constexpr std::uint64_t kEnoughSamples = 8;
  std::uint64_t samples = 0;
  std::uint64_t sampled = 0;
  std::uint64_t growing = 0;
  std::uint64_t calls = 0;
  for (const stream::CostSamples& cost : threads) {
    samples += cost.calls;
    sampled += cost.ticks;
    growing += cost.grow_ns;
    calls += cost.calls * stream::kCallsPerSample;
  }
  if (samples < kEnoughSamples) return std::nullopt;
  const double growing_ticks = static_cast<double>(growing) * 1e-9 * ticks_per_second / static_cast<double>(calls);
  return sampled / samples + static_cast<std::uint64_t>(growing_ticks);
}

} // namespace farcast::live
