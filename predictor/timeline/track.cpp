#include "predictor/timeline/track.h"

#include <utility>

namespace farcast::timeline {

namespace {

std::optional<Interval> read(RecordFile<Interval>::Reader& from) {
  Interval interval;
  return from.next(interval) ? std::optional(interval) : std::nullopt;
}

bool is_of_call(const Interval& interval) {
  return interval.activity != sim::Activity::compute && interval.activity != sim::Activity::ended;
}

bool same_call(const Interval& one, const Interval& other) {
  return is_of_call(one) && is_of_call(other) && one.entered == other.entered;
}

bool before(const Event& one, const Event& other) { return std::pair(one.time, one.kind) < std::pair(other.time, other.kind); }

} // namespace

// Puts the events of the next interval into slices_.
void Track::read_slices() {
  slices_.clear();
  at_ = 0;
  if (!begun_) ahead_ = read(intervals_);
  begun_ = true;
  if (!ahead_) return;
  const Interval now = *ahead_;
  ahead_ = read(intervals_);
  const auto add = [this](double time, Event::Kind kind, const Slice& slice) { slices_.push_back({time, kind, slice, {}}); };
  if (!is_of_call(now)) {
    const Slice slice{now.activity == sim::Activity::compute ? Slice::Kind::compute : Slice::Kind::ended, now.activity, now.site,
                      now.region};
    add(now.begin, Event::Kind::enter, slice);
    add(now.end, Event::Kind::leave, slice);
    return;
  }
  if (!call_) {
    call_ = Slice{Slice::Kind::call, now.activity, now.site, now.region};
    add(now.begin, Event::Kind::enter, *call_);
  }
  if (now.activity == sim::Activity::waiting) {
    const Slice waiting{Slice::Kind::waiting, now.activity, now.site, now.region};
    add(now.begin, Event::Kind::enter, waiting);
    add(now.end, Event::Kind::leave, waiting);
  }
  if (ahead_ && same_call(now, *ahead_)) return;
  add(now.end, Event::Kind::leave, *call_);
  call_.reset();
}

void Track::fill() {
  while (at_ == slices_.size() && (!begun_ || ahead_)) read_slices();
  Message message;
  if (!next_sent_ && sent_.next(message)) next_sent_ = Event{message.sent, Event::Kind::sent, {}, message};
  if (!next_received_ && received_.next(message)) {
    const bool at_once = message.received == message.sent;
    next_received_ = Event{message.received, at_once ? Event::Kind::received_at_once : Event::Kind::received, {}, message};
  }
}

bool Track::next(Event& out) {
  fill();
  const Event* first = at_ < slices_.size() ? &slices_[at_] : nullptr;
  for (const std::optional<Event>* const message : {&next_sent_, &next_received_}) {
    if (*message && (first == nullptr || before(**message, *first))) first = &**message;
  }
  if (first == nullptr) return false;
  out = *first;
  if (out.kind == Event::Kind::sent)
    next_sent_.reset();
  else if (out.kind == Event::Kind::enter || out.kind == Event::Kind::leave)
    ++at_;
  else
    next_received_.reset();
  return true;
}

} // namespace farcast::timeline
