// What the engine says at the end: who is blocked and in what, and the prediction.
#include "predictor/sim/engine.h"

#include "predictor/host/compute.h"

#include <algorithm>
#include <set>

namespace farcast::sim {

using trace::OperationKind;

namespace {

constexpr std::size_t kMostProblems = 20;

} // namespace

// Notes a problem, each one once; beyond kMostProblems they are only counted.
void Engine::say(Problem problem) {
  complete_ = false;
  if (problems_.size() >= kMostProblems) {
    ++more_problems_;
    return;
  }
  Problem known = problem;
  if (problem.kind == ProblemKind::blocked) known.site.reset(); // of a rank's threads in the same wait one is enough
  if (said_.insert(known).second) problems_.push_back(problem);
}

// Of the call that the strand is in.
void Engine::say_of(const Strand& strand, Problem problem) {
  problem.rank = static_cast<int>(strand.rank);
  problem.site = strand.operation.site;
  problem.function = strand.operation.function;
  say(problem);
}

Problem Engine::blocked(const Strand& strand) const {
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

// Nothing can happen any more: whoever has not ended waits for good.
void Engine::report_blocked() {
  const std::size_t timelines = static_cast<std::size_t>(timelines_.timelines());
  std::size_t threads = 0;
  std::set<std::uint32_t> blocked_ranks;
  for (std::size_t i = 0; i < timelines; ++i) {
    if (strands_[i].stage == Stage::ended) continue;
    ++threads;
    blocked_ranks.insert(strands_[i].rank);
  }
  if (threads > 0) {
    const bool under_way = network_.in_flight() > 0 || (channels_ && channels_->network->in_flight() > 0);
    Problem problem{.kind = under_way ? ProblemKind::no_bandwidth : ProblemKind::deadlock};
    problem.count = blocked_ranks.size();
    problem.threads = threads;
    problem.ranks = timelines_.ranks();
    problem.at_s = under_way ? 0.0 : now_;
    say(problem);
  }
  for (std::size_t i = 0; i < timelines; ++i) {
    const Strand& strand = strands_[i];
    if (strand.stage != Stage::ended) {
      say(blocked(strand));
    } else if (strand.main && !strand.finalized) {
      say({.kind = ProblemKind::unfinished, .rank = static_cast<int>(strand.rank), .at_s = strand.entered});
    }
  }
}

Prediction Engine::conclude() {
  Prediction prediction;
  double end = 0;
  bool all_finalized = true;
  const std::size_t ranks = static_cast<std::size_t>(timelines_.ranks());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    end = std::max(end, strands_[rank].entered);
    all_finalized = all_finalized && strands_[rank].finalized;
  }
  if (!all_finalized) end = std::max(end, last_event_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Strand& strand = strands_[rank];
    const bool ended = strand.stage == Stage::ended;
    account_.spend(strand.rank, ended ? Activity::ended : Activity::waiting, end - strand.entered);
  }
  prediction.time = base::Seconds(end);
  prediction.platform = platform_.name;
  prediction.placement = placement_.description;
  prediction.compute_speed = host::compute_speed(platform_, options_.relative_speed);
  if (channels_)
    prediction.transport = {MessageModel::channel,
                            options_.progress.value_or(platform_.transport.progress.value_or(ProgressRule::in_call)),
                            options_.seed};
  if (one_sided_) prediction.assumptions.emplace_back(OneSidedAlone{});
  if (files_as_measured_) prediction.assumptions.emplace_back(FilesAsMeasured{});
  for (const GivenPolls& polls : costly_polls(prediction.time)) prediction.assumptions.emplace_back(polls);
  if (self_assumed_) prediction.assumptions.emplace_back(SelfCopied{platform_.p2p.loopback_bandwidth});
  prediction.events = operations_ + messages_;
  account_.report(prediction);
  cores_.report(prediction);
  prediction.complete = complete_;
  if (more_problems_ > 0) problems_.push_back({.kind = ProblemKind::more, .count = more_problems_});
  prediction.problems = std::move(problems_);
  tell_progress();
  return prediction;
}

} // namespace farcast::sim
