#include "predictor/sim/away.h"

#include <algorithm>
#include <utility>

namespace farcast::sim {

bool Away::leaves(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  strand.operation.away = false;
  if (timelines_.has_come(static_cast<int>(strand.timeline), false)) return false;
  strand.outstanding = 1;
  strands_.push_back({index, scheduler_.now(), std::chrono::steady_clock::now()});
  scheduler_.set_away(strands_.size());
  return true;
}

bool Away::take_back() {
  const auto has_come = [&](const One& one) {
    Strand& strand = scheduler_[one.strand];
    if (!timelines_.has_come(static_cast<int>(strand.timeline), false)) return false;
    strand.outstanding = 0;
    strand.came_late = scheduler_.now() > one.left;
    scheduler_.make_ready(strand.rank, one.strand);
    return true;
  };
  const bool any = std::erase_if(strands_, has_come) > 0;
  scheduler_.set_away(strands_.size());
  return any;
}

bool Away::come_back(bool others_go_on) {
  while (!take_back()) {
    const auto now = std::chrono::steady_clock::now();
    // Who left last comes back first, if it only looks.
    const auto awaited = std::find_if(strands_.rbegin(), strands_.rend(),
                                      [&](const One& one) { return !others_go_on || now - one.since < kPatience; });
    if (awaited == strands_.rend()) return false;
    static_cast<void>(timelines_.has_come(static_cast<int>(scheduler_[awaited->strand].timeline), true));
  }
  return true;
}

void Away::shorten(Strand& strand) {
  strand.came_late = false;
  trace::Operation& operation = strand.operation;
  if (operation.kind == trace::OperationKind::local && operation.times == 0) operation.measured = base::Seconds(0.0);
}

} // namespace farcast::sim
