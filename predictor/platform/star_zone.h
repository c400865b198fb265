// A zone whose vertices each have links of their own to a centre without limits: a flat cluster,
// <zone routing="Cluster">.
//
// The way is the links up of the first vertex and the links down of the last one; a link in both is
// crossed once. A vertex that has a loopback reaches itself by it. Threads: immutable after
// building. Source: SimGrid 3.32's StarZone.
#pragma once

#include "predictor/platform/topology.h"

#include <cstdint>
#include <span>
#include <vector>

namespace farcast::platform {

class StarZone final : public Zone {
public:
  // Adds a vertex; its number is the count of those before.
  void add_vertex(std::span<const LinkId> up, std::span<const LinkId> down, std::span<const LinkId> loopback = {},
                  Point gateway = {});
  [[nodiscard]] std::uint32_t vertex_count() const { return static_cast<std::uint32_t>(vertices_.size()); }

  bool find_way(const Topology& topology, std::uint32_t from, std::uint32_t to, Way& way) const override;
  [[nodiscard]] bool loops_back(std::uint32_t vertex) const override { return vertices_[vertex].loopback > 0; }

private:
  struct Vertex { // ranges of links_: up, then down, then loopback
    std::uint32_t first;
    std::uint8_t up;
    std::uint8_t down;
    std::uint8_t loopback;
  };
  std::vector<Vertex> vertices_;
  std::vector<LinkId> links_;
  std::vector<Point> gateways_; // [vertex]; empty when no vertex is a zone
};

} // namespace farcast::platform
