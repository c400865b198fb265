#include "predictor/platform/flat_cluster.h"

#include <fmt/format.h>
#include <utility>

namespace farcast::platform {

namespace {

LinkId add_link(Platform& platform, std::string name, const LinkFigures& figures) {
  platform.links.push_back({std::move(name), figures.bandwidth, figures.latency, figures.sharing});
  return static_cast<LinkId>(platform.links.size() - 1);
}

void add_host(Platform& platform, const FlatCluster& cluster, std::uint32_t number) {
  Host host;
  host.name = fmt::format("{}{}{}", cluster.prefix, number, cluster.suffix);
  host.speed = cluster.speed;
  host.cores = cluster.cores;
  host.relative_speed = cluster.relative_speed;
  host.power = cluster.power;
  platform.hosts.push_back(std::move(host));

  const std::string link = fmt::format("{}_link_{}", cluster.id, number);
  const LinkFigures figures{cluster.bandwidth, cluster.latency,
                            cluster.host_link == HostLink::fatpipe ? Sharing::fatpipe : Sharing::shared};
  if (cluster.host_link == HostLink::split_duplex) {
    platform.up.push_back(add_link(platform, link + "_UP", figures));
    platform.down.push_back(add_link(platform, link + "_DOWN", figures));
  } else {
    platform.up.push_back(add_link(platform, link, figures));
    platform.down.push_back(platform.up.back());
  }
  platform.loopback.push_back(cluster.loopback ? std::optional(add_link(platform, link + "_loopback", *cluster.loopback))
                                               : std::nullopt);
}

} // namespace

Platform build_platform(const FlatCluster& cluster) {
  Platform platform;
  platform.p2p = simgrid_defaults();
  platform.hosts.reserve(cluster.radicals.size());
  for (const std::uint32_t number : cluster.radicals) {
    add_host(platform, cluster, number);
  }
  if (cluster.backbone) {
    platform.backbone = add_link(platform, cluster.id + "_backbone", *cluster.backbone);
  }
  return platform;
}

} // namespace farcast::platform
