#include "predictor/sim/scheduler.h"

namespace farcast::sim {

void Scheduler::add_timeline(std::uint32_t timeline, std::uint32_t rank, bool main) {
  Strand& strand = strands_.emplace_back();
  strand.timeline = timeline;
  strand.rank = rank;
  strand.main = main;
  strand.started = !main; // further threads have no Init of their own
  make_ready(rank, timeline);
}

std::uint32_t Scheduler::add_beside(std::uint32_t rank) {
  const std::uint32_t index = base::take_slot(strands_, free_);
  strands_[index] = Strand{};
  strands_[index].rank = rank;
  strands_[index].started = true;
  strands_[index].stage = Stage::schedule;
  return index;
}

bool Scheduler::advance(std::uint32_t index, double seconds, CoreState state) {
  if (!(seconds > 0)) return true;
  Strand& strand = strands_[index];
  set_core(strand, state);
  strand.clock = now_ + seconds;
  if (!(strand.clock > now_)) return true; // below the clock's resolution
  at(strand.clock, strand.rank, index);
  return false;
}

void Scheduler::wake(std::uint32_t index) {
  const Strand& strand = strands_[index];
  if (strand.busy_until > now_)
    at(strand.busy_until, strand.rank, index);
  else
    make_ready(strand.rank, index);
}

const std::vector<std::uint64_t>& Scheduler::take_ready() {
  running_.swap(ready_);
  ready_.clear();
  if (running_.size() > 1) std::sort(running_.begin(), running_.end());
  waiting_turns_ = running_.size();
  return running_;
}

} // namespace farcast::sim
