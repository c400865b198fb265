// Rounds that repeat: repetition.h has the rule and why it holds.
#include "predictor/sim/engine.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace farcast::sim {

namespace {

Repetition::OfStrand describe(const Strand& strand) {
  Repetition::OfStrand out{strand.clock,
                           strand.entered,
                           strand.posted,
                           strand.ready,
                           strand.busy_until,
                           strand.called_until,
                           strand.taken,
                           strand.outstanding,
                           strand.stage,
                           strand.started,
                           0,
                           0,
                           0,
                           0,
                           0,
                           {},
                           {},
                           -1};
  if (!strand.play) return out;
  const SchedulePlay& play = *strand.play;
  out.at = play.at + 1;
  out.open = play.open;
  out.owed = play.owed;
  out.newest_owed = play.newest.owed;
  out.second_owed = play.second.owed;
  out.waits = play.waits;
  return out;
}

auto order_of(const Repetition::OfRequest& r) {
  return std::tie(r.key.destination, r.key.source, r.key.context, r.key.tag, r.place, r.rank, r.name);
}

} // namespace

// Requires: nothing is under way in the network. Called once all that is due at this instant has come.
void Engine::look_for_repetition() {
  Repetition& earlier = *repetition_;
  const auto strands = static_cast<std::size_t>(timelines_.timelines());
  if (strands_[0].taken == earlier.seen || probing_.size() > 0 || meetings_.open() > 0) return;
  if (strands_.size() != strands + free_strands_.size()) return; // non-blocking collectives
  earlier.seen = strands_[0].taken;
  if (earlier.spent > (operations_ + messages_) / Repetition::kShare + Repetition::kFree * (strands + Repetition::kAnyMoment))
    return;
  std::uint64_t rounds = 0;
  if (earlier.there && is_repetition()) rounds = rounds_to_come();
  if (rounds > 0) {
    skip_rounds(rounds);
    earlier.spent = 0;
    earlier.window = 1;
    earlier.there = false;
    if (rounds < Repetition::kAtOnce) return; // there is no whole round more
  } else if (earlier.there) {
    if (++earlier.looks < earlier.window) return;
    earlier.window = std::min(2 * earlier.window, Repetition::kLongest);
  }
  keep_moment();
}

void Engine::keep_moment() {
  Repetition& out = *repetition_;
  const auto strands = static_cast<std::size_t>(timelines_.timelines());
  if (account_.entries() > Repetition::kMostTables * strands || !timelines_.mark()) {
    repetition_.reset();
    return;
  }
  out.spent += Repetition::kAnyMoment + strands + account_.entries() + communicators_.members();
  out.there = true;
  out.looks = 0;
  out.now = now_;
  out.strands.resize(strands);
  for (std::size_t i = 0; i < strands; ++i) {
    trace::Operation operation = std::move(out.strands[i].operation); // its memory is used again
    operation = strands_[i].operation;
    out.strands[i] = describe(strands_[i]);
    out.strands[i].operation = std::move(operation);
  }
  queue_.for_each([&](const EventQueue::Event& event) { out.strands[event.strand].event = event.time; });
  out.ready = ready_;
  std::sort(out.ready.begin(), out.ready.end());
  list_requests(out.requests);
  communicators_.mark();
  out.account.emplace(account_);
  const std::optional<energy::PowerMeter>& meter = cores_.meter_at(now_);
  if (meter) out.meter.emplace(*meter);
  out.cores = cores_.states();
  out.operations = operations_;
  out.messages = messages_;
  out.problems = problems_.size() + more_problems_;
}

// Requires: nothing is under way in the network, so that requests are complete or wait for their other end.
void Engine::list_requests(std::vector<Repetition::OfRequest>& out) {
  out.clear();
  network::FlatMap<std::uint32_t, std::uint64_t> name_of;
  named_.for_each([&](std::uint64_t name, std::uint32_t request) { *name_of.emplace(request).first = name; });
  const auto add = [&](std::uint32_t index, std::uint32_t place) {
    const Request& r = requests_[index];
    const std::uint64_t* const name = name_of.find(index);
    const SchedulePlay* const play = r.step ? strands_[r.strand].play.get() : nullptr;
    const bool newest = play != nullptr && play->newest.request == index;
    const bool second = play != nullptr && play->second.request == index;
    std::uint32_t flags = static_cast<std::uint32_t>(r.kind);
    for (const bool flag :
         {r.synchronous, r.detached, r.flow_started, r.arrived, r.hopeless, r.done, r.forgotten, r.step, newest, second})
      flags = flags << 1 | (flag ? 1U : 0U);
    const std::uint32_t rank = name != nullptr ? static_cast<std::uint32_t>(*name >> 32) : kNone;
    const std::uint32_t number = name != nullptr ? static_cast<std::uint32_t>(*name) : 0;
    out.push_back({r.key, place, rank, number, index, r.strand, flags, r.bytes, r.reply, r.overhead, r.ready});
  };
  matching_.for_each(requests_, add);
  named_.for_each([&](std::uint64_t, std::uint32_t request) {
    if (requests_[request].done || requests_[request].hopeless) add(request, kNone);
  });
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
}

// Returns: whether the present moment is the earlier one, only later; then also who has moved.
bool Engine::is_repetition() {
  Repetition& then = *repetition_;
  const double later = now_ - then.now;
  const double slack = Repetition::kSame * now_;
  if (!(later > Repetition::kShortest * slack) || problems_.size() + more_problems_ != then.problems) return false;
  if (queue_.size() > then.strands.size() || ready_.size() != then.ready.size()) return false;
  const auto moved = [=](double at, double before) { return std::abs(at - before - later) <= slack; };
  then.moved.assign(then.strands.size(), false);
  for (std::size_t i = 0; i < then.strands.size(); ++i) {
    ++then.spent;
    const Repetition::OfStrand& a = then.strands[i];
    const Repetition::OfStrand b = describe(strands_[i]);
    const bool same =
        a.stage == b.stage && a.outstanding == b.outstanding && a.started == b.started && a.at == b.at && a.open == b.open &&
        a.owed == b.owed && a.newest_owed == b.newest_owed && a.second_owed == b.second_owed && a.waits == b.waits &&
        trace::same_but_for_requests(strands_[i].operation, a.operation, timelines_.requests_since_mark(static_cast<int>(i)));
    if (!same) return false;
    if (b.taken == a.taken) { // has done nothing
      if (std::tie(a.clock, a.entered, a.posted, a.ready, a.busy_until) !=
          std::tie(b.clock, b.entered, b.posted, b.ready, b.busy_until))
        return false;
      continue;
    }
    then.moved[i] = true;
    if ((a.called_until < then.now) != (b.called_until < now_)) return false; // whether its next call may come right behind
    if (!moved(b.clock, a.clock) || !moved(b.entered, a.entered) || !moved(b.posted, a.posted) || !moved(b.ready, a.ready) ||
        !moved(b.busy_until, a.busy_until))
      return false;
  }
  return events_repeat(later) && requests_repeat(later) && cores_.states() == then.cores;
}

bool Engine::events_repeat(double later) {
  Repetition& then = *repetition_;
  const double slack = Repetition::kSame * now_;
  std::size_t before = 0;
  for (const Repetition::OfStrand& strand : then.strands) before += strand.event >= 0 ? 1 : 0;
  bool same = before == queue_.size();
  queue_.for_each([&](const EventQueue::Event& event) {
    const double at = then.strands[event.strand].event;
    same = same && then.moved[event.strand] && at >= 0 && std::abs(event.time - at - later) <= slack;
  });
  std::sort(ready_.begin(), ready_.end()); // as run_ready() will
  same = same && ready_ == then.ready;
  for (const std::uint64_t strand : ready_) same = same && then.moved[static_cast<std::uint32_t>(strand)];
  return same;
}

bool Engine::requests_repeat(double later) {
  Repetition& then = *repetition_;
  const double slack = Repetition::kSame * now_;
  auto calls = communicators_.called_alike();
  then.spent += communicators_.members();
  if (!calls) return false;
  list_requests(then.requests_now);
  then.spent += then.requests_now.size();
  then.requests_moved.clear();
  if (then.requests_now.size() != then.requests.size()) return false;
  for (std::size_t i = 0; i < then.requests.size(); ++i) {
    const Repetition::OfRequest& a = then.requests[i];
    const Repetition::OfRequest& b = then.requests_now[i];
    MatchKey key = a.key;
    const std::uint32_t* const more = calls->find(key.context >> 1);
    if ((key.context & 1U) != 0 && more != nullptr) key.tag += *more; // of a collective
    const std::uint32_t name = a.rank == kNone ? 0 : a.name + timelines_.requests_since_mark(static_cast<int>(a.rank));
    if (!(key == b.key) || a.place != b.place || a.rank != b.rank || b.name != name || a.strand != b.strand ||
        a.flags != b.flags || a.bytes != b.bytes || a.reply != b.reply || a.overhead != b.overhead)
      return false;
    if (a.ready == b.ready) continue;
    if (std::abs(b.ready - a.ready - later) > slack) return false;
    then.requests_moved.push_back(b.index);
  }
  return true;
}

// Returns: how often the round since the earlier moment comes again.
std::uint64_t Engine::rounds_to_come() {
  Repetition& then = *repetition_;
  constexpr std::uint64_t kAll = std::uint64_t{1} << 52;
  std::uint64_t rounds = now_ - then.now < Repetition::kLong * now_ ? Repetition::kAtOnce : kAll;
  for (std::size_t i = 0; i < then.moved.size() && rounds > 0; ++i) {
    ++then.spent;
    if (then.moved[i]) rounds = timelines_.repeats(static_cast<int>(i), rounds);
  }
  return rounds;
}

void Engine::skip_rounds(std::uint64_t rounds) {
  Repetition& then = *repetition_;
  const auto times = static_cast<double>(rounds);
  const double later = times * (now_ - then.now);
  account_.repeat(*then.account, times);
  std::optional<energy::PowerMeter>& meter = cores_.meter_at(now_);
  if (meter) meter->repeat(*then.meter, times, base::Seconds(later));
  for (std::size_t i = 0; i < then.moved.size(); ++i) {
    if (!then.moved[i]) continue;
    Strand& strand = strands_[i];
    timelines_.skip(static_cast<int>(i), rounds);
    for (double* const time : {&strand.clock, &strand.entered, &strand.posted, &strand.ready, &strand.busy_until}) *time += later;
    if (strand.called_until >= now_) strand.called_until += later;
    strand.taken += rounds * (strand.taken - then.strands[i].taken);
  }
  for (const std::uint32_t request : then.requests_moved) requests_[request].ready += later;
  queue_.put_off(later);
  operations_ += rounds * (operations_ - then.operations);
  messages_ += rounds * (messages_ - then.messages);
  last_event_ += later;
  now_ += later;
  then.seen = strands_[0].taken;
}

} // namespace farcast::sim
