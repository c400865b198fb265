// A cluster in the terms of SimGrid's <cluster>, and what it adds to a platform: hosts, links and
// the zone that routes them.
//
// Host i is prefix + radicals[i] + suffix. Links carry SimGrid's names. Pure functions, any thread.
#pragma once

#include "predictor/platform/platform.h"
#include "predictor/platform/regular_zone.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace farcast::platform {

enum class HostLink : std::uint8_t {
  shared,       // one link for both directions
  split_duplex, // one link for each direction
  fatpipe,      // one link that flows do not share
};

struct LinkFigures {
  base::BytesPerSecond bandwidth;
  base::Seconds latency{0.0};
  Sharing sharing = Sharing::shared;
};

struct FlatShape {};
struct TorusShape {
  std::vector<std::uint32_t> sizes;
};
using ClusterShape = std::variant<FlatShape, FatTreeShape, TorusShape, DragonflyShape>;

struct Cluster {
  std::string id;
  std::string prefix;
  std::string suffix;
  std::vector<std::uint32_t> radicals; // [host] its number
  ClusterShape shape;
  base::FlopsPerSecond speed;     // of one core, in the first state
  int cores = 1;                  // of one host
  base::BytesPerSecond bandwidth; // of a host's link (flat), of a cable of the network (other shapes)
  base::Seconds latency{0.0};
  HostLink host_link = HostLink::split_duplex;
  std::optional<base::BytesPerSecond> limiter; // what passes a host, or a switch, in both directions together
  std::optional<LinkFigures> backbone; // flat: crossed by every message between hosts, and by local ones without a loopback
  std::optional<LinkFigures> loopback; // one per host
  std::optional<LinkPower> link_power; // of each cable in each direction, and of the backbone, but for fat pipes
  std::optional<double> relative_speed;
  std::optional<Disk> disk;                // each node's own
  int cores_per_cache = 0;                 // of each node
  std::optional<base::Hertz> failure_rate; // likewise
  std::optional<NodePower> power;          // of every host, in the first state
  std::shared_ptr<const Processor> processor;
};

// What SimGrid numbers through all clusters of a platform.
struct ClusterCounters {
  std::uint32_t fat_tree_leaves = 0;
  std::uint64_t fat_tree_cables = 0;
  std::uint64_t dragonfly_cables = 0;
};

// Returns: how many hosts the shape connects; nothing for a flat cluster, which takes any number.
std::optional<std::uint64_t> hosts_of(const ClusterShape& shape);
// Returns: how many links the cluster will have.
std::uint64_t links_of(const Cluster& cluster);

struct ClusterPlace {
  ZoneId zone;
  std::optional<Point> router; // of a flat cluster: a gateway to other zones
};
// Adds the cluster as a zone: vertex number `vertex` of `parent`, or the root. Requires: as many
// radicals as the shape has hosts.
ClusterPlace add_cluster(Platform& platform, const Cluster& cluster, ZoneId parent, std::uint32_t vertex,
                         ClusterCounters& counters);

// Returns: the platform of one cluster, with SimGrid's point-to-point parameters; name, description
// and source are left empty.
Platform build_platform(const Cluster& cluster);

} // namespace farcast::platform
