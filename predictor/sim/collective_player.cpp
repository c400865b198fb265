#include "predictor/sim/collective_player.h"

#include "predictor/collective/power_aware.h"
#include "predictor/sim/causes.h"
#include "predictor/sim/node_layout_of.h"
#include "predictor/sim/sane.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace farcast::sim {

using collective::StepKind;
using trace::OperationKind;

CollectivePlayer::CollectivePlayer(const Setting& setting, Scheduler& scheduler, Requests& requests, Messages& messages,
                                   const MessageLayer& layer, SendOverhead& overhead, PowerSaving& saving, ProblemList& problems)
    : setting_(setting), selection_(selection_of(setting.options)), scheduler_(scheduler), requests_(requests),
      messages_(messages), layer_(layer), overhead_(overhead), saving_(saving), problems_(problems) {}

// Returns: which members share a host, for libraries and algorithms that look at it (one by name may
// be another library's); else null.
const collective::NodeLayout* CollectivePlayer::nodes_of(Communicators::Entry& entry, const trace::Communicator& communicator,
                                                         trace::CollectiveKind kind) const {
  const std::string_view named = selection_.named[static_cast<std::size_t>(kind)];
  if (selection_.library_or(collective::Library::openmpi) != collective::Library::mpich && named.empty()) return nullptr;
  if (!entry.nodes) entry.nodes = std::make_shared<const collective::NodeLayout>(node_layout_of(setting_, communicator));
  return entry.nodes.get();
}

// Returns: the slowest way between members that follow each other or that the first one reaches:
// largest latency, least bandwidth.
const collective::Wire& CollectivePlayer::wire_of(Communicators::Entry& entry, const trace::Communicator& communicator) const {
  if (entry.wire) return *entry.wire;
  const platform::Platform& platform = setting_.platform;
  collective::Wire wire{.p2p = &platform.p2p, .latency_s = 0, .bandwidth = std::numeric_limits<double>::max()};
  const auto host = [&](int member) {
    const bool known = member >= 0 && static_cast<std::size_t>(member) < setting_.placement.host_of.size();
    return known ? setting_.host_of(static_cast<std::uint32_t>(member)) : platform::HostId{0};
  };
  const auto add = [&](platform::HostId from, platform::HostId to) {
    const platform::Route route = platform.route(from, to);
    wire.latency_s = std::max(wire.latency_s, route.latency.value());
    for (const platform::LinkId link : route.links)
      wire.bandwidth = std::min(wire.bandwidth, platform.links[link].bandwidth.value());
  };
  const std::vector<int>& members = communicator.members;
  for (std::size_t i = 1; i < members.size(); ++i) {
    add(host(members[i - 1]), host(members[i]));
    if (i > 1) add(host(members[0]), host(members[i]));
  }
  if (platform.p2p.tcp_gamma > 0 && wire.latency_s > 0)
    wire.bandwidth = std::min(wire.bandwidth, platform.p2p.tcp_gamma / (2 * wire.latency_s));
  entry.wire = wire;
  return *entry.wire;
}

// Returns: this rank's part of the collective at hand; null when it takes no part.
std::unique_ptr<SchedulePlay> CollectivePlayer::plan(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  if (!operation.communicator || !operation.collective) {
    problems_.add_of(strand, {.kind = ProblemKind::bare_collective});
    return nullptr;
  }
  Communicators::Entry& entry = communicators_.of(operation.communicator);
  const trace::Communicator& communicator = *operation.communicator;
  const int rank = Communicators::rank_in(entry, strand.rank);
  if (rank < 0) {
    problems_.add_of(strand, {.kind = ProblemKind::not_a_member});
    return nullptr;
  }
  auto play = std::make_unique<SchedulePlay>();
  play->context = collective_context(communicator.id);
  play->tag = operation.call_number == trace::kNotCounted ? entry.calls[static_cast<std::size_t>(rank)]++ : operation.call_number;
  play->remote_from = static_cast<int>(communicator.members.size());
  play->communicator = operation.communicator;
  play->kind = operation.collective->kind;
  play->root = operation.collective->root;
  play->began = scheduler_.now();
  play->works = operation.collective->works;
  if (play->works) communicators_.add_work(entry, play->tag, sane(operation.measured.value()));
  if (communicators_.enter(entry, play->tag, play->kind) == Communicators::Agreement::disagrees) {
    problems_.add_of(strand, {.kind = ProblemKind::mismatch, .communicator = communicator.id, .count = play->tag});
  }
  const collective::Context context{.selection = &selection_,
                                    .nodes = nodes_of(entry, communicator, play->kind),
                                    .nonblocking = operation.kind == OperationKind::icollective};
  play->rank = rank;
  if (operation.collective->met)
    play->cost = collective::Cost{};
  else if (selection_.by_formula(play->kind) && communicator.remote.empty())
    play->cost = collective::closed_form(*operation.collective, rank, play->remote_from, context, wire_of(entry, communicator));
  if (play->cost) return play;
  as_messages_[static_cast<std::size_t>(play->kind)] = true;
  collective::build(*operation.collective, rank, play->remote_from, static_cast<int>(communicator.remote.size()), context,
                    play->steps);
  return play;
}

void CollectivePlayer::enter(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  std::unique_ptr<SchedulePlay> play = plan(strand);
  if (!play) return;
  if (strand.operation.kind != OperationKind::collective) return enter_beside(strand, std::move(play));
  strand.play = std::move(play);
  strand.stage = Stage::schedule;
  if (meet_in_closed_form(index, *strand.play, strand.operation.collective->root)) requests_.begin_wait(index);
}

void CollectivePlayer::enter_beside(const Strand& strand, std::unique_ptr<SchedulePlay> play) {
  const std::uint32_t request = requests_.take(Request::Kind::collective);
  requests_.name(strand.rank, strand.operation.request, request);
  const std::uint32_t beside = scheduler_.add_beside(strand.rank);
  Strand& progress = scheduler_[beside];
  progress.completes = request;
  if (setting_.causes != nullptr) setting_.causes->path.begins(beside);
  progress.play = std::move(play);
  if (!meet_in_closed_form(beside, *progress.play, strand.operation.collective->root))
    scheduler_.make_ready(strand.rank, beside);
  else if (progress.outstanding == 0)
    requests_.wake(beside);
}

// Makes the strand a member of the call if that has a formula. Returns: whether it has; the strand
// then waits, or goes on by itself.
bool CollectivePlayer::meet_in_closed_form(std::uint32_t index, const SchedulePlay& play, int root) {
  if (!play.cost) return false;
  const trace::Communicator& communicator = *play.communicator;
  const Meetings::Member member{
      .strand = index, .rank = play.rank, .size = static_cast<int>(communicator.members.size()), .is_root = root == play.rank};
  const std::uint64_t key = static_cast<std::uint64_t>(communicator.id) << 32 | play.tag;
  released_.clear();
  const std::optional<double> own = meetings_.join(key, member, *play.cost, scheduler_.now(), released_);
  for (const Meetings::Release& release : released_) {
    Strand& other = scheduler_[release.strand];
    other.outstanding = 0;
    other.busy_until = release.at;
    if (setting_.causes != nullptr) setting_.causes->path.woken_by_actor(release.strand);
    requests_.wake(release.strand);
  }
  Strand& strand = scheduler_[index];
  strand.outstanding = own ? 0 : 1;
  strand.busy_until = own.value_or(scheduler_.now());
  return true;
}

std::uint32_t CollectivePlayer::peer_of(const Strand& strand, int peer) {
  const SchedulePlay& play = *strand.play;
  const trace::Communicator& communicator = *play.communicator;
  const bool remote = peer >= play.remote_from;
  const std::vector<int>& group = remote ? communicator.remote : communicator.members;
  const int at = remote ? peer - play.remote_from : peer;
  if (at >= 0 && at < static_cast<int>(group.size())) {
    const int world = group[static_cast<std::size_t>(at)];
    if (world >= 0 && world < setting_.ranks) return static_cast<std::uint32_t>(world);
  }
  problems_.add({.kind = ProblemKind::no_such_member, .peer = peer, .communicator = communicator.id});
  return kNone;
}

void CollectivePlayer::play(std::uint32_t index) {
  SchedulePlay& play = *scheduler_[index].play;
  while (play.at < play.steps.size()) {
    if (!play_step(index, play.steps[play.at])) return;
  }
  if (play.open > 0) { // steps that no wait_all completes: the call ends when they do
    if (!requests_.finish_steps(index, StepKind::wait_all)) return;
  }
  if (play.works && !work(index)) return;
  finish(index);
}

// Returns: whether the next step may follow at once. Otherwise the strand's stage and clock say how
// it goes on.
bool CollectivePlayer::play_step(std::uint32_t index, const collective::Step& step) {
  SchedulePlay& play = *scheduler_[index].play;
  switch (step.kind) {
  case StepKind::send:
  case StepKind::isend:
    return send_step(index, step);
  case StepKind::receive:
  case StepKind::ireceive:
    ++play.at;
    return receive_step(index, step);
  case StepKind::wait_all:
  case StepKind::wait_earlier:
    ++play.at;
    return requests_.finish_steps(index, step.kind);
  case StepKind::wait_second:
    ++play.at;
    return requests_.finish_second_step(index);
  case StepKind::reduce:
    ++play.at;
    return local_step(index, setting_.platform.p2p.reduction, step.bytes);
  case StepKind::copy:
    ++play.at;
    return local_step(index, setting_.platform.p2p.copy, step.bytes);
  case StepKind::rest:
    ++play.at;
    return saving_.rest(index);
  case StepKind::work:
    ++play.at;
    return saving_.work(index);
  }
  return true;
}

// All have entered: each does its part of the call, which nobody waits for. Returns: whether that
// takes no time.
bool CollectivePlayer::work(std::uint32_t index) {
  SchedulePlay& play = *scheduler_[index].play;
  play.works = false;
  const double seconds = communicators_.take_work(communicators_.of(play.communicator), play.tag);
  return scheduler_.advance(index, seconds, CoreState::computing);
}

// The process works with its own memory. Returns: whether that takes no time.
bool CollectivePlayer::local_step(std::uint32_t index, const platform::Overhead& takes, double bytes) {
  if (takes.empty() || !(bytes > 0)) return true;
  return scheduler_.advance(index, scheduler_[index].pace * platform::overhead_at(takes, bytes).value(), CoreState::computing);
}

bool CollectivePlayer::send_step(std::uint32_t index, const collective::Step& step) {
  Strand& strand = scheduler_[index];
  strand.stage = Stage::post_step;
  const double bytes = sane(step.bytes);
  const double overhead = overhead_.begin(strand.rank, step.kind == StepKind::isend, layer_.detaches(bytes), bytes);
  if (!scheduler_.advance(index, overhead, CoreState::polling)) return false;
  post_step(index);
  return strand.outstanding == 0;
}

bool CollectivePlayer::receive_step(std::uint32_t index, const collective::Step& step) {
  Strand& strand = scheduler_[index];
  const SchedulePlay& play = *strand.play;
  const std::uint32_t peer = peer_of(strand, step.peer);
  if (peer == kNone) return true;
  const std::uint32_t request = messages_.post_receive(MatchKey{strand.rank, peer, play.context, play.tag});
  if (step.kind == StepKind::ireceive) {
    requests_.add_step(index, request);
    return true;
  }
  strand.busy_until = scheduler_.now();
  requests_.wait_for(index, request);
  requests_.begin_wait(index);
  return strand.outstanding == 0 && !(strand.clock > scheduler_.now());
}

void CollectivePlayer::post_step(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  SchedulePlay& play = *strand.play;
  const collective::Step& step = play.steps[play.at++];
  strand.stage = Stage::schedule;
  const std::uint32_t peer = peer_of(strand, step.peer);
  if (peer == kNone) return;
  const double bytes = sane(step.bytes);
  const bool detached = layer_.detaches(bytes);
  const MatchKey key{peer, strand.rank, play.context, play.tag};
  std::uint32_t request = messages_.post_send(key, bytes, detached);
  if (detached) request = messages_.handing_over(key);
  if (request == kNone) return;
  if (step.kind == StepKind::isend) return requests_.add_step(index, request);
  strand.busy_until = scheduler_.now();
  requests_.wait_for(index, request);
  requests_.begin_wait(index);
}

void CollectivePlayer::say(Prediction& prediction) const {
  if (setting_.options.network != NetworkModel::blocks) return;
  WithoutFormula without;
  for (std::size_t kind = 0; kind < as_messages_.size(); ++kind) {
    if (as_messages_[kind]) without.calls.emplace_back(collective::name_of(static_cast<trace::CollectiveKind>(kind)));
  }
  if (!without.calls.empty()) prediction.assumptions.emplace_back(std::move(without));
}

void CollectivePlayer::tell(const Strand& strand) const {
  const SchedulePlay& play = *strand.play;
  const trace::Communicator& communicator = *play.communicator;
  if (setting_.causes != nullptr && communicator.remote.empty())
    setting_.causes->waits.collective(
        communicator.id, play.tag, communicator.members.size(), play.kind, play.root,
        {play.rank, strand.rank, strand.operation.site, strand.operation.region, strand.main, play.began, scheduler_.now()});
  if (setting_.observer == nullptr) return;
  setting_.observer->collective({strand.rank, play.communicator->id, play.tag, play.kind, play.began, scheduler_.now()});
}

void CollectivePlayer::finish(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  tell(strand);
  strand.play.reset();
  if (strand.timeline != kNone) {
    strand.stage = Stage::leave;
    return;
  }
  const std::uint32_t request = strand.completes;
  strand.stage = Stage::ended;
  if (setting_.causes != nullptr) setting_.causes->path.begun(request);
  scheduler_.drop_beside(index);
  requests_.complete(request);
}

} // namespace farcast::sim
