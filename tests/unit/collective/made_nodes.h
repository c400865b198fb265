// Nodes of so many ranks each: in blocks, or dealt out in turn.
#pragma once

#include "predictor/collective/node_layout.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace farcast::collective::test {

inline NodeLayout made_nodes(int size, int per_node, bool round_robin = false) {
  const int nodes = (size + per_node - 1) / per_node;
  std::vector<std::uint32_t> hosts;
  hosts.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank)
    hosts.push_back(static_cast<std::uint32_t>(round_robin ? rank % nodes : rank / per_node));
  return NodeLayout(hosts);
}

} // namespace farcast::collective::test
