#include "predictor/convert/plan.h"

#include "predictor/trace/function_info.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::convert {

using trace::Operation;
using trace::OperationKind;

bool RequestBook::oldest(std::uint32_t id) const {
  const Key* key = find(id);
  return key != nullptr && order_.at(*key).front() == id;
}

void RequestBook::finish(std::uint32_t id) {
  const auto found = keys_.find(id);
  if (found == keys_.end()) return;
  const auto queue = order_.find(found->second);
  queue->second.erase(std::find(queue->second.begin(), queue->second.end(), id));
  if (queue->second.empty()) order_.erase(queue);
  keys_.erase(found);
}

const std::string& function_name(const Operation& operation) {
  static const std::string unknown = "an unknown function";
  const std::vector<trace::FunctionInfo>& functions = trace::function_infos();
  return operation.function < functions.size() ? functions[operation.function].name : unknown;
}

namespace {

bool frees(const Operation& operation) {
  const std::vector<trace::FunctionInfo>& functions = trace::function_infos();
  return operation.function < functions.size() && functions[operation.function].kind == trace::FunctionClass::request_free;
}

// One rank's way through its requests.
class RankReader {
public:
  RankReader(int rank, RankPlan& plan, TagNumbers& tags, CommunicatorNumbers& communicators, Losses& beyond_plain)
      : rank_(rank), plan_(plan), tags_(tags), communicators_(communicators), beyond_plain_(beyond_plain) {}

  void read(const Operation& operation) {
    const trace::Communicator* communicator = operation.communicator.get();
    const int tag = tags_.user(communicator, communicator != nullptr && communicators_.world(*communicator), operation.tag);
    switch (operation.kind) {
    case OperationKind::isend:
      book_.start(operation.request, {rank_, operation.peer, tag});
      break;
    case OperationKind::ireceive:
      book_.start(operation.request, {operation.peer, rank_, tag});
      break;
    case OperationKind::icollective:
    case OperationKind::transfer:
      beyond_plain_.count(function_name(operation), rank_);
      break;
    case OperationKind::wait:
      for (const std::uint32_t id : operation.requests) finish(id);
      break;
    case OperationKind::forget:
      if (!frees(operation)) { // cancelled
        for (const std::uint32_t id : operation.requests) plan_.cancelled.insert(id);
      }
      for (const std::uint32_t id : operation.requests) book_.finish(id);
      break;
    case OperationKind::finalize:
      plan_.finalized = true;
      break;
    default:
      break;
    }
  }

private:
  void finish(std::uint32_t id) {
    if (book_.find(id) != nullptr && !book_.oldest(id)) plan_.numbered.insert(id);
    book_.finish(id);
  }

  int rank_;
  RankPlan& plan_;
  TagNumbers& tags_;
  CommunicatorNumbers& communicators_;
  Losses& beyond_plain_;
  RequestBook book_;
};

} // namespace

base::Result<Plan> make_plan(trace::Timelines& timelines) {
  if (timelines.timelines() > timelines.ranks())
    return base::fail(fmt::format("rank {} called MPI from several threads at once, which has no place in a format with one line "
                                  "of actions per rank",
                                  timelines.rank_of(timelines.ranks())));
  Plan plan;
  plan.ranks.resize(static_cast<std::size_t>(timelines.ranks()));
  TagNumbers tags;
  CommunicatorNumbers communicators(timelines.ranks());
  Losses beyond_plain;
  for (int rank = 0; rank < timelines.ranks(); ++rank) {
    RankPlan& own = plan.ranks[static_cast<std::size_t>(rank)];
    RankReader reader(rank, own, tags, communicators, beyond_plain);
    Operation operation;
    while (timelines.next(rank, operation)) reader.read(operation);
  }
  plan.beyond_plain = beyond_plain.sentences();
  return plan;
}

} // namespace farcast::convert
