#include "predictor/sim/requests.h"

#include <algorithm>
#include <utility>

namespace farcast::sim {

using collective::StepKind;

void Requests::name(std::uint32_t rank, std::uint32_t id, std::uint32_t request) {
  const std::uint32_t old = named_.name(rank, id, request);
  if (old == kNone) return;
  // Started again without anyone having waited: the old one completes alone.
  if (pool_[old].done)
    release(old);
  else
    pool_[old].forgotten = true;
}

void Requests::watch(std::uint32_t index, std::uint32_t request) {
  pool_[request].strand = index;
  pool_[request].watched = true;
}

void Requests::unwatch(std::uint32_t request) {
  if (request == kNone || !pool_[request].watched) return;
  pool_[request].watched = false;
  pool_[request].strand = kNone;
}

void Requests::take_done(std::uint32_t index, std::uint32_t id) {
  if (const std::uint32_t request = take_named(scheduler_[index].rank, id); request != kNone) consume(index, request);
}

void Requests::complete(std::uint32_t index) {
  Request& request = pool_[index];
  request.done = true;
  if (request.forgotten)
    release(index);
  else if (request.strand != kNone)
    deliver(index);
}

void Requests::wait_for(std::uint32_t index, std::uint32_t request) {
  if (pool_[request].done) return consume(index, request);
  pool_[request].strand = index;
  ++scheduler_[index].outstanding;
}

void Requests::begin_wait(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const CoreState polls = strand.look_s > 0 && strand.outstanding > 0 ? CoreState::computing : CoreState::probing;
  const CoreState state = strand.operation.polled ? polls : CoreState::polling;
  if (strand.outstanding == 0 && strand.poll_given) polls_.book(strand);
  if (strand.outstanding == 0) {
    scheduler_.advance(index, strand.busy_until - scheduler_.now(), state);
    return;
  }
  scheduler_.set_core(strand, state);
  if (waits_.on() && strand.main && state == CoreState::polling) waits_.begin(strand.rank);
}

// Takes a completed request: its overhead comes after those already owed.
void Requests::consume(std::uint32_t index, std::uint32_t request_index) {
  Strand& strand = scheduler_[index];
  const Request& request = pool_[request_index];
  if (causes_ != nullptr && request.ready > strand.ready) causes_->waits.waits_for(index, request.kind);
  strand.ready = std::max(strand.ready, request.ready);
  if (request.overhead > 0) strand.busy_until = std::max(strand.busy_until, scheduler_.now()) + request.overhead * strand.pace;
  release(request_index);
}

// The same, of one that the strand waits for: unless it is busy, it goes on because of it.
void Requests::consume_awaited(std::uint32_t index, std::uint32_t request) {
  if (causes_ != nullptr && !(scheduler_[index].busy_until > scheduler_.now())) causes_->path.woken(index, request);
  consume(index, request);
}

// Tells the strand that waits for a request that it is complete.
void Requests::deliver(std::uint32_t request) {
  const std::uint32_t index = pool_[request].strand;
  if (pool_[request].watched) {
    Strand& strand = scheduler_[index];
    if (strand.outstanding == 0) return; // another one was first
    if (causes_ != nullptr) causes_->path.woken(index, request);
    strand.ready = std::max(strand.ready, pool_[request].ready);
    strand.outstanding = 0;
  } else if (pool_[request].step) {
    if (!deliver_step(index, request)) return;
  } else {
    consume_awaited(index, request);
    if (--scheduler_[index].outstanding > 0) return;
  }
  wake(index);
}

void Requests::wake(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  if (strand.poll_given) polls_.book(strand);
  if (strand.look_s > 0) strand.busy_until = std::max(strand.busy_until, polls_.next_look(strand));
  if (waits_.on() && strand.main) {
    const double asleep = waits_.end(strand.rank);
    if (asleep > 0) strand.busy_until = std::max(strand.busy_until, scheduler_.now()) + asleep;
  }
  scheduler_.wake(index);
}

void Requests::add_step(std::uint32_t index, std::uint32_t request) {
  SchedulePlay& play = *scheduler_[index].play;
  play.owed += play.second.owed;
  play.second = play.newest;
  if (pool_[request].done) {
    play.newest = {kNone, pool_[request].overhead};
    release(request);
    return;
  }
  play.newest = {request, 0};
  pool_[request].step = true;
  pool_[request].strand = index;
  ++play.open;
}

bool Requests::finish_steps(std::uint32_t index, StepKind which) {
  Strand& strand = scheduler_[index];
  SchedulePlay& play = *strand.play;
  strand.busy_until = scheduler_.now() + strand.pace * play.owed + strand.pace * std::exchange(play.second.owed, 0);
  play.owed = 0;
  if (which == StepKind::wait_all) strand.busy_until += strand.pace * std::exchange(play.newest.owed, 0);
  const std::uint32_t spared = which == StepKind::wait_earlier && play.newest.request != kNone ? 1 : 0;
  if (play.open == spared) return scheduler_.advance(index, strand.busy_until - scheduler_.now(), CoreState::polling);
  return wait_for_steps(index, which);
}

bool Requests::finish_second_step(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  SchedulePlay& play = *strand.play;
  strand.busy_until = scheduler_.now() + strand.pace * std::exchange(play.second.owed, 0);
  if (play.second.request == kNone) return scheduler_.advance(index, strand.busy_until - scheduler_.now(), CoreState::polling);
  return wait_for_steps(index, StepKind::wait_second);
}

bool Requests::wait_for_steps(std::uint32_t index, StepKind which) {
  Strand& strand = scheduler_[index];
  strand.play->waits = which;
  strand.stage = Stage::wait_steps;
  strand.outstanding = 1;
  begin_wait(index);
  return false;
}

// A step's request is complete. Returns: whether the strand, which waits for it, may go on.
bool Requests::deliver_step(std::uint32_t index, std::uint32_t request) {
  Strand& strand = scheduler_[index];
  SchedulePlay& play = *strand.play;
  --play.open;
  OpenStep* recent = play.newest.request == request ? &play.newest : play.second.request == request ? &play.second : nullptr;
  if (recent != nullptr) recent->request = kNone;
  const bool waiting = strand.stage == Stage::wait_steps && strand.outstanding > 0;
  const bool spared = play.waits == StepKind::wait_earlier ? recent == &play.newest
                                                           : play.waits == StepKind::wait_second && recent != &play.second;
  if (!waiting || spared) {
    (recent != nullptr ? recent->owed : play.owed) += pool_[request].overhead;
    release(request);
    return false;
  }
  consume_awaited(index, request);
  const std::uint32_t left = play.waits == StepKind::wait_earlier && play.newest.request != kNone ? 1 : 0;
  if (play.waits != StepKind::wait_second && play.open > left) return false;
  strand.outstanding = 0;
  return true;
}

} // namespace farcast::sim
