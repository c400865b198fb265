// What the engine says at the end: who is blocked and in what, and the prediction.
#include "predictor/host/compute.h"
#include "predictor/sim/engine.h"

#include <algorithm>
#include <set>

namespace farcast::sim {

using trace::OperationKind;

namespace {

Problem blocked_in(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  Problem problem{.kind = ProblemKind::blocked, .rank = static_cast<int>(strand.rank), .site = operation.site};
  problem.operation = operation.kind;
  problem.at_s = strand.entered;
  switch (operation.kind) {
  case OperationKind::send:
  case OperationKind::receive:
  case OperationKind::probe:
    problem.peer = operation.peer;
    problem.tag = operation.tag;
    break;
  case OperationKind::send_receive:
    problem.peer = operation.peer;
    problem.receive_peer = operation.receive_peer;
    break;
  case OperationKind::wait:
    problem.count = strand.outstanding;
    break;
  case OperationKind::collective:
    if (operation.communicator) problem.communicator = operation.communicator->id;
    break;
  default:
    break;
  }
  return problem;
}

} // namespace

// Nothing can happen any more: whoever has not ended waits for good.
void Engine::report_blocked() {
  const auto timelines = static_cast<std::uint32_t>(timelines_.timelines());
  std::size_t threads = 0;
  std::set<std::uint32_t> blocked_ranks;
  for (std::uint32_t i = 0; i < timelines; ++i) {
    if (scheduler_[i].stage == Stage::ended) continue;
    ++threads;
    blocked_ranks.insert(scheduler_[i].rank);
  }
  if (threads > 0) {
    const bool under_way = network_.in_flight() > 0 || layer_->in_flight() > 0;
    Problem problem{.kind = under_way ? ProblemKind::no_bandwidth : ProblemKind::deadlock};
    problem.count = blocked_ranks.size();
    problem.threads = threads;
    problem.ranks = setting_.ranks;
    problem.at_s = under_way ? 0.0 : scheduler_.now();
    problems_.add(problem);
  }
  for (std::uint32_t i = 0; i < timelines; ++i) {
    const Strand& strand = scheduler_[i];
    if (strand.stage != Stage::ended)
      problems_.add(blocked_in(strand));
    else if (strand.main && !strand.finalized)
      problems_.add({.kind = ProblemKind::unfinished, .rank = static_cast<int>(strand.rank), .at_s = strand.entered});
  }
}

// Returns: when the last rank ended, or came to where it is blocked; what ranks do until then is
// accounted for.
double Engine::end_of_run() {
  double end = 0;
  bool all_finalized = true;
  const auto ranks = static_cast<std::uint32_t>(setting_.ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    end = std::max(end, scheduler_[rank].entered);
    all_finalized = all_finalized && scheduler_[rank].finalized;
  }
  if (!all_finalized) end = std::max(end, scheduler_.last_event());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const Strand& strand = scheduler_[rank];
    const Activity activity = strand.stage == Stage::ended ? Activity::ended : Activity::waiting;
    account_.spend(rank, activity, end - strand.entered);
    tell(strand, activity, strand.entered, end);
  }
  return end;
}

// Why it takes so long; only of a run that gets to its end.
std::optional<Bottlenecks> Engine::bottlenecks(base::Seconds time) const {
  if (!causes_ || !problems_.empty()) return std::nullopt;
  Bottlenecks out;
  out.path_on.resize(static_cast<std::size_t>(setting_.ranks));
  causes_->waits.report(out);
  for (std::uint32_t rank = 0; rank < out.path_on.size(); ++rank) {
    if (scheduler_[rank].entered < time.value()) continue;
    causes_->path.report(rank, out);
    break;
  }
  return out;
}

Prediction Engine::conclude() {
  Prediction prediction;
  prediction.time = base::Seconds(end_of_run());
  prediction.platform = setting_.platform.name;
  prediction.placement = setting_.placement.description;
  prediction.compute_speed = host::Speeds(setting_.platform, setting_.options.asked_speed()).summary();
  prediction.transport = layer_->use();
  if (!prediction.compute_speed.first_host.empty())
    prediction.assumptions.emplace_back(FirstHostAsMeasured{prediction.compute_speed.first_host});
  if (prediction.compute_speed.clock_assumed) prediction.assumptions.emplace_back(ClockRulesAll{});
  prediction.transport.blocks = setting_.options.network == NetworkModel::blocks;
  prediction.transport.logp = prediction.transport.blocks && std::ranges::any_of(setting_.placement.host_of, [&](auto id) {
                                const auto& processor = setting_.platform.hosts[id].processor;
                                return processor != nullptr && processor->logp;
                              });
  collectives_.say(prediction);
  saving_.say(prediction);
  waits_.say(prediction);
  if (messages_.one_sided()) prediction.assumptions.emplace_back(OneSidedAlone{});
  if (files_.as_measured()) prediction.assumptions.emplace_back(FilesAsMeasured{});
  for (const GivenPolls& polls : polls_.costly(prediction.time)) prediction.assumptions.emplace_back(polls);
  if (messages_.self_assumed()) prediction.assumptions.emplace_back(SelfCopied{setting_.platform.p2p.loopback_bandwidth});
  prediction.events = operations_ + messages_.arrived();
  cores_.report(prediction);
  account_.report(prediction);
  if (link_meter_) {
    for (const energy::LinkEnergy& link : link_meter_->finish(prediction.time))
      prediction.links[link.link] = {setting_.platform.links[link.link].name, link.carried, link.idle, link.carrying};
  }
  prediction.bottlenecks = bottlenecks(prediction.time);
  prediction.complete = problems_.empty();
  prediction.problems = problems_.take();
  tell_progress();
  if (setting_.observer != nullptr) setting_.observer->concluded(prediction);
  return prediction;
}

} // namespace farcast::sim
