#include "predictor/model/collective_power.h"

#include "predictor/model/figures.h"

#include <fmt/format.h>

namespace farcast::model {

base::Result<void> check(const CollectiveCluster& cluster) {
  const auto fine = Figures("cluster of a collective")
                        .at_least("nodes", cluster.nodes, 1)
                        .at_least("cores", cluster.cores, 1)
                        .within("sockets", cluster.sockets, 1, cluster.cores)
                        .positive("the bandwidth", cluster.bandwidth.value())
                        .at_least("C_net", cluster.contention, 1.0)
                        .result();
  if (fine && cluster.cores % cluster.sockets != 0)
    return base::fail(fmt::format("{} cores do not share {} sockets evenly", cluster.cores, cluster.sockets));
  return fine;
}

base::Result<void> check(const ThrottleCosts& costs) {
  return Figures("throttling")
      .at_least("O_dvfs", costs.dvfs.value(), 0.0)
      .at_least("O_throttle", costs.throttle.value(), 0.0)
      .at_least("C_throttle", costs.leader_slowdown, 1.0)
      .result();
}

base::Seconds alltoall_time(const CollectiveCluster& cluster, base::Bytes bytes) {
  const double messages = static_cast<double>(cluster.nodes - 1) * cluster.cores; // P - c
  return messages * cluster.contention * (bytes / cluster.bandwidth);
}

base::Seconds leaders_time(const CollectiveCluster& cluster, base::Bytes bytes) {
  const double nodes = cluster.nodes;
  return (nodes - 1.0) * (1.0 + 1.0 / nodes) * (bytes / cluster.bandwidth);
}

base::Seconds throttled_alltoall_time(const CollectiveCluster& cluster, const ThrottleCosts& costs, base::Bytes bytes,
                                      Steps steps) {
  const double nodes = steps == Steps::as_printed ? cluster.nodes : cluster.nodes - 1;
  return 0.75 * nodes * cluster.cores * cluster.contention * (bytes / cluster.bandwidth) + 2.0 * costs.dvfs +
         cluster.nodes * costs.throttle;
}

base::Seconds throttled_leaders_time(const CollectiveCluster& cluster, const ThrottleCosts& costs, base::Bytes bytes) {
  return leaders_time(cluster, bytes) * costs.leader_slowdown + 2.0 * costs.dvfs + 2.0 * costs.throttle;
}

double throttled_share(int state) { return state == 7 ? 0.12 : 1.0 - state / 8.0; }

double dynamic_share(PowerScheme scheme, const CollectiveCluster& cluster) {
  const double deepest = throttled_share(7), sockets = cluster.sockets, cores = cluster.cores;
  switch (scheme) {
  case PowerScheme::unthrottled:
    break;
  case PowerScheme::throttled_alltoall:
    return 0.5 * (1.0 + deepest);
  case PowerScheme::leader_sockets:
    return (throttled_share(4) + (sockets - 1.0) * deepest) / sockets;
  case PowerScheme::leader_cores:
    return (1.0 + (cores - 1.0) * deepest) / cores;
  }
  return 1.0;
}

base::Joules collective_energy(PowerScheme scheme, const CollectiveCluster& cluster, base::Watts core, base::Seconds time) {
  const double all_cores = static_cast<double>(cluster.nodes) * cluster.cores;
  return all_cores * dynamic_share(scheme, cluster) * (core * time);
}

} // namespace farcast::model
