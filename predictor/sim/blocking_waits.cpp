#include "predictor/sim/blocking_waits.h"

namespace farcast::sim {

BlockingWaits::BlockingWaits(const Setting& setting, Scheduler& scheduler) : setting_(setting), scheduler_(scheduler) {
  if (setting.options.wait == WaitMode::block) ranks_.resize(static_cast<std::size_t>(setting.ranks));
}

void BlockingWaits::begin(std::uint32_t index) {
  Rank& rank = ranks_[index];
  rank.waits = true;
  rank.spins_until = scheduler_.now() + setting_.platform.transport.blocking_spin.value();
  scheduler_.at(rank.spins_until, index, Scheduler::kSpun);
}

void BlockingWaits::sleep(std::uint32_t index, double time, bool busy) {
  Rank& rank = ranks_[index];
  if (busy || !rank.waits || rank.asleep || rank.spins_until != time) return;
  rank.asleep = true;
  scheduler_.set_core(scheduler_[index], CoreState::idle); // a rank's main strand has its number
}

void BlockingWaits::say(Prediction& prediction) const {
  const platform::Transport& transport = setting_.platform.transport;
  if (on()) prediction.assumptions.emplace_back(WaitsBlock{transport.blocking_spin, transport.blocking_wakeup});
}

double BlockingWaits::wake(std::uint32_t index) {
  Rank& rank = ranks_[index];
  if (!rank.asleep) return 0.0;
  rank.asleep = false;
  scheduler_.set_core(scheduler_[index], CoreState::polling);
  return setting_.platform.transport.blocking_wakeup.value();
}

} // namespace farcast::sim
