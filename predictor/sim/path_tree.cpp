#include "predictor/sim/path_tree.h"

#include <algorithm>

namespace farcast::sim {

namespace {

constexpr std::size_t kLeastLimit = 64; // sums of a node

void put_together(std::vector<PathTree::Sum>& sums) {
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < sums.size(); ++i) {
    if (sums[i].first == sums[last].first)
      sums[last].second += sums[i].second;
    else
      sums[++last] = sums[i];
  }
  if (!sums.empty()) sums.resize(last + 1);
}

} // namespace

// A parent that is held once is held by its child, whoever holds that.
void PathTree::melt_all() {
  for (Node node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].holders > 0) melt_parents(node);
  melt_at_ = std::max(kFewNodes, 2 * nodes());
}

PathTree::Node PathTree::begin(Node parent) {
  if (nodes() >= melt_at_) melt_all();
  const Node node = base::take_slot(nodes_, free_);
  Links& links = nodes_[node];
  links.parent = parent;
  links.holders = 1;
  links.sums.clear();
  links.limit = kLeastLimit;
  if (parent != kNoNode) hold(parent);
  return node;
}

void PathTree::drop(Node node) {
  while (node != kNoNode && --nodes_[node].holders == 0) {
    free_.push_back(node);
    node = nodes_[node].parent;
  }
}

void PathTree::append(Links& node, std::uint64_t key, double seconds) {
  if (!node.sums.empty() && node.sums.back().first == key) {
    node.sums.back().second += seconds;
    return;
  }
  node.sums.emplace_back(key, seconds);
  if (node.sums.size() <= node.limit) return;
  put_together(node.sums);
  node.limit = std::max(kLeastLimit, 2 * node.sums.size());
}

// Parents that nobody else holds become part of the tip.
void PathTree::melt_parents(Node tip) {
  for (;;) {
    Links& links = nodes_[tip];
    const Node parent = links.parent;
    if (parent == kNoNode || nodes_[parent].holders > 1) return;
    Links& above = nodes_[parent];
    if (above.sums.size() > links.sums.size()) {
      links.sums.swap(above.sums);
      std::swap(links.limit, above.limit);
    }
    for (const auto& [key, seconds] : above.sums) append(links, key, seconds);
    links.parent = above.parent; // which its child held
    above.holders = 0;
    free_.push_back(parent);
  }
}

void PathTree::add(Node& tip, std::uint64_t key, double seconds) {
  if (nodes_[tip].holders > 1) {
    const Node next = begin(tip);
    drop(tip);
    tip = next;
  }
  melt_parents(tip);
  append(nodes_[tip], key, seconds);
}

std::vector<PathTree::Sum> PathTree::sums(Node tip) const {
  std::vector<Sum> out;
  for (Node node = tip; node != kNoNode; node = nodes_[node].parent)
    out.insert(out.end(), nodes_[node].sums.begin(), nodes_[node].sums.end());
  put_together(out);
  return out;
}

} // namespace farcast::sim
