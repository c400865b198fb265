#include "predictor/platform/cluster.h"

#include "predictor/platform/star_zone.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

namespace farcast::platform {

namespace {

template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

using DragonflyCable = DragonflyZone::Cable;

std::uint64_t cables_of(const ClusterShape& shape) {
  return std::visit(Overloaded{[](const FlatShape&) { return std::uint64_t{0}; },
                               [](const FatTreeShape& tree) { return FatTreeZone::cable_count(tree); },
                               [](const TorusShape& torus) { return TorusZone::vertex_count(torus.sizes) * torus.sizes.size(); },
                               [](const DragonflyShape& fly) {
                                 return DragonflyZone::cable_count(fly, DragonflyCable::local) +
                                        DragonflyZone::cable_count(fly, DragonflyCable::green) +
                                        DragonflyZone::cable_count(fly, DragonflyCable::black) +
                                        DragonflyZone::cable_count(fly, DragonflyCable::blue);
                               }},
                    shape);
}

std::uint64_t switches_of(const ClusterShape& shape) {
  return std::visit(Overloaded{[](const FatTreeShape& tree) { return FatTreeZone::switch_count(tree); },
                               [](const DragonflyShape& fly) { return DragonflyZone::router_count(fly); },
                               [](const auto&) { return std::uint64_t{0}; }},
                    shape);
}

class Builder {
public:
  Builder(Platform& platform, const Cluster& cluster, ClusterCounters& counters)
      : platform_(platform), cluster_(cluster), counters_(counters) {}

  ClusterPlace add(ZoneId parent, std::uint32_t vertex) {
    const ZoneId zone = platform_.topology.add_zone(cluster_.id, parent, vertex);
    add_hosts(zone);
    if (std::holds_alternative<FlatShape>(cluster_.shape)) {
      return add_flat(zone);
    }
    const RegularLinks links = add_regular_links();
    std::visit(Overloaded{[](const FlatShape&) {}, [&](const FatTreeShape& tree) { add_fat_tree(zone, tree, links); },
                          [&](const TorusShape& torus) { add_torus(zone, torus, links); },
                          [&](const DragonflyShape& fly) { add_dragonfly(zone, fly, links); }},
               cluster_.shape);
    return {zone, std::nullopt};
  }

private:
  void add_hosts(ZoneId zone) {
    platform_.hosts.reserve(platform_.hosts.size() + cluster_.radicals.size());
    platform_.links.reserve(platform_.links.size() + links_of(cluster_));
    std::uint32_t vertex = 0;
    for (const std::uint32_t number : cluster_.radicals) {
      Host host;
      host.name = fmt::format("{}{}{}", cluster_.prefix, number, cluster_.suffix);
      host.speed = cluster_.speed;
      host.cores = cluster_.cores;
      host.relative_speed = cluster_.relative_speed;
      host.power = cluster_.power;
      host.processor = cluster_.processor;
      host.disk = cluster_.disk;
      host.cores_per_cache = cluster_.cores_per_cache;
      host.failure_rate = cluster_.failure_rate;
      platform_.hosts.push_back(std::move(host));
      platform_.topology.add_host({zone, vertex++});
    }
  }

  LinkId add_link(std::string name, const LinkFigures& figures) {
    platform_.links.push_back({std::move(name), figures.bandwidth, figures.latency, figures.sharing});
    return static_cast<LinkId>(platform_.links.size() - 1);
  }

  // A link outside of the hosts.
  LinkId add_powered_link(std::string name, const LinkFigures& figures, std::uint32_t parallel = 1) {
    const LinkId link = add_link(std::move(name), figures);
    if (cluster_.link_power && figures.sharing == Sharing::shared) {
      const LinkPower& each = *cluster_.link_power;
      platform_.link_power.emplace(link, LinkPower{each.idle * parallel, each.busy * parallel});
    }
    return link;
  }

  [[nodiscard]] LinkFigures cable_figures(std::uint32_t parallel = 1) const {
    return {cluster_.bandwidth * static_cast<double>(parallel), cluster_.latency,
            cluster_.host_link == HostLink::fatpipe ? Sharing::fatpipe : Sharing::shared};
  }

  // Returns: the link up; the link down is the next one when both directions are apart.
  LinkId add_cable(const std::string& name, std::uint32_t parallel = 1) {
    if (cluster_.host_link != HostLink::split_duplex) {
      return add_powered_link(name, cable_figures(parallel), parallel);
    }
    const LinkId up = add_powered_link(name + "_UP", cable_figures(parallel), parallel);
    add_powered_link(name + "_DOWN", cable_figures(parallel), parallel);
    return up;
  }

  ClusterPlace add_flat(ZoneId zone) {
    auto rule = std::make_shared<StarZone>();
    std::vector<LinkId> middle;
    if (cluster_.backbone) {
      middle.push_back(add_powered_link(cluster_.id + "_backbone", *cluster_.backbone));
    }
    for (const std::uint32_t number : cluster_.radicals) {
      const std::string name = fmt::format("{}_link_{}", cluster_.id, number);
      std::vector<LinkId> up;
      std::vector<LinkId> loopback;
      if (cluster_.loopback) {
        loopback.push_back(add_link(name + "_loopback", *cluster_.loopback));
      }
      if (cluster_.limiter) {
        up.push_back(add_link(name + "_limiter", {*cluster_.limiter}));
      }
      up.push_back(add_cable(name));
      std::vector<LinkId> down = middle;
      down.push_back(up.back() + (cluster_.host_link == HostLink::split_duplex ? 1U : 0U));
      if (cluster_.limiter) {
        down.push_back(up.front());
      }
      for (const LinkId link : middle) {
        up.push_back(link);
      }
      rule->add_vertex(up, down, loopback);
    }
    const Point router{zone, rule->vertex_count()};
    rule->add_vertex({}, {});
    platform_.topology.set_rule(zone, std::move(rule));
    return {zone, router};
  }

  // Loopbacks and limiters first, then the cables follow.
  RegularLinks add_regular_links() {
    RegularLinks links;
    links.split_duplex = cluster_.host_link == HostLink::split_duplex;
    if (cluster_.loopback) {
      links.first_loopback = static_cast<LinkId>(platform_.links.size());
      for (const std::uint32_t number : cluster_.radicals) {
        add_link(fmt::format("{}_link_{}_loopback", cluster_.id, number), *cluster_.loopback);
      }
    }
    if (cluster_.limiter) {
      links.first_limiter = static_cast<LinkId>(platform_.links.size());
      const std::uint64_t hosts = cluster_.radicals.size();
      for (std::uint64_t i = 0; i < hosts + switches_of(cluster_.shape); ++i) {
        const std::uint64_t number = i < hosts ? i : 3 * hosts - 1 - i; // SimGrid counts switches down from twice the hosts
        add_link(fmt::format("{}_link_{}_limiter", cluster_.id, static_cast<std::int64_t>(number)), {*cluster_.limiter});
      }
    }
    links.first_cable = static_cast<LinkId>(platform_.links.size());
    return links;
  }

  void add_fat_tree(ZoneId zone, const FatTreeShape& tree, const RegularLinks& links) {
    // Names as SimGrid's: leaves are numbered from 0, switches down from twice the hosts.
    const std::uint64_t hosts = cluster_.radicals.size();
    std::uint64_t first_node = 0;
    const auto number = [hosts](std::uint64_t node) {
      return static_cast<std::int64_t>(node < hosts ? node : 3 * hosts - 1 - node);
    };
    std::uint64_t below = 1; // nodes of a level that differ in lower digits only
    for (std::size_t level = 0; level < tree.children.size(); ++level) {
      std::uint64_t nodes = 1;
      for (std::size_t i = 0; i < tree.children.size(); ++i) nodes *= i < level ? tree.parents[i] : tree.children[i];
      for (std::uint64_t node = 0; node < nodes; ++node) {
        const std::uint64_t low = node % below;
        const std::uint64_t high = node / below / tree.children[level];
        for (std::uint32_t parent = 0; parent < tree.parents[level]; ++parent) {
          const std::uint64_t above = first_node + nodes + (high * tree.parents[level] + parent) * below + low;
          for (std::uint32_t which = 0; which < tree.cables[level]; ++which) {
            add_cable(fmt::format("link_from_{}_{}_{}", number(first_node + node), number(above), counters_.fat_tree_cables++));
          }
        }
      }
      first_node += nodes;
      below *= tree.parents[level];
    }
    platform_.topology.set_rule(zone, std::make_shared<FatTreeZone>(tree, links, counters_.fat_tree_leaves));
    counters_.fat_tree_leaves += static_cast<std::uint32_t>(hosts);
  }

  void add_torus(ZoneId zone, const TorusShape& torus, const RegularLinks& links) {
    const std::uint64_t vertices = TorusZone::vertex_count(torus.sizes);
    for (std::uint64_t vertex = 0; vertex < vertices; ++vertex) {
      std::uint64_t stride = 1;
      for (const std::uint32_t size : torus.sizes) {
        const std::uint64_t here = vertex / stride % size;
        const std::uint64_t next = vertex - here * stride + (here + 1 == size ? 0 : here + 1) * stride;
        add_cable(fmt::format("{}_link_from_{}_to_{}", cluster_.id, vertex, next));
        stride *= size;
      }
    }
    platform_.topology.set_rule(zone, std::make_shared<TorusZone>(torus.sizes, links));
  }

  void add_dragonfly(ZoneId zone, const DragonflyShape& fly, const RegularLinks& links) {
    const auto number = [this] { return counters_.dragonfly_cables++; };
    for (std::uint64_t router = 0; router < DragonflyZone::router_count(fly); ++router) {
      for (std::uint32_t node = 0; node < fly.nodes; ++node) {
        add_cable(fmt::format("local_link_from_router_{}_to_node_{}_{}", router, node, number()));
      }
    }
    for (std::uint32_t chassis = 0; chassis < fly.groups * fly.chassis; ++chassis) {
      each_pair(fly.blades, [&](std::uint32_t a, std::uint32_t b) {
        add_cable(fmt::format("green_link_in_chassis_{}_between_routers_{}_and_{}_{}", chassis % fly.chassis, a, b, number()),
                  fly.green);
      });
    }
    for (std::uint32_t group = 0; group < fly.groups; ++group) {
      each_pair(fly.chassis, [&](std::uint32_t a, std::uint32_t b) {
        for (std::uint32_t blade = 0; blade < fly.blades; ++blade) {
          add_cable(fmt::format("black_link_in_group_{}_between_chassis_{}_and_{}_blade_{}_{}", group, a, b, blade, number()),
                    fly.black);
        }
      });
    }
    each_pair(fly.groups, [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t routers = fly.blades * fly.chassis;
      add_cable(
          fmt::format("blue_link_between_group_{}_and_{}_routers_{}_and_{}_{}", a, b, a * routers + b, b * routers + a, number()),
          fly.blue);
    });
    platform_.topology.set_rule(zone, std::make_shared<DragonflyZone>(fly, links));
  }

  template <class Use> static void each_pair(std::uint32_t count, Use use) {
    for (std::uint32_t a = 0; a < count; ++a) {
      for (std::uint32_t b = a + 1; b < count; ++b) use(a, b);
    }
  }

  Platform& platform_;
  const Cluster& cluster_;
  ClusterCounters& counters_;
};

} // namespace

std::optional<std::uint64_t> hosts_of(const ClusterShape& shape) {
  return std::visit(
      Overloaded{[](const FlatShape&) -> std::optional<std::uint64_t> { return std::nullopt; },
                 [](const FatTreeShape& tree) -> std::optional<std::uint64_t> { return FatTreeZone::leaf_count(tree); },
                 [](const TorusShape& torus) -> std::optional<std::uint64_t> { return TorusZone::vertex_count(torus.sizes); },
                 [](const DragonflyShape& fly) -> std::optional<std::uint64_t> { return DragonflyZone::vertex_count(fly); }},
      shape);
}

std::uint64_t links_of(const Cluster& cluster) {
  const bool flat = std::holds_alternative<FlatShape>(cluster.shape);
  const std::uint64_t hosts = cluster.radicals.size();
  const std::uint64_t cables = flat ? hosts : cables_of(cluster.shape);
  return cables * (cluster.host_link == HostLink::split_duplex ? 2 : 1) + (cluster.loopback ? hosts : 0) +
         (cluster.limiter ? hosts + switches_of(cluster.shape) : 0) + (flat && cluster.backbone ? 1 : 0);
}

ClusterPlace add_cluster(Platform& platform, const Cluster& cluster, ZoneId parent, std::uint32_t vertex,
                         ClusterCounters& counters) {
  return Builder(platform, cluster, counters).add(parent, vertex);
}

Platform build_platform(const Cluster& cluster) {
  Platform platform;
  platform.p2p = simgrid_defaults();
  ClusterCounters counters;
  add_cluster(platform, cluster, kNoZone, 0, counters);
  return platform;
}

} // namespace farcast::platform
