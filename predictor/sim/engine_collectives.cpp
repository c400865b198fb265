// Collectives: the schedule of each member, played as messages that nothing else can match.
#include "predictor/sim/engine.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::sim {

using collective::StepKind;
using trace::OperationKind;

namespace {

double sane_bytes(double bytes) { return std::isfinite(bytes) && bytes > 0 ? bytes : 0; }

} // namespace

// Returns: which members share a host, for libraries that look at it; else null.
const collective::NodeLayout* Engine::nodes_of(Communicators::Entry& entry, const trace::Communicator& communicator) const {
  if (options_.collectives.library_or(collective::Library::openmpi) != collective::Library::mpich) return nullptr;
  if (!entry.nodes) {
    std::vector<std::uint32_t> hosts;
    hosts.reserve(communicator.members.size());
    for (const int member : communicator.members) {
      const auto world = static_cast<std::size_t>(member);
      hosts.push_back(member >= 0 && world < placement_.host_of.size() ? placement_.host_of[world] : 0);
    }
    entry.nodes = std::make_shared<const collective::NodeLayout>(hosts);
  }
  return entry.nodes.get();
}

// Returns: this rank's part of the collective at hand; null when it takes no part.
std::unique_ptr<SchedulePlay> Engine::plan(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  if (!operation.communicator || !operation.collective) {
    say_of(strand, {.kind = ProblemKind::bare_collective});
    return nullptr;
  }
  Communicators::Entry& entry = communicators_.of(operation.communicator);
  const trace::Communicator& communicator = *operation.communicator;
  const int rank = Communicators::rank_in(entry, strand.rank);
  if (rank < 0) {
    say_of(strand, {.kind = ProblemKind::not_a_member});
    return nullptr;
  }
  auto play = std::make_unique<SchedulePlay>();
  play->context = communicator.id << 1 | 1u;
  play->tag = operation.call_number == trace::kNotCounted ? entry.calls[static_cast<std::size_t>(rank)]++ : operation.call_number;
  play->remote_from = static_cast<int>(communicator.members.size());
  play->communicator = operation.communicator;
  if (communicators_.enter(entry, play->tag, operation.collective->kind) == Communicators::Agreement::disagrees) {
    say_of(strand, {.kind = ProblemKind::mismatch, .communicator = communicator.id, .count = play->tag});
  }
  const collective::Context context{.selection = &options_.collectives,
                                    .nodes = nodes_of(entry, communicator),
                                    .nonblocking = operation.kind == OperationKind::icollective};
  play->rank = rank;
  if (options_.collectives.by_formula(operation.collective->kind) && communicator.remote.empty())
    play->cost = collective::closed_form(*operation.collective, rank, play->remote_from, context, wire_of(entry, communicator));
  if (play->cost) return play;
  collective::build(*operation.collective, rank, play->remote_from, static_cast<int>(communicator.remote.size()), context,
                    play->steps);
  return play;
}

void Engine::enter_collective(std::uint32_t index) {
  Strand& strand = strands_[index];
  std::unique_ptr<SchedulePlay> play = plan(strand);
  if (!play) return;
  if (strand.operation.kind == OperationKind::collective) {
    strand.play = std::move(play);
    strand.stage = Stage::schedule;
    if (meet_in_closed_form(index, strand, *strand.play)) begin_wait(index);
    return;
  }
  const std::uint32_t request = requests_.take();
  requests_[request].kind = Request::Kind::collective;
  name_request(strand.rank, strand.operation.request, request);
  const std::uint32_t beside = base::take_slot(strands_, free_strands_);
  strands_[beside] = Strand{};
  Strand& progress = strands_[beside];
  progress.rank = strand.rank;
  progress.started = true;
  progress.completes = request;
  progress.stage = Stage::schedule;
  progress.play = std::move(play);
  if (!meet_in_closed_form(beside, strands_[index], *progress.play))
    make_ready(strands_[index].rank, beside);
  else if (progress.outstanding == 0)
    wake(beside);
}

std::uint32_t Engine::peer_of_step(const Strand& strand, int peer) {
  const SchedulePlay& play = *strand.play;
  const trace::Communicator& communicator = *play.communicator;
  const bool remote = peer >= play.remote_from;
  const std::vector<int>& group = remote ? communicator.remote : communicator.members;
  const int at = remote ? peer - play.remote_from : peer;
  if (at >= 0 && at < static_cast<int>(group.size())) {
    const int world = group[static_cast<std::size_t>(at)];
    if (world >= 0 && world < timelines_.ranks()) return static_cast<std::uint32_t>(world);
  }
  say({.kind = ProblemKind::no_such_member, .peer = peer, .communicator = communicator.id});
  return kNone;
}

// Plays steps until one of them takes time or has to wait.
void Engine::play(std::uint32_t index) {
  Strand& strand = strands_[index];
  SchedulePlay& play = *strand.play;
  while (play.at < play.steps.size()) {
    if (!play_step(index, play.steps[play.at])) return;
  }
  if (play.open > 0) { // steps that no wait_all completes: the call ends when they do
    if (!finish_steps(index, StepKind::wait_all)) return;
  }
  finish_schedule(index);
}

// Returns: what posting a step costs its process.
double Engine::posting_s(const collective::Step& step) const {
  const double bytes = sane_bytes(step.bytes);
  return step.kind == StepKind::send || step.kind == StepKind::isend
             ? send_call_s(step.kind == StepKind::isend, goes_at_once(bytes), bytes)
             : 0.0;
}

// Returns: whether the next step may follow at once. Otherwise the strand's stage and clock say how it goes on.
bool Engine::play_step(std::uint32_t index, const collective::Step& step) {
  Strand& strand = strands_[index];
  SchedulePlay& play = *strand.play;
  switch (step.kind) {
  case StepKind::send:
  case StepKind::isend: {
    strand.stage = Stage::post_step;
    if (!advance(index, time_of_call(strand.rank, posting_s(step)), CoreState::polling)) return false;
    post_step(index);
    return strand.outstanding == 0;
  }
  case StepKind::receive:
  case StepKind::ireceive: {
    ++play.at;
    const std::uint32_t peer = peer_of_step(strand, step.peer);
    if (peer == kNone) return true;
    const std::uint32_t request = post_receive(MatchKey{strand.rank, peer, play.context, play.tag});
    if (step.kind == StepKind::ireceive) {
      add_open_step(index, request);
      return true;
    }
    strand.busy_until = now_;
    wait_for(index, request);
    begin_wait(index);
    return strand.outstanding == 0 && !(strand.clock > now_);
  }
  case StepKind::wait_all:
  case StepKind::wait_earlier:
    ++play.at;
    return finish_steps(index, step.kind);
  case StepKind::wait_second:
    ++play.at;
    return finish_second_step(index);
  case StepKind::reduce: // take no time (engine.h: 5)
  case StepKind::copy:
    ++play.at;
    return true;
  }
  return true;
}

// The overhead of the send step at hand is paid.
void Engine::post_step(std::uint32_t index) {
  Strand& strand = strands_[index];
  SchedulePlay& play = *strand.play;
  const collective::Step& step = play.steps[play.at++];
  strand.stage = Stage::schedule;
  const std::uint32_t peer = peer_of_step(strand, step.peer);
  if (peer == kNone) return;
  const double bytes = sane_bytes(step.bytes);
  const bool detached = goes_at_once(bytes);
  const std::uint32_t request = post_send(MatchKey{peer, strand.rank, play.context, play.tag}, bytes, detached);
  if (detached) return;
  if (step.kind == StepKind::isend) return add_open_step(index, request);
  strand.busy_until = now_;
  wait_for(index, request);
  begin_wait(index);
}

void Engine::add_open_step(std::uint32_t index, std::uint32_t request) {
  SchedulePlay& play = *strands_[index].play;
  play.owed += play.second.owed;
  play.second = play.newest;
  if (requests_[request].done) {
    play.newest = {kNone, requests_[request].overhead};
    requests_.release(request);
    return;
  }
  play.newest = {request, 0};
  requests_[request].step = true;
  requests_[request].strand = index;
  ++play.open;
}

// Waits for the isend and ireceive steps under way (wait_earlier: but for the newest), then pays what their receives owe.
// Returns: whether all that has happened already.
bool Engine::finish_steps(std::uint32_t index, StepKind which) {
  Strand& strand = strands_[index];
  SchedulePlay& play = *strand.play;
  strand.busy_until = now_ + play.owed + std::exchange(play.second.owed, 0);
  play.owed = 0;
  if (which == StepKind::wait_all) strand.busy_until += std::exchange(play.newest.owed, 0);
  const std::uint32_t spared = which == StepKind::wait_earlier && play.newest.request != kNone ? 1 : 0;
  if (play.open == spared) return advance(index, strand.busy_until - now_, CoreState::polling);
  return wait_for_steps(index, which);
}

bool Engine::finish_second_step(std::uint32_t index) {
  Strand& strand = strands_[index];
  SchedulePlay& play = *strand.play;
  strand.busy_until = now_ + std::exchange(play.second.owed, 0);
  if (play.second.request == kNone) return advance(index, strand.busy_until - now_, CoreState::polling);
  return wait_for_steps(index, StepKind::wait_second);
}

bool Engine::wait_for_steps(std::uint32_t index, StepKind which) {
  Strand& strand = strands_[index];
  strand.play->waits = which;
  strand.stage = Stage::wait_steps;
  strand.outstanding = 1;
  begin_wait(index);
  return false;
}

// A step's request is complete. Returns: whether the strand, which waits for it, may go on.
bool Engine::deliver_step(std::uint32_t index, std::uint32_t request) {
  Strand& strand = strands_[index];
  SchedulePlay& play = *strand.play;
  --play.open;
  OpenStep* recent = play.newest.request == request ? &play.newest : play.second.request == request ? &play.second : nullptr;
  if (recent != nullptr) recent->request = kNone;
  const bool waiting = strand.stage == Stage::wait_steps && strand.outstanding > 0;
  const bool spared = play.waits == StepKind::wait_earlier ? recent == &play.newest
                                                           : play.waits == StepKind::wait_second && recent != &play.second;
  if (!waiting || spared) {
    (recent != nullptr ? recent->owed : play.owed) += requests_[request].overhead;
    requests_.release(request);
    return false;
  }
  consume(index, request);
  const std::uint32_t left = play.waits == StepKind::wait_earlier && play.newest.request != kNone ? 1 : 0;
  if (play.waits != StepKind::wait_second && play.open > left) return false;
  strand.outstanding = 0;
  return true;
}

void Engine::finish_schedule(std::uint32_t index) {
  Strand& strand = strands_[index];
  if (strand.timeline != kNone) {
    strand.play.reset();
    strand.stage = Stage::leave;
    return;
  }
  const std::uint32_t request = strand.completes;
  strand.play.reset();
  strand.stage = Stage::ended;
  free_strands_.push_back(index);
  complete(request);
}

} // namespace farcast::sim
