// Zones with a regular shape, whose ways follow from the numbers of the hosts: fat tree, torus,
// dragonfly.
//
// Each numbers its links itself: first_link + its own index, two in a row (up, down) for each cable
// when both directions are apart. The cluster (cluster.h) makes the links in that order. Loopbacks
// and limiters are numbered by vertex.
// Threads: immutable. Source: SimGrid 3.32's FatTreeZone, TorusZone and DragonflyZone, with their
// choice of parallel cables and of the routers on the way, so that both send the same messages over
// the same links.
#pragma once

#include "predictor/platform/topology.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace farcast::platform {

// What all shapes have in common.
struct RegularLinks {
  LinkId first_cable = 0;
  bool split_duplex = true;
  std::optional<LinkId> first_loopback; // [vertex]
  std::optional<LinkId> first_limiter;  // [vertex], then [switch]: crossed by all that passes there
  [[nodiscard]] LinkId up(std::uint64_t cable) const {
    return first_cable + static_cast<LinkId>(split_duplex ? 2 * cable : cable);
  }
  [[nodiscard]] LinkId down(std::uint64_t cable) const { return up(cable) + (split_duplex ? 1U : 0U); }
};

// topo_parameters "levels;children,...;parents,...;cables,...": per level, from the leaves up.
struct FatTreeShape {
  std::vector<std::uint32_t> children; // of a switch
  std::vector<std::uint32_t> parents;  // of a node below
  std::vector<std::uint32_t> cables;   // between a node and each of its parents
};

// Up by destination modulo the number of cables to the parents (d-mod-k), down by the only way
// there is.
class FatTreeZone final : public Zone {
public:
  // `position_offset`: the number of leaves of the fat trees before it in the platform; SimGrid
  // counts on.
  FatTreeZone(FatTreeShape shape, RegularLinks links, std::uint32_t position_offset);
  static std::uint64_t leaf_count(const FatTreeShape& shape);
  static std::uint64_t switch_count(const FatTreeShape& shape);
  static std::uint64_t cable_count(const FatTreeShape& shape);

  bool find_way(const Topology& topology, std::uint32_t from, std::uint32_t to, Way& way) const override;
  [[nodiscard]] bool loops_back(std::uint32_t /*vertex*/) const override { return links_.first_loopback.has_value(); }

private:
  static std::uint64_t nodes_at(const FatTreeShape& shape, std::size_t level);
  [[nodiscard]] std::uint32_t position_of(const std::vector<std::uint32_t>& label, std::size_t level) const;
  [[nodiscard]] std::uint64_t cable(const std::vector<std::uint32_t>& child_label, std::size_t level, std::uint32_t parent,
                                    std::uint32_t which) const;
  [[nodiscard]] std::vector<std::uint32_t> label_of(std::uint32_t leaf) const;
  void pass_limiter(const std::vector<std::uint32_t>& label, std::size_t level, Way& way) const;

  FatTreeShape shape_;
  RegularLinks links_;
  std::uint32_t position_offset_;
  std::vector<std::uint64_t> first_cable_of_level_;
  std::vector<std::uint64_t> first_node_of_level_;
};

// topo_parameters "x,y,...": one dimension after the other, the shorter way around as seen from the
// source.
class TorusZone final : public Zone {
public:
  TorusZone(std::vector<std::uint32_t> sizes, RegularLinks links) : sizes_(std::move(sizes)), links_(links) {}
  static std::uint64_t vertex_count(const std::vector<std::uint32_t>& sizes);

  bool find_way(const Topology& topology, std::uint32_t from, std::uint32_t to, Way& way) const override;
  [[nodiscard]] bool loops_back(std::uint32_t /*vertex*/) const override { return links_.first_loopback.has_value(); }

private:
  std::vector<std::uint32_t> sizes_;
  RegularLinks links_; // cable [vertex * dimensions + dimension] leads to the next vertex in that dimension
};

// topo_parameters "groups,blue;chassis,black;blades,green;nodes": cables of several links are one
// link of their sum.
struct DragonflyShape {
  std::uint32_t groups = 1;
  std::uint32_t blue = 1; // links between two groups
  std::uint32_t chassis = 1;
  std::uint32_t black = 1; // links between the same blades of two chassis of a group
  std::uint32_t blades = 1;
  std::uint32_t green = 1; // links between two blades of a chassis
  std::uint32_t nodes = 1; // of a blade, which has one router
};

// Minimal routes: at most green, black, blue, green, black. Group g's cable to group h stands at
// blade h of chassis 0; hence groups <= blades.
class DragonflyZone final : public Zone {
public:
  DragonflyZone(const DragonflyShape& shape, RegularLinks links) : shape_(shape), links_(links) {}
  static std::uint64_t vertex_count(const DragonflyShape& shape);
  static std::uint64_t router_count(const DragonflyShape& shape);
  enum class Cable : std::uint8_t { local, green, black, blue };
  // Returns: how many cables of each kind there are; they are numbered in that order.
  static std::uint64_t cable_count(const DragonflyShape& shape, Cable kind);

  bool find_way(const Topology& topology, std::uint32_t from, std::uint32_t to, Way& way) const override;
  [[nodiscard]] bool loops_back(std::uint32_t /*vertex*/) const override { return links_.first_loopback.has_value(); }

private:
  struct Place {
    std::uint32_t group, chassis, blade, node;
  };
  [[nodiscard]] Place place_of(std::uint32_t vertex) const;
  [[nodiscard]] std::uint32_t router(std::uint32_t group, std::uint32_t chassis, std::uint32_t blade) const {
    return (group * shape_.chassis + chassis) * shape_.blades + blade;
  }
  [[nodiscard]] LinkId local(std::uint32_t router, std::uint32_t node, bool up) const;
  [[nodiscard]] LinkId green(const Place& at, std::uint32_t to_blade) const;
  [[nodiscard]] LinkId black(const Place& at, std::uint32_t to_chassis) const;
  [[nodiscard]] LinkId blue(std::uint32_t from_group, std::uint32_t to_group) const;
  void pass_limiter(const Place& at, Way& way) const;

  DragonflyShape shape_;
  RegularLinks links_;
};

} // namespace farcast::platform
