#include "predictor/sim/answers.h"

#include <algorithm>
#include <utility>

namespace farcast::sim {

using trace::Completes;
using trace::OperationKind;

Pattern pattern_of(const trace::Operation& operation, std::uint32_t destination, int source, int tag) {
  const std::uint32_t id = operation.communicator ? operation.communicator->id : kNoCommunicator;
  return {destination, user_context(id), source == trace::kAnyPeer ? Pattern::kAny : static_cast<std::uint32_t>(source),
          tag == trace::kAnyTag ? Pattern::kAny : static_cast<std::uint32_t>(tag)};
}

// A send that was over when it was posted has no name.
Answers::State Answers::state_of(std::uint32_t rank, std::uint32_t id) {
  if (id == 0) return State::inactive;
  const std::uint32_t request = requests_.find_named(rank, id);
  return request == kNone || requests_[request].done ? State::complete : State::pending;
}

bool Answers::begin_wait(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  bool active = false;
  for (const std::uint32_t id : strand.operation.requests) {
    const State state = state_of(strand.rank, id);
    if (state == State::complete) return true;
    active = active || state == State::pending;
  }
  if (!active) return true;
  for (const std::uint32_t id : strand.operation.requests) {
    if (id != 0) requests_.watch(index, requests_.find_named(strand.rank, id));
  }
  strand.outstanding = 1;
  return false;
}

void Answers::settle(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  strand.stage = Stage::leave;
  if (strand.operation.probes || strand.operation.kind == OperationKind::probe) return look_for_message(strand);
  if (!strand.operation.requests.empty() || strand.operation.kind == OperationKind::wait) look_at_requests(strand);
}

void Answers::look_for_message(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  trace::Answer answer;
  answer.found = operation.peer == trace::kProcNull;
  if (operation.peer >= 0 || operation.peer == trace::kAnyPeer) {
    const std::uint32_t send = messages_.waiting_message(pattern_of(operation, strand.rank, operation.peer, operation.tag));
    answer.found = send != kNone;
    if (answer.found) {
      answer.source = static_cast<int>(requests_[send].key.source);
      answer.tag = static_cast<int>(requests_[send].key.tag);
      if (operation.message != 0) messages_.take_out(send, operation.message);
    }
  }
  *settled_.emplace(strand.timeline).first = std::move(answer);
}

void Answers::look_at_requests(Strand& strand) {
  const trace::Operation& operation = strand.operation;
  trace::Answer answer;
  bool pending = false;
  bool active = false;
  for (std::uint32_t i = 0; i < operation.requests.size(); ++i) {
    const std::uint32_t id = operation.requests[i];
    const State state = state_of(strand.rank, id);
    pending = pending || state == State::pending;
    active = active || state != State::inactive;
    if (state == State::complete) answer.done.push_back(i);
    if (id != 0) requests_.unwatch(requests_.find_named(strand.rank, id));
  }
  answer.found = operation.completes == Completes::all ? !pending : !answer.done.empty() || !active;
  if (operation.completes == Completes::any && answer.done.size() > 1) answer.done.resize(1);
  if (!answer.found) answer.done.clear();
  strand.busy_until = scheduler_.now();
  if (!operation.keeps) {
    for (const std::uint32_t i : answer.done) requests_.take_done(strand.timeline, operation.requests[i]);
  }
  scheduler_.advance(strand.timeline, strand.busy_until - scheduler_.now(), CoreState::polling);
  *settled_.emplace(strand.timeline).first = std::move(answer);
}

bool Answers::only_messages(std::uint32_t rank, const trace::Operation& operation) {
  const auto is_message = [&](std::uint32_t id) {
    const std::uint32_t request = id == 0 ? kNone : requests_.find_named(rank, id);
    if (request == kNone) return true; // over
    const Request& one = requests_[request];
    if ((one.synchronous || one.arrived) && one.partner == kNone)
      return false; // it may be over at the instant at which its receive is posted
    return one.kind == Request::Kind::send || one.kind == Request::Kind::receive;
  };
  const std::vector<std::uint32_t>& ids = operation.requests;
  return !ids.empty() && std::all_of(ids.begin(), ids.end(), is_message);
}

bool Answers::in_vain(std::uint32_t rank, const trace::Operation& operation) {
  bool pending = false;
  bool complete = false;
  for (const std::uint32_t id : operation.requests) {
    const State state = state_of(rank, id);
    pending = pending || state == State::pending;
    complete = complete || state == State::complete;
  }
  return pending && (!complete || operation.completes == Completes::all);
}

void Answers::cancel(std::uint32_t index) {
  const Strand& strand = scheduler_[index];
  trace::Answer answer;
  answer.found = strand.operation.away;
  for (const std::uint32_t id : strand.operation.requests) {
    const std::uint32_t receive = requests_.find_named(strand.rank, id);
    if (receive == kNone) continue;
    const Request& request = requests_[receive];
    if (request.done || request.kind != Request::Kind::receive || request.partner != kNone) continue;
    messages_.withdraw(receive);
    requests_.release(requests_.take_named(strand.rank, id));
    answer.found = true;
  }
  *settled_.emplace(strand.timeline).first = std::move(answer);
}

void Answers::entered(std::uint32_t index) {
  const Strand& strand = scheduler_[index];
  if (!strand.operation.asked || strand.play == nullptr || !strand.operation.communicator) return;
  const Call call{strand.play->context, strand.play->tag};
  Gathering& gathering = gatherings_[call];
  gathering.waiting.push_back(index);
  gathers_[index] = call;
  const trace::Communicator& group = *strand.operation.communicator;
  if (++gathering.entered < group.members.size() + group.remote.size()) {
    if (gathering.apart) tell_apart(strand);
    return;
  }
  const std::vector<std::uint32_t> all = std::move(gathering.waiting);
  const auto together = gathering.apart ? trace::Answer::Together::apart : trace::Answer::Together::all;
  gatherings_.erase(call);
  for (const std::uint32_t member : all) {
    gathers_.erase(member);
    settled_.emplace(member).first->together = together;
    give(scheduler_[member]);
  }
}

void Answers::give(Strand& strand, const Quiet& quiet) {
  strand.operation.asked = false;
  if (const auto gathers = gathers_.find(strand.timeline); gathers != gathers_.end()) {
    Gathering& gathering = gatherings_[gathers->second];
    std::erase(gathering.waiting, strand.timeline);
    if (!std::exchange(gathering.apart, true)) {
      for (const std::uint32_t member : gathering.waiting) tell_apart(scheduler_[member]);
    }
    gathers_.erase(gathers);
    settled_.emplace(strand.timeline).first->together = trace::Answer::Together::ahead;
  }
  trace::Answer answer;
  if (trace::Answer* settled = settled_.find(strand.timeline); settled != nullptr) {
    answer = std::move(*settled);
    settled_.erase(strand.timeline);
  } else {
    answer.outside = strand.operation.away && strand.operation.kind == OperationKind::local;
  }
  answer.away = strand.operation.away;
  if (std::exchange(strand.answered_ahead, false)) return;
  tell(strand, answer, scheduler_.now(), quiet);
}

void Answers::tell_apart(const Strand& strand) {
  trace::Answer answer;
  answer.found = false;
  answer.together = trace::Answer::Together::apart;
  tell(strand, answer, scheduler_.now(), {});
}

void Answers::give_ahead(Strand& strand, double time, const Quiet& quiet) {
  strand.answered_ahead = true;
  trace::Answer answer;
  answer.found = false;
  Quiet grows = quiet;
  grows.grows = grows.messages = true;
  tell(strand, answer, time, grows);
}

void Answers::tell(const Strand& strand, trace::Answer& answer, double time, const Quiet& quiet) {
  answer.time = base::Seconds(time);
  answer.matches = messages_.take_matches(strand.rank);
  answer.quiet = base::Seconds(quiet.seconds);
  answer.poll = base::Seconds(quiet.poll);
  answer.grows = quiet.grows;
  answer.messages = quiet.messages;
  answer.pace = quiet.pace;
  answer.least_poll = base::Seconds(quiet.least_poll.value_or(-1));
  timelines_.answer(static_cast<int>(strand.timeline), answer);
}

} // namespace farcast::sim
