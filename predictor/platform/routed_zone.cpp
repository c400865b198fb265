#include "predictor/platform/routed_zone.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace farcast::platform {

bool RoutedZone::add_route(std::uint32_t from, std::uint32_t to, Route route) {
  const auto [place, made] = index_.emplace(key(from, to), static_cast<std::uint32_t>(routes_.size()));
  if (!made) {
    return false;
  }
  if (rule_ == RoutingRule::dijkstra) {
    const auto node = [this](std::uint32_t vertex) {
      const auto [entry, added] = node_of_.emplace(vertex, static_cast<std::uint32_t>(vertex_of_.size()));
      if (added) {
        vertex_of_.push_back(vertex);
        edges_.emplace_back();
      }
      return entry->second;
    };
    const std::uint32_t first = node(from);
    const std::uint32_t last = node(to);
    edges_[first].push_back({last, static_cast<std::uint32_t>(route.links.size())});
  }
  routes_.push_back(std::move(route));
  return true;
}

void RoutedZone::seal(std::uint32_t vertices, std::optional<LinkId> loopback) {
  vertices_ = vertices;
  loopback_ = loopback;
  if (rule_ == RoutingRule::floyd) {
    prepare_all_pairs();
  }
}

const RoutedZone::Route* RoutedZone::route_between(std::uint32_t from, std::uint32_t to) const {
  const auto found = index_.find(key(from, to));
  return found == index_.end() ? nullptr : &routes_[found->second];
}

void RoutedZone::prepare_all_pairs() {
  const std::size_t n = vertices_;
  constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> cost(n * n, kFar);
  before_.assign(n * n, kNone);
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t to = 0; to < n; ++to) {
      const Route* route = route_between(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
      if (route != nullptr || (from == to && loopback_)) {
        before_[from * n + to] = static_cast<std::uint32_t>(from);
        cost[from * n + to] = route != nullptr ? static_cast<std::uint32_t>(route->links.size()) : 1;
      }
    }
  }
  for (std::size_t by = 0; by < n; ++by) {
    for (std::size_t from = 0; from < n; ++from) {
      const std::uint32_t there = cost[from * n + by];
      if (there == kFar) {
        continue;
      }
      for (std::size_t to = 0; to < n; ++to) {
        const std::uint32_t rest = cost[by * n + to];
        if (rest != kFar && there + rest < cost[from * n + to]) {
          cost[from * n + to] = there + rest;
          before_[from * n + to] = before_[by * n + to];
        }
      }
    }
  }
}

std::vector<std::uint32_t> RoutedZone::shortest_path(std::uint32_t from, std::uint32_t to) const {
  if (rule_ == RoutingRule::dijkstra) {
    return search(from, to);
  }
  std::vector<std::uint32_t> path{to};
  for (std::uint32_t at = to; at != from || path.size() == 1;) {
    at = before_[static_cast<std::size_t>(from) * vertices_ + at];
    if (at == kNone || path.size() > vertices_) {
      return {};
    }
    path.push_back(at);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<std::uint32_t> RoutedZone::search(std::uint32_t from, std::uint32_t to) const {
  const auto first = node_of_.find(from);
  const auto last = node_of_.find(to);
  if (first == node_of_.end() || last == node_of_.end()) {
    return {};
  }
  constexpr std::uint64_t kFar = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> cost(edges_.size(), kFar);
  std::vector<std::uint32_t> before(edges_.size(), kNone);
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  cost[first->second] = 0;
  open.emplace(0, first->second);
  while (!open.empty()) {
    const auto [so_far, node] = open.top();
    open.pop();
    if (so_far > cost[node]) {
      continue;
    }
    for (const Edge& edge : edges_[node]) {
      if (so_far + edge.cost < cost[edge.to]) {
        cost[edge.to] = so_far + edge.cost;
        before[edge.to] = node;
        open.emplace(cost[edge.to], edge.to);
      }
    }
  }
  if (cost[last->second] == kFar) {
    return {};
  }
  std::vector<std::uint32_t> path{to};
  for (std::uint32_t node = last->second; node != first->second;) {
    node = before[node];
    path.push_back(vertex_of_[node]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

bool RoutedZone::find_way(const Topology& topology, std::uint32_t from, std::uint32_t to, Way& way) const {
  std::vector<std::uint32_t> path;
  if (from == to || rule_ == RoutingRule::full) {
    path = {from, to};
  } else {
    path = shortest_path(from, to);
  }
  if (path.empty()) {
    return false;
  }
  if (from == to && loopback_ && route_between(from, to) == nullptr) {
    way.links.push_back(*loopback_);
    return true;
  }
  Point arrived;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const Route* route = route_between(path[i], path[i + 1]);
    if (route == nullptr) {
      return false;
    }
    const bool through_zone = i > 0 && arrived.zone != kNoZone && arrived != route->first_gateway;
    if (through_zone && !topology.route(arrived, route->first_gateway, way.links)) {
      return false;
    }
    if (i == 0) {
      way.first_gateway = route->first_gateway;
    }
    way.links.insert(way.links.end(), route->links.begin(), route->links.end());
    arrived = route->last_gateway;
  }
  way.last_gateway = arrived;
  return true;
}

} // namespace farcast::platform
