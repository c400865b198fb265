// Zones whose ways the platform file lists: <route> and <zoneRoute> under Full, Floyd or Dijkstra
// routing.
//
//   full      every pair of vertices that can be used has a route of its own
//   floyd     the least number of links over listed routes, all pairs prepared when the zone is sealed (vertices^3)
//   dijkstra  the same, searched when it is asked for
// Ties between ways of the same length are broken as SimGrid 3.32 breaks them. Where a way passes
// through a zone, what that zone contributes between the two gateways is put in between.
// Threads: immutable after seal(). Source: SimGrid 3.32's FullZone, FloydZone, DijkstraZone.
#pragma once

#include "predictor/platform/topology.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace farcast::platform {

enum class RoutingRule : std::uint8_t { full, floyd, dijkstra };

class RoutedZone final : public Zone {
public:
  static constexpr std::uint32_t kMostFloydVertices = 2048; // beyond it preparing all pairs takes minutes

  explicit RoutedZone(RoutingRule rule) : rule_(rule) {}

  struct Route {
    std::vector<LinkId> links;
    Point first_gateway; // when the vertices are zones
    Point last_gateway;
  };
  bool add_route(std::uint32_t from, std::uint32_t to, Route route); // Returns: false when there is one
  // To be called once, after the last route. `loopback`: the link by which a vertex without a route
  // to itself reaches itself.
  // Requires: for Floyd at most kMostFloydVertices.
  void seal(std::uint32_t vertices, std::optional<LinkId> loopback);

  bool find_way(const Topology& topology, std::uint32_t from, std::uint32_t to, Way& way) const override;
  [[nodiscard]] bool loops_back(std::uint32_t vertex) const override {
    return loopback_ || route_between(vertex, vertex) != nullptr;
  }
  [[nodiscard]] Reach reach() const override { return rule_ == RoutingRule::full ? Reach::listed : Reach::connected; }

private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static std::uint64_t key(std::uint32_t from, std::uint32_t to) { return static_cast<std::uint64_t>(from) << 32U | to; }
  [[nodiscard]] const Route* route_between(std::uint32_t from, std::uint32_t to) const;
  void prepare_all_pairs();
  // Returns: the vertices from `from` to `to`; empty when there is no way.
  [[nodiscard]] std::vector<std::uint32_t> shortest_path(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] std::vector<std::uint32_t> search(std::uint32_t from, std::uint32_t to) const;

  struct Edge {
    std::uint32_t to; // node
    std::uint32_t cost;
  };
  RoutingRule rule_;
  std::uint32_t vertices_ = 0;
  std::optional<LinkId> loopback_;
  std::vector<Route> routes_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_; // (from, to) -> routes_
  std::vector<std::uint32_t> before_;                      // Floyd: [from * vertices + to] the vertex before the last
  std::vector<std::uint32_t> vertex_of_;                   // Dijkstra: [node], in the order in which routes name them
  std::unordered_map<std::uint32_t, std::uint32_t> node_of_;
  std::vector<std::vector<Edge>> edges_;
};

} // namespace farcast::platform
