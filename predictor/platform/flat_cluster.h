// A flat cluster in the terms of SimGrid's <cluster>, and the platform that it stands for.
//
// FlatCluster -> Platform: host i is prefix + radicals[i] + suffix with a link of its own; links carry SimGrid's names.
// Pure function, any thread.
#pragma once

#include "predictor/platform/platform.h"

#include <cstdint>
#include <optional>
#include <string>
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

struct FlatCluster {
  std::string id;
  std::string prefix;
  std::string suffix;
  std::vector<std::uint32_t> radicals; // [host] its number
  base::FlopsPerSecond speed;          // of one core
  int cores = 1;                       // of one host
  base::BytesPerSecond bandwidth;      // of a host's link
  base::Seconds latency{0.0};
  HostLink host_link = HostLink::split_duplex;
  std::optional<LinkFigures> backbone; // crossed by every message between hosts, and by local ones without a loopback
  std::optional<LinkFigures> loopback; // one per host
  std::optional<double> relative_speed;
  std::optional<NodePower> power; // of every host
};

// Returns: the platform, with SimGrid's point-to-point parameters; name, description and source are left empty.
Platform build_platform(const FlatCluster& cluster);

} // namespace farcast::platform
