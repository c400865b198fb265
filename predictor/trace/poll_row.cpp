#include "predictor/trace/poll_row.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

namespace {

// What a poll asks for, wherever it stands; `bytes` is the key of its request, or of their list.
std::uint64_t asked_for(const stream::CallSlot& slot) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto mix = [&hash](std::uint64_t value) {
    hash = stream::spread(hash ^ value);
    hash ^= hash >> 32;
  };
  mix(slot.function);
  mix(slot.comm);
  mix(slot.bytes);
  mix(static_cast<std::uint32_t>(slot.peer));
  mix(static_cast<std::uint32_t>(slot.tag));
  return hash;
}

bool alike(const Operation& a, const Operation& b) {
  return a.site == b.site && a.region == b.region && a.function == b.function && a.kind == b.kind;
}

} // namespace

void PollRow::add_poll(const RecordedCall& call, Held poll) {
  const std::uint64_t asked = asked_for(call.slot);
  if (part_of_.emplace(asked, parts_.size()).second)
    parts_.push_back({sums_, operations_.size(), poll.operation.compute, poll.from, poll.to});
  const double in_polls = poll.operation.measured.value();
  const auto times = static_cast<double>(poll.operation.times);
  sums_.compute += poll.operation.compute.value();
  sums_.in_polls += in_polls;
  sums_.polls += times;
  in_polls_ever_ += in_polls;
  polls_ever_ += times;
  add(std::move(poll));
}

void PollRow::add_call(Held call) {
  sums_.compute += call.operation.compute.value();
  sums_.in_calls += call.operation.measured.value();
  sums_.calls += static_cast<double>(call.operation.times);
  add(std::move(call));
}

void PollRow::add(Held held) {
  const std::size_t first = parts_.empty() ? 0 : parts_.back().first;
  const auto same = std::find_if(operations_.begin() + static_cast<std::ptrdiff_t>(first), operations_.end(),
                                 [&held](const Held& known) { return alike(known.operation, held.operation); });
  if (same == operations_.end()) {
    operations_.push_back(std::move(held));
    return;
  }
  Operation& operation = same->operation;
  operation.compute += held.operation.compute;
  operation.measured += held.operation.measured;
  operation.others_s += held.operation.others_s;
  operation.others_in_call_s += held.operation.others_in_call_s;
  operation.times += held.operation.times;
  if (held.to > held.from) {
    if (same->from == same->to) same->from = held.from;
    same->to = held.to;
  }
}

bool PollRow::end(const RecordedCall& found, std::uint32_t site, base::Seconds compute) {
  const auto known = part_of_.find(asked_for(found.slot));
  if (known == part_of_.end()) return false;
  const Part& part = parts_[known->second];
  // As many computations as polls lie from the end of the first poll to what was found.
  const double polls = sums_.polls - part.before.polls;
  const double in_polls = sums_.in_polls - part.before.in_polls;
  const double calls = sums_.calls - part.before.calls;
  const double longer = std::max(0.0, sums_.in_calls - part.before.in_calls - calls * in_polls / polls);
  const double between = sums_.compute - part.before.compute - part.compute.value() + compute.value() + longer;
  Looks& looks = looks_[site];
  looks.between += between;
  looks.in_polls += in_polls;
  looks.polls += polls;
  if (!(between < in_polls)) return false;
  for (std::size_t i = part.first; i < operations_.size(); ++i) {
    Held& held = operations_[i];
    const bool first = i == part.first;
    held.operation.kind = OperationKind::local;
    held.operation.measured = base::Seconds(0.0);
    held.operation.compute = first ? part.compute : base::Seconds(0.0);
    held.from = first ? part.from : 0;
    held.to = first ? part.to : 0;
  }
  return true;
}

std::vector<PollRow::Held> PollRow::take() {
  parts_.clear();
  part_of_.clear();
  sums_ = {};
  return std::exchange(operations_, {});
}

base::Seconds PollRow::between_looks(std::uint32_t site) const {
  const auto known = looks_.find(site);
  if (known == looks_.end() || known->second.between < known->second.in_polls) return base::Seconds(0.0);
  return base::Seconds(known->second.between / known->second.polls);
}

base::Seconds PollRow::of_one(base::Seconds measured) const {
  return polls_ever_ > 0 ? std::min(measured, base::Seconds(in_polls_ever_ / polls_ever_)) : measured;
}

} // namespace farcast::trace
