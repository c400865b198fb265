// Which members of a communicator share a node, and which are on the second half of its sockets.
#pragma once

#include "predictor/collective/node_layout.h"
#include "predictor/sim/setting.h"

namespace farcast::sim {

// Members that the run does not have count as ranks on the first host. Where a platform does not say
// how many sockets a node has, the second half of each node's members is on the second half of them.
inline collective::NodeLayout node_layout_of(const Setting& setting, const trace::Communicator& communicator) {
  std::vector<std::uint32_t> hosts;
  std::vector<bool> second_half;
  bool sockets_known = true;
  for (const int member : communicator.members) {
    const bool known = member >= 0 && static_cast<std::size_t>(member) < setting.placement.host_of.size();
    const auto rank = static_cast<std::uint32_t>(known ? member : 0);
    hosts.push_back(known ? setting.host_of(rank) : 0);
    const platform::Host& host = setting.platform.hosts[hosts.back()];
    const int sockets = host.processor == nullptr ? 0 : host.processor->saving.sockets;
    sockets_known = sockets_known && sockets > 1;
    const int core = known ? setting.placement.core_of[rank] : 0;
    second_half.push_back(core * sockets / host.cores >= (sockets + 1) / 2);
  }
  if (!sockets_known) second_half.clear();
  return collective::NodeLayout(hosts, std::move(second_half));
}

} // namespace farcast::sim
