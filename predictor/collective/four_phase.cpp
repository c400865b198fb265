#include "predictor/collective/four_phase.h"

#include "predictor/collective/node_layout.h"

#include <algorithm>
#include <vector>

namespace farcast::collective {

namespace {

using Ranks = std::vector<int>;

class FourPhases {
public:
  FourPhases(const Call& call, Schedule& out)
      : call_(call), nodes_(*call.context->nodes), out_(out), rank_(call.at.rank), node_(nodes_.node_of(rank_)),
        half_(nodes_.second_half(rank_) ? 1 : 0) {}

  void append() {
    within_node();
    if (half_ == 1 && !half_of(node_, 0).empty()) rest(out_);
    among(0);
    hand_over(1);
    among(1);
    const int nodes = static_cast<int>(nodes_.leaders().size());
    const int places = nodes + nodes % 2; // with an odd number of nodes the last place is nobody's
    for (int round = 0; round < places - 1; ++round) {
      const int partner = partner_of(node_, round, places);
      if (partner < nodes) across(partner);
    }
  }

private:
  [[nodiscard]] Ranks half_of(int node, int half) const {
    Ranks out;
    for (const int rank : nodes_.ranks_on(node))
      if (nodes_.second_half(rank) == (half == 1)) out.push_back(rank);
    return out;
  }
  [[nodiscard]] double sent(int to) const { return call_.sent ? (*call_.sent)[static_cast<std::size_t>(to)] : call_.bytes; }
  [[nodiscard]] double received(int from) const {
    return call_.received ? (*call_.received)[static_cast<std::size_t>(from)] : call_.bytes;
  }

  // Pairwise exchange round a ring of processes, but for those of this node where they are had before.
  void round_ring(const Ranks& ring, bool own_node) {
    const int size = static_cast<int>(ring.size());
    const auto found = std::ranges::find(ring, rank_);
    if (found == ring.end()) return;
    const Place at{static_cast<int>(found - ring.begin()), size};
    for (int distance = 1; distance < size; ++distance) {
      const int to = ring[static_cast<std::size_t>(at.around(distance))];
      const int from = ring[static_cast<std::size_t>(at.around(-distance))];
      const bool receives = own_node || nodes_.node_of(from) != node_;
      if (receives) ireceive(out_, from, received(from));
      if (own_node || nodes_.node_of(to) != node_) send(out_, to, sent(to));
      if (receives) wait_all(out_);
    }
  }

  void within_node() { round_ring(nodes_.ranks_on(node_), true); }

  void among(int half) {
    if (half_ != half) return;
    Ranks ring;
    for (std::size_t node = 0; node < nodes_.leaders().size(); ++node) {
      const Ranks here = half_of(static_cast<int>(node), half);
      ring.insert(ring.end(), here.begin(), here.end());
    }
    round_ring(ring, false);
  }

  // From now on that half of this node communicates, once the other one is done.
  void hand_over(int half) {
    if (active_ == half) return;
    active_ = half;
    const Ranks done = half_of(node_, 1 - half), next = half_of(node_, half);
    if (done.empty() || next.empty()) return;
    const Ranks& own = half_ == half ? next : done;
    const bool first = own.front() == rank_;
    if (half_ != half) {
      for (std::size_t i = 1; first && i < done.size(); ++i) receive(out_, done[i], 0);
      send(out_, first ? next.front() : done.front(), 0);
      return rest(out_);
    }
    receive(out_, first ? done.front() : next.front(), 0);
    work(out_);
    for (std::size_t i = 1; first && i < next.size(); ++i) send(out_, next[i], 0);
  }

  // Phase 4 with one other node.
  void across(int partner) {
    const bool lower = node_ < partner;
    for (const int half_of_lower : {0, 1}) {
      const int own = lower ? half_of_lower : 1 - half_of_lower;
      hand_over(own);
      if (half_ == own) with(half_of(node_, own), half_of(partner, 1 - own), lower);
    }
  }

  // Each of `own` exchanges with each of `other`: the k-th of the lower node's with the (k + step)-th.
  void with(const Ranks& own, const Ranks& other, bool lower) {
    const int size = static_cast<int>(std::max(own.size(), other.size()));
    const int place = static_cast<int>(std::ranges::find(own, rank_) - own.begin());
    for (int step = 0; step < size; ++step) {
      const auto partner = static_cast<std::size_t>(Place{place, size}.around(lower ? step : -step));
      if (partner < other.size()) exchange(out_, other[partner], sent(other[partner]), other[partner], received(other[partner]));
    }
  }

  // Returns: whom a node meets in a round of the tournament (circle method): the last place stands, the
  // others turn.
  static int partner_of(int node, int round, int places) {
    const int turning = places - 1;
    if (node == turning) return round;
    const int partner = (2 * round - node + 2 * turning) % turning;
    return partner == node ? turning : partner;
  }

  const Call& call_;
  const NodeLayout& nodes_;
  Schedule& out_;
  int rank_;
  int node_;
  int half_;       // 1: B
  int active_ = 0; // which half of this node communicates
};

} // namespace

void four_phase(const Call& call, Schedule& out) { FourPhases(call, out).append(); }

} // namespace farcast::collective
