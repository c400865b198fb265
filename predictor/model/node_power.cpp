#include "predictor/model/node_power.h"

#include "predictor/model/figures.h"

#include <fmt/format.h>

namespace farcast::model {

base::Result<void> check(const PowerState& state) {
  Figures figures("power of a node");
  figures.at_least("idle", state.idle.value(), 0.0).at_least("the static part", state.static_active.value(), 0.0);
  for (const base::Watts all : state.all_active)
    figures.at_least("what all cores draw", all.value(), state.static_active.value());
  return figures.result();
}

base::Watts dynamic_per_core(const PowerState& state, int cores, Workload workload) {
  return (state.all_active[static_cast<std::size_t>(workload)] - state.static_active) / cores;
}

base::Watts node_power(base::Watts idle, base::Watts static_active, std::span<const base::Watts> per_core,
                       std::span<const int> active) {
  base::Watts dynamic{0.0};
  int running = 0;
  for (std::size_t i = 0; i < active.size(); ++i) {
    running += active[i];
    dynamic += active[i] * per_core[i];
  }
  return running == 0 ? idle : static_active + dynamic;
}

base::Watts node_power(const PowerState& state, int cores, const std::array<int, kWorkloads>& active) {
  std::array<base::Watts, kWorkloads> per_core;
  for (std::size_t i = 0; i < kWorkloads; ++i) per_core[i] = dynamic_per_core(state, cores, static_cast<Workload>(i));
  return node_power(state.idle, state.static_active, per_core, active);
}

bool idle_above_one_core(const PowerState& state, int cores) { return state.idle > node_power(state, cores, {1, 0, 0}); }

base::Result<TwoRuns> figures_of_two_runs(base::Watts one_core, base::Watts all_cores, int cores) {
  const auto fine = Figures("power of two runs")
                        .at_least("cores", cores, 2)
                        .at_least("what one core draws", one_core.value(), 0.0)
                        .at_least("what all cores draw", all_cores.value(), one_core.value())
                        .result();
  if (!fine) return tl::make_unexpected(fine.error());
  const base::Watts static_active = one_core - (all_cores - one_core) / (cores - 1); // at no core
  if (static_active < base::Watts(0.0))
    return base::fail(fmt::format("one core draws {:g} W and {} cores {:g} W, so the static part would be {:g} W",
                                  one_core.value(), cores, all_cores.value(), static_active.value()));
  return TwoRuns{static_active, all_cores};
}

base::Result<PowerState> at_frequency(std::span<const PowerState> states, base::Hertz frequency) {
  if (states.empty()) return base::fail("the node has no power figures");
  for (std::size_t i = 1; i < states.size(); ++i)
    if (!(states[i - 1].frequency < states[i].frequency)) return base::fail("power states must ascend in frequency");
  if (!(frequency >= states.front().frequency && frequency <= states.back().frequency))
    return base::fail(fmt::format("power at {:g} GHz is not known, expected a frequency from {:g} to {:g} GHz",
                                  frequency.value() / 1e9, states.front().frequency.value() / 1e9,
                                  states.back().frequency.value() / 1e9));
  std::size_t above = 0;
  while (states[above].frequency < frequency) ++above;
  if (states[above].frequency == frequency) return states[above];
  const PowerState& low = states[above - 1];
  const PowerState& high = states[above];
  const double share = (frequency - low.frequency) / (high.frequency - low.frequency);
  const auto between = [share](base::Watts a, base::Watts b) { return a + share * (b - a); };
  PowerState state{frequency, between(low.idle, high.idle), between(low.static_active, high.static_active), {}};
  for (std::size_t i = 0; i < kWorkloads; ++i) state.all_active[i] = between(low.all_active[i], high.all_active[i]);
  return state;
}

} // namespace farcast::model
