#include "predictor/sim/messages.h"

#include "predictor/sim/causes.h"

#include <algorithm>
#include <utility>

namespace farcast::sim {

Messages::Messages(const Setting& setting, Scheduler& scheduler, Account& account, Requests& requests, bool asked)
    : setting_(setting), scheduler_(scheduler), account_(account), requests_(requests),
      wildcards_(requests.pool(), asked ? static_cast<std::size_t>(setting.ranks) : 0),
      matches_(static_cast<std::size_t>(setting.ranks)) {}

void Messages::carry_with(MessageLayer& layer, bool over_links) {
  layer_ = &layer;
  const platform::Platform& platform = setting_.platform;
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(setting_.ranks); ++rank) {
    const bool looped = over_links || platform.topology.loops_back(setting_.host_of(rank));
    copies_.push_back(!platform.p2p.self_message.empty() || !looped);
  }
}

void Messages::note_post(std::uint32_t index) {
  if (setting_.observer == nullptr) return;
  const Request& request = requests_[index];
  if (index >= message_of_.size()) message_of_.resize(index + 1);
  message_of_[index] = ++posted_;
  const bool one_sided = request.kind == Request::Kind::transfer;
  setting_.observer->posted({posted_, request.key.source, request.key.destination, request.bytes, in_collective(request.key),
                             one_sided, scheduler_.now()});
}

void Messages::note_match(std::uint32_t send, std::uint32_t receive) {
  if (setting_.observer == nullptr) return;
  if (receive >= message_of_.size()) message_of_.resize(receive + 1);
  message_of_[receive] = message_of_[send];
  setting_.observer->matched({message_of_[send], scheduler_.now()});
}

std::uint32_t Messages::post_send(const MatchKey& key, double bytes, bool detached, bool synchronous) {
  const std::uint32_t index = requests_.take(Request::Kind::send);
  Request& request = requests_[index];
  request.key = key;
  request.bytes = bytes;
  request.detached = request.forgotten = detached;
  request.synchronous = synchronous;
  if (!trace::is_generalized(static_cast<int>(key.tag))) account_.message(key.source, bytes);
  note_post(index);
  if (setting_.causes != nullptr) setting_.causes->path.begun(index);
  if (is_copy(key))
    offer(index);
  else
    layer_->post(index);
  return index;
}

void Messages::offer(std::uint32_t send) {
  const MatchKey key = requests_[send].key;
  const bool asked = wildcards_.on() && !in_collective(key);
  if (asked) {
    const std::uint32_t unknown = wildcards_.take_receive(key, matching_.first_receive(requests_.pool(), key));
    if (unknown != kNone) return meet_unknown(send, unknown, false);
  }
  const std::uint32_t receive = matching_.match_or_wait(requests_.pool(), key, send);
  if (receive != kNone) return meet(send, receive, false);
  if (asked) wildcards_.add_unexpected(send);
  wake_probes(key, send);
}

std::uint32_t Messages::post_receive(const MatchKey& key) {
  const std::uint32_t index = requests_.take(Request::Kind::receive);
  requests_[index].key = key;
  const std::uint32_t send = matching_.match_or_wait(requests_.pool(), key, index);
  if (wildcards_.on() && !in_collective(key)) {
    if (send != kNone)
      wildcards_.drop_unexpected(send);
    else
      wildcards_.note_posted(index);
  }
  if (send != kNone) meet(send, index, true);
  return index;
}

std::uint32_t Messages::post_receive(const Pattern& pattern, std::uint32_t id,
                                     std::shared_ptr<const trace::Communicator> communicator) {
  const std::uint32_t index = requests_.take(Request::Kind::receive);
  requests_[index].key = {pattern.destination, kNone, pattern.context, 0};
  *unknown_.emplace(index).first = {id, std::move(communicator)};
  const std::uint32_t send = wildcards_.first_unexpected(pattern);
  if (send == kNone) {
    wildcards_.post(index, pattern);
    return index;
  }
  wildcards_.drop_unexpected(send);
  matching_.withdraw(requests_.pool(), requests_[send].key, send);
  meet_unknown(send, index, true);
  return index;
}

void Messages::meet_unknown(std::uint32_t send, std::uint32_t receive, bool by_receive) {
  const MatchKey key = requests_[send].key;
  Unknown* const known = unknown_.find(receive);
  matches_[key.destination].push_back(
      {known->id, static_cast<int>(key.source), static_cast<int>(key.tag), std::move(known->communicator)});
  unknown_.erase(receive);
  meet(send, receive, by_receive);
}

void Messages::withdraw(std::uint32_t receive) {
  if (wildcards_.on() && wildcards_.withdraw(requests_[receive].key.destination, receive)) {
    unknown_.erase(receive);
    return;
  }
  matching_.withdraw(requests_.pool(), requests_[receive].key, receive);
}

void Messages::meet(std::uint32_t send_index, std::uint32_t receive_index, bool by_receive) {
  Request& send = requests_[send_index];
  Request& receive = requests_[receive_index];
  receive.key = send.key; // one that waited for whatever comes, or for what a probe took out
  send.partner = receive_index;
  receive.partner = send_index;
  send.ready = receive.ready = scheduler_.now();
  note_match(send_index, receive_index);
  const bool copy = is_copy(send.key);
  if (setting_.causes != nullptr)
    setting_.causes->path.met(send_index, receive_index, by_receive, copy || layer_->waits_for_receive(send_index));
  if (!copy) return layer_->meet(send_index, receive_index);
  receive.overhead = copy_s(send.key, send.bytes);
  scheduler_.note_event();
  note_arrival(send_index);
  finish(send_index, receive_index);
}

void Messages::finish(std::uint32_t send, std::uint32_t receive) {
  requests_.complete(receive);
  requests_.complete(send);
}

void Messages::post_transfer(const MatchKey& key, double bytes, double reply_bytes, std::uint32_t id, trace::Lock lock) {
  const std::uint32_t index = requests_.take(Request::Kind::transfer);
  Request& request = requests_[index];
  request.key = key;
  request.bytes = bytes;
  request.reply = reply_bytes;
  request.lock = lock;
  request.forgotten = id == 0;
  request.ready = scheduler_.now();
  one_sided_ = true;
  account_.message(key.source, bytes);
  if (reply_bytes >= 0) account_.message(key.destination, reply_bytes);
  note_post(index);
  if (setting_.causes != nullptr) setting_.causes->path.begun(index);
  if (id != 0) requests_.name(key.source, id, index);
  if (!is_copy(key)) return layer_->transfer(index);
  request.overhead = copy_s(key, bytes + std::max(0.0, reply_bytes));
  transfer_arrived(index);
}

void Messages::transfer_arrived(std::uint32_t index) {
  scheduler_.note_event();
  note_arrival(index);
  const Request& request = requests_[index];
  if (request.lock != trace::Lock::none) return lock_arrived(index);
  reply(index);
}

// It asks for a lock, or gives one up; or it is what comes back.
void Messages::lock_arrived(std::uint32_t index) {
  const Request& request = requests_[index];
  const Locks::Window window{request.key.context, request.key.tag};
  if (request.reply >= 0) {
    if (locks_.ask(window, request.key.destination, request.lock, index)) reply(index);
    return;
  }
  for (const std::uint32_t granted : locks_.release(window, request.key.destination, request.lock)) {
    requests_[granted].ready = scheduler_.now();
    if (setting_.causes != nullptr) setting_.causes->path.met(index, granted, false, false);
    reply(granted);
  }
  requests_.complete(index);
}

// A transfer has come to its target: what it asks for goes back.
void Messages::reply(std::uint32_t index) {
  Request& request = requests_[index];
  request.lock = trace::Lock::none;
  if (request.reply < 0 || is_copy(request.key)) return requests_.complete(index);
  request.bytes = std::exchange(request.reply, -1);
  std::swap(request.key.source, request.key.destination);
  note_post(index);
  layer_->transfer(index);
}

// Returns: what a message of a rank to itself takes.
double Messages::copy_s(const MatchKey& key, double bytes) {
  if (trace::is_generalized(static_cast<int>(key.tag))) return 0;
  const platform::PointToPoint& p2p = setting_.platform.p2p;
  self_assumed_ = self_assumed_ || p2p.self_message.empty();
  return platform::self_message_at(p2p, bytes).value();
}

void Messages::take_out(std::uint32_t send, std::uint32_t message) {
  const MatchKey key = requests_[send].key;
  matching_.withdraw(requests_.pool(), key, send);
  if (wildcards_.on()) wildcards_.drop_unexpected(send);
  const std::uint32_t receive = matching_.match_or_wait(requests_.pool(), taken_key(key.destination, message), send);
  if (receive != kNone) meet(send, receive, false); // another thread waits for it already
}

// Returns: whether the probe has taken it out.
bool Messages::takes_out(std::uint32_t strand, std::uint32_t send) {
  const trace::Operation& operation = scheduler_[strand].operation;
  if (operation.message == 0 || operation.asked) return false;
  take_out(send, operation.message);
  return true;
}

bool Messages::probe(std::uint32_t strand, const MatchKey& key) {
  if (const std::uint32_t send = matching_.first_send(requests_.pool(), key); send != kNone) {
    takes_out(strand, send);
    return true;
  }
  probing_.emplace(key).first->push_back(strand);
  return false;
}

bool Messages::probe(std::uint32_t strand, const Pattern& pattern) {
  if (wildcards_.first_unexpected(pattern) != kNone) return true;
  wildcards_.wait(strand, pattern);
  return false;
}

void Messages::wake_probe(std::uint32_t strand, std::uint32_t send) {
  scheduler_[strand].ready = scheduler_.now();
  scheduler_[strand].outstanding = 0;
  if (setting_.causes != nullptr) setting_.causes->path.woken(strand, send);
  requests_.wake(strand);
}

// A message is there that probes may wait for.
void Messages::wake_probes(const MatchKey& key, std::uint32_t send) {
  if (wildcards_.on() && !in_collective(key)) {
    for (const std::uint32_t strand : wildcards_.take_probes(key)) wake_probe(strand, send);
  }
  if (probing_.size() == 0) return;
  std::vector<std::uint32_t>* const waiting = probing_.find(key);
  if (waiting == nullptr) return;
  std::size_t woken = 0;
  for (bool taken = false; woken < waiting->size() && !taken; ++woken) {
    taken = takes_out((*waiting)[woken], send);
    wake_probe((*waiting)[woken], send);
  }
  waiting->erase(waiting->begin(), waiting->begin() + static_cast<std::ptrdiff_t>(woken));
  if (waiting->empty()) probing_.erase(key);
}

} // namespace farcast::sim
