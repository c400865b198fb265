// A collective as parts that each have one group: the members of one node, or the leaders of all nodes.
//
// A leader is the first member on its node. Requires: call.context->nodes. Threads: pure functions.
#pragma once

#include "predictor/collective/node_layout.h"
#include "predictor/collective/selector.h"

#include <vector>

namespace farcast::collective {

// The call's place among nodes, and the three kinds of group that its parts run in.
class Levels {
public:
  // `selection`: whose choice the parts take; null: that of the call.
  Levels(const Call& call, Schedule& out, const Selection* selection = nullptr)
      : call_(call), nodes_(*call.context->nodes), flat_(*call.context), node_(nodes_.node_of(call.at.rank)), out_(out) {
    flat_.nodes = nullptr;
    if (selection != nullptr) flat_.selection = selection;
  }

  [[nodiscard]] int node() const { return node_; }
  [[nodiscard]] int local() const { return nodes_.local_rank(call_.at.rank); }
  [[nodiscard]] bool leads() const { return local() == 0; }
  [[nodiscard]] const std::vector<int>& members() const { return nodes_.ranks_on(node_); }
  [[nodiscard]] int leader() const { return members().front(); }
  [[nodiscard]] int root_node() const { return nodes_.node_of(call_.root); }
  [[nodiscard]] int root_local() const { return nodes_.local_rank(call_.root); }

  void on_node(trace::CollectiveKind kind, double bytes, int root = 0) { among(members(), local(), kind, bytes, root); }
  void among_leaders(trace::CollectiveKind kind, double bytes, int root = 0) {
    if (leads()) among(nodes_.leaders(), node_, kind, bytes, root);
  }

private:
  void among(const std::vector<int>& ranks, int rank, trace::CollectiveKind kind, double bytes, int root) {
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

} // namespace farcast::collective
