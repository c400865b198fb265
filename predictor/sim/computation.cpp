#include "predictor/sim/computation.h"

#include "predictor/sim/causes.h"
#include "predictor/sim/sane.h"

#include <algorithm>
#include <limits>

namespace farcast::sim {

namespace {

CoreState state_of(const trace::Operation& operation) {
  return operation.memory_bound ? CoreState::memory : CoreState::computing;
}

} // namespace

Computation::Computation(const Setting& setting, Scheduler& scheduler, Cores& cores, Account& account)
    : setting_(setting), scheduler_(scheduler), cores_(cores), account_(account) {
  region::Slowdowns* const slowdowns = setting.options.slowdowns;
  const bool beyond_cores = std::ranges::any_of(setting.placement.host_of, [&](platform::HostId host) {
    return platform::threads_beyond_cores(setting.platform.hosts[host]);
  });
  if (slowdowns != nullptr || beyond_cores)
    co_runners_.emplace(setting.platform, setting.placement, static_cast<std::size_t>(setting.ranks), slowdowns);
}

void Computation::begin(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  strand.stage = Stage::enter;
  if (strand.main) cores_.enter(strand.rank, {false, operation.region}, scheduler_.now());
  const double measured = sane(operation.compute.value());
  if (co_runners_ && strand.main && begin_among_co_runners(index, measured)) return;
  const double predicted = sane(cores_.compute(strand.rank, measured));
  account_.region(operation.region, measured, predicted, operation.times);
  if (strand.main) spend(strand, scheduler_.now(), predicted);
  if (operation.others_s > 0) use_others(strand, scheduler_.now(), predicted);
  scheduler_.advance(index, predicted, state_of(operation));
}

double Computation::time_before(std::uint32_t rank, const trace::Operation& operation) const {
  return sane(cores_.compute(rank, sane(operation.compute.value())));
}

// Returns: false when it takes no time.
bool Computation::begin_among_co_runners(std::uint32_t index, double measured) {
  Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  const double work = sane(cores_.compute(strand.rank, measured * operation.alone_share));
  if (!(work > 0)) return false;
  account_.region(operation.region, measured, 0.0, operation.times);
  scheduler_.set_core(strand, state_of(operation));
  co_runners_->begin(strand.rank, operation.region, work, scheduler_.now());
  strand.clock = std::numeric_limits<double>::infinity(); // until end()
  return true;
}

void Computation::end(std::uint32_t rank, double time) {
  if (!co_runners_->end_at(rank, time)) return;
  const Strand& strand = scheduler_[rank]; // a rank's main strand has its number
  const double began = co_runners_->began(rank);
  const double spent = scheduler_.now() - began;
  account_.region(strand.operation.region, 0.0, spent, 0);
  if (strand.operation.others_s > 0) use_others(strand, began, spent);
  spend(strand, began, spent);
  scheduler_.make_ready(rank, rank);
}

// Other threads take as much longer, or less long, as the computation beside them.
void Computation::use_others(const Strand& strand, double begin, double predicted) {
  const double measured = sane(strand.operation.compute.value());
  const double others = sane(strand.operation.others_s);
  cores_.use_others(strand.rank, {false, strand.operation.region},
                    measured > 0 ? others * predicted / measured : cores_.compute(strand.rank, others), begin, begin + predicted);
}

void Computation::spend(const Strand& strand, double begin, double seconds) {
  account_.spend(strand.rank, Activity::compute, seconds);
  if (setting_.causes != nullptr) setting_.causes->waits.computed(strand.rank, strand.operation.region, seconds);
  if (setting_.observer == nullptr || !(seconds > 0)) return;
  const trace::Operation& operation = strand.operation;
  setting_.observer->interval({strand.rank, Activity::compute, operation.site, operation.region, begin, begin + seconds, begin});
}

void Computation::settle() {
  if (!co_runners_) return;
  co_runners_->settle(scheduler_.now(),
                      [this](std::uint32_t rank, double end) { scheduler_.at(end, rank, Scheduler::kComputation); });
}

} // namespace farcast::sim
