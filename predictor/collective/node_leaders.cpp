#include "predictor/collective/node_leaders.h"

#include "predictor/collective/levels.h"

#include <algorithm>

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

const Selection& mpich() {
  static const Selection selection{.library = Library::mpich};
  return selection;
}

bool brings_data(const Step& step) { return step.kind == StepKind::receive || step.kind == StepKind::wait_all; }

// The rank works again behind the first step from `begin` on that brings it something, else behind
// the last.
void work_once_reached(Schedule& out, std::size_t begin) {
  auto at = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), brings_data);
  if (at != out.end()) ++at;
  out.insert(at, {StepKind::work, -1, 0});
}

} // namespace

void node_leaders_bcast(const Call& call, Schedule& out) {
  Levels levels(call, out, &mpich());
  const bool handed_over = levels.node() == levels.root_node() && levels.root_local() != 0;
  if (handed_over && call.at.rank == call.root) send(out, levels.leader(), call.bytes);
  if (handed_over && levels.leads()) receive(out, call.root, call.bytes);
  rest(out);
  levels.among_leaders(Kind::bcast, call.bytes, levels.root_node());
  if (levels.leads()) work(out);
  const std::size_t begin = out.size();
  levels.on_node(Kind::bcast, call.bytes);
  if (!levels.leads()) work_once_reached(out, begin);
}

void node_leaders_reduce(const Call& call, Schedule& out) {
  Levels levels(call, out, &mpich());
  levels.on_node(Kind::reduce, call.bytes);
  rest(out);
  levels.among_leaders(Kind::reduce, call.bytes, levels.root_node());
  const auto told = [&](int member) { return member == call.root ? call.bytes : 0.0; };
  if (!levels.leads()) {
    receive(out, levels.leader(), told(call.at.rank));
    return work(out);
  }
  work(out);
  for (const int member : levels.members())
    if (member != call.at.rank) isend(out, member, told(member));
  wait_all(out);
}

} // namespace farcast::collective
