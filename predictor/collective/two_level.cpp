#include "predictor/collective/two_level.h"

#include "predictor/collective/levels.h"

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

} // namespace

bool consecutive_nodes(const Call& call) {
  return call.context && call.context->nodes && call.context->nodes->two_levels() && call.context->nodes->consecutive();
}

void two_level_barrier(const Call& call, Schedule& out) {
  constexpr double kRelease = 1;
  Levels levels(call, out);
  levels.on_node(Kind::barrier, 0);
  levels.among_leaders(Kind::barrier, 0);
  levels.on_node(Kind::bcast, kRelease);
}

void two_level_bcast(const Call& call, Schedule& out) {
  Levels levels(call, out);
  const bool at_root_node = levels.node() == levels.root_node();
  if (at_root_node && levels.root_local() != 0) {
    if (call.at.rank == call.root) send(out, levels.leader(), call.bytes);
    if (levels.leads()) receive(out, call.root, call.bytes);
  }
  levels.among_leaders(Kind::bcast, call.bytes, levels.root_node());
  levels.on_node(Kind::bcast, call.bytes);
}

void root_node_first_bcast(const Call& call, Schedule& out) {
  Levels levels(call, out);
  const bool at_root_node = levels.node() == levels.root_node();
  if (at_root_node) levels.on_node(Kind::bcast, call.bytes, levels.root_local());
  levels.among_leaders(Kind::bcast, call.bytes, levels.root_node());
  if (!at_root_node) levels.on_node(Kind::bcast, call.bytes);
}

void two_level_reduce(const Call& call, Schedule& out) {
  Levels levels(call, out);
  levels.on_node(Kind::reduce, call.bytes);
  levels.among_leaders(Kind::reduce, call.bytes);
  if (call.root == 0) return;
  if (call.at.rank == 0) send(out, call.root, call.bytes);
  if (call.at.rank == call.root) receive(out, 0, call.bytes);
}

void root_node_last_reduce(const Call& call, Schedule& out) {
  Levels levels(call, out);
  const bool at_root_node = levels.node() == levels.root_node();
  if (!at_root_node) levels.on_node(Kind::reduce, call.bytes);
  levels.among_leaders(Kind::reduce, call.bytes, levels.root_node());
  if (at_root_node) levels.on_node(Kind::reduce, call.bytes, levels.root_local());
}

void two_level_allreduce(const Call& call, Schedule& out) {
  Levels levels(call, out);
  levels.on_node(Kind::reduce, call.bytes);
  levels.among_leaders(Kind::allreduce, call.bytes);
  levels.on_node(Kind::bcast, call.bytes);
}

// The last member of a node knows the node's sum: it goes to the leader, leaders scan, and each
// leader sends what it has to the next one, which spreads it on its node.
void two_level_scan(const Call& call, Schedule& out) {
  Levels levels(call, out);
  const std::vector<int>& members = levels.members();
  levels.on_node(Kind::scan, call.bytes);
  if (members.size() > 1) {
    if (levels.leads()) receive(out, members.back(), call.bytes);
    if (call.at.rank == members.back()) send(out, levels.leader(), call.bytes);
  }
  levels.among_leaders(Kind::scan, call.bytes);
  if (levels.leads()) {
    const std::vector<int>& leaders = call.context->nodes->leaders();
    const auto node = static_cast<std::size_t>(levels.node());
    if (node + 1 < leaders.size()) send(out, leaders[node + 1], call.bytes);
    if (node > 0) receive(out, leaders[node - 1], call.bytes);
  }
  if (levels.node() == 0) return;
  levels.on_node(Kind::bcast, call.bytes);
  reduce(out, call.bytes);
}

} // namespace farcast::collective
