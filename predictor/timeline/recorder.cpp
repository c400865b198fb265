#include "predictor/timeline/recorder.h"

namespace farcast::timeline {

// The engine takes for one instant what rounding tears apart: an interval may end a rounding before
// or after the next one begins. Here it ends there.
void Recorder::keep(std::size_t rank, double end) {
  Interval& last = last_[rank];
  last.end = end;
  if (last.end > last.begin) out_.intervals.append(rank, last);
}

void Recorder::interval(const sim::Interval& interval) {
  keep(interval.rank, interval.begin);
  last_[interval.rank] = {interval.begin, interval.end, interval.entered, interval.site, interval.region, interval.activity};
}

void Recorder::concluded(const sim::Prediction& prediction) {
  out_.end_s = prediction.time.value();
  for (std::size_t rank = 0; rank < last_.size(); ++rank) keep(rank, out_.end_s);
}

void Recorder::posted(const sim::MessagePosted& message) {
  if (message.in_collective && !inside_collectives_) return;
  out_.sent.append(message.source, {message.id, message.time, 0, message.bytes, message.destination});
  *under_way_.emplace(message.id).first = {message.time, message.bytes, message.source, message.destination,
                                           message.one_sided ? 1 : 2};
}

// The later of the two is the time at which the message has been received.
void Recorder::half(std::uint64_t id, double time) {
  UnderWay* const message = under_way_.find(id);
  if (message == nullptr || --message->halves > 0) return;
  out_.received.append(message->destination, {id, message->sent, time, message->bytes, message->source});
  under_way_.erase(id);
}

} // namespace farcast::timeline
