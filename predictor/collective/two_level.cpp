#include "predictor/collective/two_level.h"

#include "predictor/collective/node_layout.h"

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

// The call's place among nodes, and the three kinds of group that its parts run in.
class Levels {
public:
  Levels(const Call& call, Schedule& out)
      : call_(call), nodes_(*call.context->nodes), flat_(*call.context), node_(nodes_.node_of(call.at.rank)), out_(out) {
    flat_.nodes = nullptr;
  }

  [[nodiscard]] int node() const { return node_; }
  [[nodiscard]] int local() const { return nodes_.local_rank(call_.at.rank); }
  [[nodiscard]] bool leads() const { return local() == 0; }
  [[nodiscard]] const std::vector<int>& members() const { return nodes_.ranks_on(node_); }
  [[nodiscard]] int leader() const { return members().front(); }
  [[nodiscard]] int root_node() const { return nodes_.node_of(call_.root); }
  [[nodiscard]] int root_local() const { return nodes_.local_rank(call_.root); }

  void on_node(Kind kind, double bytes, int root = 0) { among(members(), local(), kind, bytes, root); }
  void among_leaders(Kind kind, double bytes, int root = 0) {
    if (leads()) among(nodes_.leaders(), node_, kind, bytes, root);
  }

private:
  void among(const std::vector<int>& ranks, int rank, Kind kind, double bytes, int root) {
    if (ranks.size() == 1) return;
    Call part = call_.as(kind, bytes, root);
    part.at = Place{rank, static_cast<int>(ranks.size())};
    part.context = &flat_;
    const std::size_t before = out_.size();
    choose(part, out_);
    for (std::size_t i = before; i < out_.size(); ++i)
      if (int& peer = out_[i].peer; peer >= 0) peer = ranks[static_cast<std::size_t>(peer)];
  }

  const Call& call_;
  const NodeLayout& nodes_;
  Context flat_;
  int node_;
  Schedule& out_;
};

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
