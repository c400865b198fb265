#include "predictor/platform/zone_reader.h"

#include "predictor/platform/cluster_reader.h"
#include "predictor/platform/platform_properties.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace farcast::platform {

namespace {

constexpr int kDeepest = 64; // nesting of zones; more is taken for a slip in the file
constexpr std::array<std::string_view, 2> kZoneAttributes = {"id", "routing"};

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_zone(std::string_view name) { return name == "zone" || name == "AS"; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

} // namespace

ZoneReader::ZoneReader(const XmlSource& source, Platform& platform, const LinkFigures& loopback)
    : source_(source), platform_(platform), loopback_(loopback) {}

base::Result<void> ZoneReader::read(const pugi::xml_node& root) {
  // Clusters have very many hosts and links: only names that somebody asks for are kept.
  struct Names : pugi::xml_tree_walker {
    explicit Names(std::unordered_set<std::string>& into) : wanted(into) {}
    bool for_each(pugi::xml_node& node) override {
      const std::string_view name = node.name();
      if (name == "link_ctn") wanted.insert(node.attribute("id").value());
      for (const char* attribute : {"src", "dst", "gw_src", "gw_dst"}) {
        if (node.attribute(attribute)) wanted.insert(node.attribute(attribute).value());
      }
      return true;
    }
    std::unordered_set<std::string>& wanted;
  } names(wanted_names_);
  pugi::xml_node walked = root;
  walked.traverse(names);
  if (std::string_view(root.name()) == "cluster") {
    return read_cluster_element(root, kNoZone, 0);
  }
  if (const Done done = read_zone(root, kNoZone, 0, 0); !done) {
    return done;
  }
  if (platform_.hosts.empty()) {
    return base::fail(fmt::format("{}: found a platform without hosts, expected a <cluster> or a <host>", source_.place(root)));
  }
  if (summary_.empty()) {
    int cores = 0;
    for (const Host& host : platform_.hosts) cores += host.cores;
    summary_ = fmt::format("{} hosts with {} cores in {} zones", platform_.hosts.size(), cores, platform_.topology.zone_count());
  }
  return {};
}

base::Result<void> ZoneReader::open_zone(const pugi::xml_node& element, OpenZone& zone, ZoneId parent, std::uint32_t vertex) {
  std::string name;
  if (const Done done = source_.check_attributes(element, kZoneAttributes); !done) {
    return done;
  }
  if (const Done done = source_.required(element, "id", name, parse_name); !done) {
    return done;
  }
  const std::string routing = lower(element.attribute("routing").value());
  if (routing == "full" || routing == "floyd" || is_any(routing, {"dijkstra", "dijkstracache"})) {
    zone.routing = routing == "full" ? Routing::full : routing == "floyd" ? Routing::floyd : Routing::dijkstra;
    zone.routed = std::make_shared<RoutedZone>(routing == "full"    ? RoutingRule::full
                                               : routing == "floyd" ? RoutingRule::floyd
                                                                    : RoutingRule::dijkstra);
  } else if (routing == "cluster") {
    zone.routing = Routing::star;
  } else if (routing == "none") {
    zone.routing = Routing::none;
  } else if (is_any(routing, {"vivaldi", "wifi"})) {
    return source_.unlike(element, "routing", "Full, Floyd, Dijkstra, DijkstraCache, Cluster or None: it is not supported");
  } else {
    return source_.unlike(element, "routing", "Full, Floyd, Dijkstra, DijkstraCache, Cluster or None");
  }
  zone.id = platform_.topology.add_zone(name, parent, vertex);
  return parent == kNoZone ? Done() : name_point(element, name, {parent, vertex});
}

base::Result<void> ZoneReader::read_zone(const pugi::xml_node& element, ZoneId parent, std::uint32_t vertex, int depth) {
  if (depth > kDeepest) {
    return base::fail(
        fmt::format("{}: found more than {} zones within each other, expected fewer", source_.place(element), kDeepest));
  }
  OpenZone zone;
  if (const Done done = open_zone(element, zone, parent, vertex); !done) {
    return done;
  }
  if (const Done done = read_zone_properties(element); !done) {
    return done;
  }
  for (const pugi::xml_node& child : element.children()) {
    if (const Done done = read_member(child, zone, depth); !done) {
      return done;
    }
  }
  if (zone.holds_zones && zone.holds_hosts) {
    return base::fail(
        fmt::format("{}: found <{}> with both hosts and zones, expected either", source_.place(element), element.name()));
  }
  for (const pugi::xml_node& child : element.children()) {
    if (const Done done = read_route_member(child, zone); !done) {
      return done;
    }
  }
  if (zone.routing == Routing::floyd && zone.vertices > RoutedZone::kMostFloydVertices) {
    return base::fail(
        fmt::format("{}: found {} hosts, routers or zones under Floyd routing, expected at most {}: Dijkstra takes more",
                    source_.place(element, "routing"), zone.vertices, RoutedZone::kMostFloydVertices));
  }
  return close_zone(zone);
}

base::Result<void> ZoneReader::close_zone(OpenZone& zone) {
  if (zone.routed) {
    if (!zone.holds_zones && !loopback_link_) {
      platform_.links.push_back({"__loopback__", loopback_.bandwidth, loopback_.latency, Sharing::fatpipe});
      loopback_link_ = static_cast<LinkId>(platform_.links.size() - 1);
    }
    zone.routed->seal(zone.vertices, zone.holds_zones ? std::nullopt : loopback_link_);
    platform_.topology.set_rule(zone.id, zone.routed);
  } else if (zone.routing == Routing::star) {
    auto star = std::make_shared<StarZone>();
    for (std::uint32_t vertex = 0; vertex < zone.vertices; ++vertex) {
      const auto ends = zone.ends.find(vertex);
      const auto loopback = zone.loopbacks.find(vertex);
      const std::vector<LinkId> local = loopback == zone.loopbacks.end() ? std::vector<LinkId>() : std::vector{loopback->second};
      if (ends == zone.ends.end()) {
        star->add_vertex({}, {}, local);
      } else {
        star->add_vertex(ends->second.up, ends->second.down, local);
      }
    }
    platform_.topology.set_rule(zone.id, std::move(star));
  }
  return {};
}

base::Result<void> ZoneReader::read_zone_properties(const pugi::xml_node& zone) {
  Properties properties;
  if (const Done done = source_.read_properties(zone, properties); !done) {
    return done;
  }
  const Properties taken = take_platform_properties(properties);
  about_platform_.insert(about_platform_.end(), taken.begin(), taken.end());
  for (const Property& property : properties) {
    platform_.warnings.push_back(fmt::format("{}: property {} of <{}> is not used", property.place, property.id, zone.name()));
  }
  return {};
}

base::Result<void> ZoneReader::read_member(const pugi::xml_node& element, OpenZone& zone, int depth) {
  const std::string_view name = element.name();
  if (is_zone(name) || name == "cluster") {
    if (zone.routing == Routing::star) {
      return source_.unlike(element,
                            "<host>, <router>, <link>, <host_link>, <backbone> or <cabinet> in a zone with Cluster routing");
    }
    zone.holds_zones = true;
    const std::uint32_t vertex = zone.vertices++;
    return is_zone(name) ? read_zone(element, zone.id, vertex, depth + 1) : read_cluster_element(element, zone.id, vertex);
  }
  if (name == "host" || name == "router") {
    zone.holds_hosts = true;
    return name == "host" ? read_host(element, zone) : read_router(element, zone);
  }
  if (name == "link") {
    return read_link(element);
  }
  if (is_any(name, {"backbone", "cabinet", "host_link"}) && zone.routing != Routing::star) {
    return source_.unlike(element, "it in a <zone> with Cluster routing");
  }
  if (name == "backbone") {
    return read_backbone(element, zone);
  }
  if (name == "cabinet") {
    zone.holds_hosts = true;
    return {}; // its hosts come behind the others, as in SimGrid
  }
  if (is_any(name, {"trace", "trace_connect"})) {
    platform_.warnings.push_back(
        fmt::format("{}: <{}>: changes of speed, bandwidth or availability are not modelled", source_.place(element), name));
    return {};
  }
  const bool routes = is_any(name, {"route", "zoneRoute", "ASroute", "bypassRoute", "bypassZoneRoute", "bypassASroute"});
  return routes || is_any(name, {"host_link", "prop"})
             ? Done()
             : source_.unlike(element, "a member of a zone, such as <host>, <link>, <route>, <cluster> or <zone>");
}

base::Result<void> ZoneReader::read_route_member(const pugi::xml_node& element, OpenZone& zone) {
  const std::string_view name = element.name();
  if (name == "cabinet") {
    return read_cabinet(element, zone);
  }
  if (name == "host_link") {
    return read_host_link(element, zone);
  }
  if (is_any(name, {"route", "zoneRoute", "ASroute"})) {
    return read_route(element, zone, name != "route");
  }
  if (is_any(name, {"bypassRoute", "bypassZoneRoute", "bypassASroute"})) {
    return read_bypass(element, zone, name != "bypassRoute");
  }
  return {};
}

base::Result<void> ZoneReader::read_cluster_element(const pugi::xml_node& element, ZoneId parent, std::uint32_t vertex) {
  base::Result<ReadCluster> read = read_cluster(source_, element, platform_.warnings);
  if (!read) {
    return tl::make_unexpected(read.error());
  }
  if (platform_.links.size() + links_of(read->cluster) > kMostLinks) {
    return base::fail(
        fmt::format("{}: found more than {} links in one platform, expected fewer", source_.place(element), kMostLinks));
  }
  about_platform_.insert(about_platform_.end(), read->about_platform.begin(), read->about_platform.end());
  const std::size_t first_host = platform_.hosts.size();
  const std::size_t first_link = platform_.links.size();
  const ClusterPlace place = add_cluster(platform_, read->cluster, parent, vertex, counters_);
  const bool alone = first_host == 0 && parent == kNoZone;
  summary_ = first_host == 0 ? fmt::format("cluster {} of {}", read->cluster.id, read->hosts_and_cores) : std::string();
  if (alone) {
    return {}; // nobody refers to its names
  }
  if (const Done done = name_point(element, read->cluster.id, {parent, vertex}); !done) {
    return done;
  }
  if (place.router && wanted_names_.count(read->router) > 0) {
    if (const Done done = name_point(element, read->router, *place.router); !done) {
      return done;
    }
  }
  for (std::size_t host = first_host; host < platform_.hosts.size(); ++host) {
    if (wanted_names_.count(platform_.hosts[host].name) > 0) {
      points_.emplace(platform_.hosts[host].name, platform_.topology.place(static_cast<HostId>(host)));
    }
  }
  for (std::size_t link = first_link; link < platform_.links.size(); ++link) {
    const auto id = static_cast<LinkId>(link);
    if (wanted_names_.count(platform_.links[link].name) > 0) {
      links_.emplace(platform_.links[link].name, LinkName{id, id, false});
    }
  }
  return {};
}

} // namespace farcast::platform
