#include "predictor/sim/look_ahead.h"

namespace farcast::sim {

void LookAhead::receive(std::uint32_t send) const {
  if (requests_[send].partner != kNone) __builtin_prefetch(&requests_[requests_[send].partner], 1);
}

void LookAhead::waiting(std::uint32_t send) const {
  const std::uint32_t receive = requests_[send].partner;
  if (receive == kNone) return;
  messages_.queues().fetch(requests_[receive].key); // the next one is often alike
  if (requests_[receive].strand != kNone) base::fetch_lines(scheduler_[requests_[receive].strand]);
}

const Strand* LookAhead::strand_of(std::uint32_t send) const {
  const std::uint32_t receive = requests_[send].partner;
  return receive == kNone || requests_[receive].strand == kNone ? nullptr : &scheduler_[requests_[receive].strand];
}

void LookAhead::figures(const Strand& strand) const {
  account_.fetch(strand.rank, strand.operation.site);
  network_.fetch_last_of(setting_.host_of(strand.rank));
  messages_.queues().fetch(strand.sent);
  if (strand.timeline != kNone) timelines_.fetch(static_cast<int>(strand.timeline));
}

void LookAhead::what_it_sends(const Strand& strand) const {
  network_.fetch_class_of(setting_.host_of(strand.rank));
  messages_.queues().fetch_first(requests_.pool(), strand.sent);
}

void LookAhead::look() {
  soon_.clear();
  network_.look_ahead(soon_);
  for (const std::uint32_t next : soon_) {
    if (arriving_.full()) {
      if (const Strand* strand = strand_of(arriving_.before(4))) what_it_sends(*strand);
      if (const Strand* strand = strand_of(arriving_.before(3))) figures(*strand);
      waiting(arriving_.before(2));
      receive(arriving_.before(1));
    }
    send(next);
    arriving_.add(next);
  }
}

} // namespace farcast::sim
