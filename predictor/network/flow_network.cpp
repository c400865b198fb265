#include "predictor/network/flow_network.h"

#include "predictor/base/fetch_ahead.h"
#include "predictor/base/slots.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace farcast::network {

void FlowNetwork::start(platform::HostId source, platform::HostId destination, double bytes, Token token, double now_s,
                        bool same_cache) {
  start_on({source, destination, {}, same_cache}, bytes, token, now_s);
}

void FlowNetwork::start_access(platform::HostId host, Access access, double bytes, Token token, double now_s) {
  const platform::HostId server = platform_.storage_of(host).value_or(host);
  start_on(access == Access::read ? Way{server, host, access} : Way{host, server, access}, bytes, token, now_s);
}

void FlowNetwork::start_on(const Way& way, double bytes, Token token, double now_s) {
  now_ = std::max(now_, now_s);
  const std::uint32_t index = class_of(way);
  FlowClass& flow_class = classes_[index];
  ++flow_class.users;
  ++in_flight_;
  if (flow_class.last_bytes != bytes) describe_message(flow_class, bytes);
  const double work = flow_class.last_work;
  const double delay = flow_class.last_delay;
  if (flow_class.alone_rate > 0) {
    arriving_.push(now_ + delay + work / flow_class.alone_rate, Arrival{index, token});
    return;
  }
  if (!(delay > 0)) {
    begin_sharing(index, work, order_++, token, now_);
    return;
  }
  pending_.push(now_ + delay, Pending{order_++, work, index, token});
}

void FlowNetwork::touch(std::uint32_t index) {
  if (classes_[index].touched) return;
  classes_[index].touched = true;
  touched_.push_back(index);
}

void FlowNetwork::bring_up(FlowClass& flow_class, double now_s) const {
  flow_class.clock += flow_class.rate * (now_s - flow_class.updated);
  flow_class.updated = now_s;
}

void FlowNetwork::add_ending(FlowClass& flow_class, Ending ending) {
  if (flow_class.first.at_clock == kNever) {
    flow_class.first = ending;
    return;
  }
  if (flow_class.first > ending) std::swap(flow_class.first, ending);
  if (flow_class.others == kNone) flow_class.others = base::take_slot(endings_, free_endings_);
  std::vector<Ending>& others = endings_[flow_class.others];
  others.push_back(ending);
  std::push_heap(others.begin(), others.end(), std::greater<>());
}

void FlowNetwork::drop_first_ending(FlowClass& flow_class) {
  if (flow_class.others == kNone) {
    flow_class.first = kNoEnding;
    return;
  }
  std::vector<Ending>& others = endings_[flow_class.others];
  flow_class.first = others.front();
  std::pop_heap(others.begin(), others.end(), std::greater<>());
  others.pop_back();
  if (others.empty()) free_endings_.push_back(std::exchange(flow_class.others, kNone));
}

// Its end is known if no other flow begins before.
void FlowNetwork::begin_sharing(std::uint32_t index, double work, std::uint64_t order, Token token, double now_s) {
  const double rate = classes_[index].lone_rate;
  if (lone_.ends == kNever && sharing_ == 0 && rate > 0 && touched_.empty() && !watcher_) {
    lone_ = {now_s + work / rate, now_s, work, order, index, token, false};
    return;
  }
  if (lone_.ends != kNever) share_lone();
  share(index, work, order, token, now_s);
}

// Gives the solver the lone flow, as if it had had it from its beginning.
void FlowNetwork::share_lone() {
  const Lone lone = std::exchange(lone_, {});
  share(lone.flow_class, lone.work, lone.order, lone.token, lone.began);
  if (!lone.settled) return;
  const double now = std::exchange(now_, lone.began);
  settle();
  now_ = now;
}

void FlowNetwork::end_lone(std::vector<Token>& arrived) {
  const Lone lone = std::exchange(lone_, {});
  arrived.push_back(lone.token);
  --in_flight_;
  if (--classes_[lone.flow_class].users == 0) release(lone.flow_class);
}

void FlowNetwork::share(std::uint32_t index, double work, std::uint64_t order, Token token, double now_s) {
  FlowClass& flow_class = classes_[index];
  ++sharing_;
  if (flow_class.first.at_clock == kNever) {
    flow_class.clock = 0; // restarting keeps the clock's rounding that of one flow
    flow_class.updated = now_s;
  } else {
    bring_up(flow_class, now_s);
  }
  add_ending(flow_class, Ending{flow_class.clock + work, order, token});
  shares_.change_flows(flow_class.group, 1);
  touch(index);
}

void FlowNetwork::end_flows(std::uint32_t index, double now_s, double tolerance, std::vector<Token>& arrived) {
  FlowClass& flow_class = classes_[index];
  bring_up(flow_class, now_s);
  // The head is due by the queue of classes, whatever rounding says; others only when their clock
  // reading is reached.
  const double reading = std::max(flow_class.first.at_clock, flow_class.clock + flow_class.rate * tolerance);
  int ended = 0;
  while (flow_class.first.at_clock != kNever && flow_class.first.at_clock <= reading) {
    arrived.push_back(flow_class.first.token);
    drop_first_ending(flow_class);
    ++ended;
  }
  flow_class.users -= static_cast<std::uint32_t>(ended);
  in_flight_ -= static_cast<std::uint64_t>(ended);
  sharing_ -= static_cast<std::uint64_t>(ended);
  shares_.change_flows(flow_class.group, -ended);
  touch(index);
}

void FlowNetwork::schedule(std::uint32_t index) {
  const FlowClass& flow_class = classes_[index];
  if (flow_class.first.at_clock == kNever || !(flow_class.rate > 0)) {
    finishing_.erase(index);
    return;
  }
  const double left = std::max(0.0, flow_class.first.at_clock - flow_class.clock);
  finishing_.set(index, flow_class.updated + left / flow_class.rate);
}

// Rates are others from now on.
void FlowNetwork::tell_loads() {
  for (platform::LinkId link = 0; link < loads_.size() && link < platform_.links.size(); ++link) {
    const double bytes = loads_[link] * (now_ - loaded_since_);
    if (bytes > 0) watcher_({link, loaded_since_, now_, bytes});
  }
  loads_ = shares_.loads();
  loaded_since_ = now_;
}

// Makes one change of everything that began or ended since the last call.
void FlowNetwork::settle_touched() {
  changed_.clear();
  shares_.solve(changed_);
  if (watcher_) tell_loads();
  if (touched_.size() == 1 && changed_.size() <= 1 && (changed_.empty() || shares_.owner(changed_[0]) == touched_[0]))
    return settle_only(touched_[0]);
  const auto take_rate = [this](MaxMin::Group group) {
    const std::uint32_t index = shares_.owner(group);
    FlowClass& flow_class = classes_[index];
    bring_up(flow_class, now_);
    flow_class.rate = shares_.rate(group);
    if (!flow_class.touched) schedule(index);
  };
  base::for_each_fetched(
      changed_, take_rate, [this](MaxMin::Group group) { shares_.fetch_state(group); },
      [this](MaxMin::Group group) { fetch_clock(shares_.owner(group)); });
  const auto schedule_touched = [this](std::uint32_t index) {
    FlowClass& flow_class = classes_[index];
    flow_class.touched = false;
    if (flow_class.first.at_clock == kNever) flow_class.rate = 0;
    schedule(index);
    if (flow_class.users == 0) release(index);
  };
  base::for_each_fetched(touched_, schedule_touched, [this](std::uint32_t index) { fetch_clock(index); });
  touched_.clear();
}

// The same where only one class has changed, and at most its own rate.
void FlowNetwork::settle_only(std::uint32_t index) {
  FlowClass& flow_class = classes_[index];
  touched_.clear();
  flow_class.touched = false;
  if (flow_class.first.at_clock == kNever) {
    flow_class.rate = 0;
  } else if (!changed_.empty()) {
    bring_up(flow_class, now_);
    flow_class.rate = shares_.rate(flow_class.group);
  }
  schedule(index);
  if (sharing_ == 1 && flow_class.first.at_clock != kNever) flow_class.lone_rate = flow_class.rate;
  if (flow_class.users == 0) release(index);
}

double FlowNetwork::next_event() {
  settle();
  return next_due();
}

double FlowNetwork::next_event_before(double until) {
  for (;;) {
    settle();
    const double begins = std::max(now_, pending_.top_time());
    const double due = begins + kInstant * begins;
    const double instant_end = std::max(due, begins * (1 + kInstant)); // as whoever plays the rest may sum it up
    double others = std::min({arriving_.top_time(), lone_.ends, until});
    if (!finishing_.empty()) others = std::min(others, finishing_.top_time());
    if (!(instant_end < others)) return next_due();
    now_ = begins;
    begin_due(due);
  }
}

void FlowNetwork::fetch_last_of(platform::HostId source) const { __builtin_prefetch(&last_of_[source]); }

void FlowNetwork::fetch_class_of(platform::HostId source) const {
  if (last_of_[source].key == UINT64_MAX) return;
  const FlowClass& flow_class = classes_[last_of_[source].flow_class];
  __builtin_prefetch(&flow_class, 1);
  __builtin_prefetch(&flow_class.clock, 1);
}

// Flows begin and end in no order that a cache could foresee, and each leads from line to line:
// class, group, links, their other groups. Each class that comes up fetches the next line of those
// before it.
// Returns: false when it has come up a moment ago.
bool FlowNetwork::foresee(FetchWindow& window, std::uint32_t index) {
  if (window.has(index)) return false;
  if (window.full()) {
    shares_.fetch_others(classes_[window.before(3)].group);
    shares_.fetch_links(classes_[window.before(2)].group);
    shares_.fetch(classes_[window.before(1)].group);
  }
  window.add(index);
  fetch_clock(index);
  return true;
}

void FlowNetwork::foresee_pending() {
  pending_.look_ahead([this](const Pending& pending) { foresee(beginning_, pending.flow_class); });
}

void FlowNetwork::look_ahead(std::vector<Token>& soon) {
  if (in_flight_ < base::kFetchMany) return;
  foresee_pending();
  finishing_.look_ahead([&](std::uint32_t index) {
    if (!foresee(ending_, index) || !ending_.full()) return;
    const Ending& first = classes_[ending_.before(1)].first;
    if (first.at_clock != kNever) soon.push_back(first.token);
  });
}

void FlowNetwork::end_alone(double due, std::vector<Token>& arrived) {
  arriving_.take(due, [&](const Arrival& arrival) {
    arrived.push_back(arrival.token);
    --in_flight_;
    if (--classes_[arrival.flow_class].users == 0) release(arrival.flow_class);
  });
}

void FlowNetwork::advance_due(double tolerance, std::vector<Token>& arrived) {
  const double due = now_ + tolerance;
  due_.clear();
  finishing_.take(due, due_);
  base::for_each_fetched(
      due_, [&](std::uint32_t index) { end_flows(index, now_, tolerance, arrived); },
      [this](std::uint32_t index) { fetch_clock(index); }, [this](std::uint32_t index) { shares_.fetch(classes_[index].group); },
      [this](std::uint32_t index) { shares_.fetch_links(classes_[index].group); });
  if (lone_.ends <= due) end_lone(arrived);
  end_alone(due, arrived);
  begin_due(due);
}

void FlowNetwork::begin_due(double due) {
  pending_.take(due, [this](const Pending& ready) {
    if (in_flight_ >= base::kFetchMany) foresee_pending();
    begin_sharing(ready.flow_class, ready.work, ready.order, ready.token, now_);
  });
}

} // namespace farcast::network
