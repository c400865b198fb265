// What the engine says at the end: who is blocked and in what, and the prediction.
#include "predictor/sim/engine.h"

#include "predictor/trace/function_info.h"

#include "predictor/base/format.h"
#include "predictor/host/compute.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace farcast::sim {

using trace::OperationKind;

namespace {

constexpr std::size_t kMostProblems = 20;

std::string instant(double seconds) { return base::format_instant(base::Seconds(seconds)); }

const char* describe(OperationKind kind) {
  switch (kind) {
  case OperationKind::send:
    return "a send to";
  case OperationKind::receive:
    return "a receive from";
  case OperationKind::send_receive:
    return "a send_receive with";
  case OperationKind::probe:
    return "a probe for";
  case OperationKind::wait:
    return "a wait";
  case OperationKind::collective:
    return "a collective";
  default:
    return "a call";
  }
}

std::string peer_name(int peer) {
  return peer == trace::kUnknownPeer ? std::string("a source that was never seen") : fmt::format("rank {}", peer);
}

} // namespace

// Notes a sentence for the user, each one once; beyond kMostProblems they are only counted.
void Engine::say(std::string problem, std::optional<std::uint32_t> site) {
  complete_ = false;
  if (problems_.size() >= kMostProblems) {
    ++more_problems_;
    return;
  }
  if (said_.insert(problem).second) problems_.push_back({std::move(problem), site});
}

std::string Engine::where(const Strand& strand) const {
  const trace::Operation& operation = strand.operation;
  const std::vector<trace::FunctionInfo>& functions = trace::function_infos();
  const std::string name = operation.function < functions.size() ? functions[operation.function].name : "an unknown function";
  return fmt::format("the call of rank {} to {} at site {}", strand.rank, name, operation.site);
}

std::string Engine::blocked_in(const Strand& strand) const {
  const trace::Operation& operation = strand.operation;
  std::string text = describe(operation.kind);
  switch (operation.kind) {
  case OperationKind::send:
  case OperationKind::receive:
  case OperationKind::probe:
    text += fmt::format(" {}, tag {}", peer_name(operation.peer), operation.tag);
    break;
  case OperationKind::send_receive:
    text += fmt::format(" {} and {}", peer_name(operation.peer), peer_name(operation.receive_peer));
    break;
  case OperationKind::wait:
    text += fmt::format(" for {} of its requests", strand.outstanding);
    break;
  case OperationKind::collective:
    if (operation.communicator) text += fmt::format(" of communicator {}", operation.communicator->id);
    break;
  default:
    break;
  }
  return text;
}

// Nothing can happen any more: whoever has not ended waits for good.
void Engine::report_blocked() {
  const std::size_t timelines = static_cast<std::size_t>(timelines_.timelines());
  std::size_t threads = 0;
  std::set<std::uint32_t> blocked; // ranks
  for (std::size_t i = 0; i < timelines; ++i) {
    if (strands_[i].stage == Stage::ended) continue;
    ++threads;
    blocked.insert(strands_[i].rank);
  }
  if (threads > 0) {
    const std::string ranks = fmt::format("{} of {} ranks", blocked.size(), timelines_.ranks());
    const std::string in_threads = threads > blocked.size() ? fmt::format(" in {} threads", threads) : "";
    const bool under_way = network_.in_flight() > 0 || (channels_ && channels_->network->in_flight() > 0);
    say(under_way
            ? fmt::format("{} wait{} for messages that cannot move: a link of the platform has no bandwidth", ranks, in_threads)
            : fmt::format("deadlock at {}: {} are blocked{} and nothing is in flight", instant(now_), ranks, in_threads));
  }
  for (std::size_t i = 0; i < timelines; ++i) {
    const Strand& strand = strands_[i];
    if (strand.stage != Stage::ended) {
      say(fmt::format("rank {} is blocked in {} since {}", strand.rank, blocked_in(strand), instant(strand.entered)),
          strand.operation.site);
    } else if (strand.main && !strand.finalized) {
      say(fmt::format("the timeline of rank {} ends at {} without MPI_Finalize", strand.rank, instant(strand.entered)));
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
  prediction.compute_speed = host::describe_compute_speed(platform_, options_.relative_speed);
  prediction.transport = "smpi";
  if (channels_) {
    const bool in_call =
        options_.progress.value_or(platform_.transport.progress.value_or(ProgressRule::in_call)) == ProgressRule::in_call;
    prediction.transport = in_call ? "ordered channels, progress inside calls" : "ordered channels, progress at any time";
    if (platform_.transport.shared_cores > 0)
      prediction.transport += fmt::format(", {} cores in common", platform_.transport.shared_cores);
    if (options_.seed > 0) prediction.transport += fmt::format(", history {}", options_.seed);
  }
  if (one_sided_)
    prediction.assumptions.emplace_back(
        "one-sided accesses (MPI_Put, MPI_Get ...) need no help of their target, and nobody waits for "
        "a lock that another rank holds");
  if (files_as_measured_)
    prediction.assumptions.emplace_back(
        "files: MPI-IO takes its measured time, for the platform has no disk (farcast:disk_read_bw, farcast:disk_write_bw)");
  for (std::string& sentence : costly_polls(prediction.time)) prediction.assumptions.push_back(std::move(sentence));
  if (self_assumed_)
    prediction.assumptions.push_back(fmt::format(
        "messages of a rank to itself are copied at {}/s: the platform has neither farcast:self_message nor a loopback",
        base::format_bytes(base::Bytes(platform_.p2p.loopback_bandwidth.value()))));
  prediction.events = operations_ + messages_;
  account_.report(prediction);
  cores_.report(prediction);
  prediction.complete = complete_;
  if (more_problems_ > 0) problems_.push_back({fmt::format("and {} more like these", more_problems_), std::nullopt});
  prediction.problems = std::move(problems_);
  tell_progress();
  return prediction;
}

} // namespace farcast::sim
