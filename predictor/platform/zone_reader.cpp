#include "predictor/platform/zone_reader.h"

#include "predictor/platform/cluster_reader.h"
#include "predictor/platform/nearest_name.h"
#include "predictor/platform/node_properties.h"
#include "predictor/platform/platform_properties.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/radical.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace farcast::platform {

namespace {

constexpr int kDeepest = 64; // nesting of zones; more is taken for a slip in the file
constexpr std::int64_t kMostCores = 1 << 16;
constexpr std::int64_t kMostStates = 1000;
constexpr std::array<std::string_view, 2> kZoneAttributes = {"id", "routing"};
constexpr std::array<std::string_view, 8> kHostAttributes = {
    "id", "speed", "core", "speed_file", "availability_file", "state_file", "coordinates", "pstate"};
constexpr std::array<std::string_view, 2> kRouterAttributes = {"id", "coordinates"};
constexpr std::array<std::string_view, 3> kDiskAttributes = {"id", "read_bw", "write_bw"};
constexpr std::array<std::string_view, 7> kLinkAttributes = {"id",           "bandwidth",  "bandwidth_file", "latency",
                                                             "latency_file", "state_file", "sharing_policy"};
constexpr std::array<std::string_view, 3> kBackboneAttributes = {"id", "bandwidth", "latency"};
constexpr std::array<std::string_view, 7> kCabinetAttributes = {"id", "prefix", "suffix", "radical", "speed", "bw", "lat"};

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

base::Result<void> ZoneReader::add_host(const pugi::xml_node& element, OpenZone& zone, Host host) {
  if (platform_.hosts.size() >= static_cast<std::size_t>(kMostHosts)) {
    return base::fail(
        fmt::format("{}: found more than {} hosts in one platform, expected fewer", source_.place(element), kMostHosts));
  }
  const Point point{zone.id, zone.vertices++};
  if (const Done done = name_point(element, host.name, point); !done) {
    return done;
  }
  platform_.hosts.push_back(std::move(host));
  platform_.topology.add_host(point);
  return {};
}

base::Result<void> ZoneReader::read_host(const pugi::xml_node& element, OpenZone& zone) {
  Host host;
  std::int64_t cores = 1;
  double state = 0;
  const auto core_count = [](std::string_view text) { return parse_integer(text, 1, kMostCores); };
  const auto state_number = [](std::string_view text) -> base::Result<double> { // SimGrid's default is "0.0"
    const base::Result<double> number = parse_number(text);
    return number && *number >= 0 && *number < kMostStates
               ? number
               : base::fail(fmt::format("found {}, expected the number of a processor state", in_quotes(text)));
  };
  for (const auto& done :
       {source_.check_attributes(element, kHostAttributes), source_.required(element, "id", host.name, parse_name),
        source_.optional(element, "core", cores, core_count), source_.optional(element, "pstate", state, state_number)}) {
    if (!done) {
      return done;
    }
  }
  const auto speed = [&](std::string_view text) { return parse_speed_of_state(text, static_cast<std::size_t>(state)); };
  if (const Done done = source_.required(element, "speed", host.speed, speed); !done) {
    return done;
  }
  host.cores = static_cast<int>(cores);
  ignore_trace_files(element, {"speed_file", "availability_file", "state_file"});
  Properties properties;
  for (const pugi::xml_node& child : element.children()) {
    if (std::string_view(child.name()) == "disk") {
      if (const Done done = read_disk(child, host); !done) {
        return done;
      }
    } else if (std::string_view(child.name()) != "prop") {
      return source_.unlike(child, "<prop> or <disk>");
    }
  }
  if (const Done done = source_.read_properties(element, properties); !done) {
    return done;
  }
  const auto node = read_node_properties(properties, host.cores, platform_.warnings, static_cast<std::size_t>(state));
  if (!node) {
    return tl::make_unexpected(node.error());
  }
  host.power = node->power;
  host.relative_speed = node->relative_speed;
  host.cores_per_cache = node->cores_per_cache;
  if (node->disk) {
    host.disk = node->disk;
  }
  return add_host(element, zone, std::move(host));
}

// The first disk of a host has its files; others are named in a warning.
base::Result<void> ZoneReader::read_disk(const pugi::xml_node& element, Host& host) {
  std::string name;
  Disk disk;
  for (const auto& done : {source_.check_attributes(element, kDiskAttributes), source_.required(element, "id", name, parse_name),
                           source_.required(element, "read_bw", disk.read, parse_bandwidth),
                           source_.required(element, "write_bw", disk.write, parse_bandwidth)}) {
    if (!done) {
      return done;
    }
  }
  for (const pugi::xml_node& child : element.children()) {
    if (std::string_view(child.name()) != "prop") {
      return source_.unlike(child, "<prop>");
    }
  }
  if (host.disk) {
    platform_.warnings.push_back(
        fmt::format("{}: <disk> is not used: files are on the first disk of a host", source_.place(element)));
  } else {
    host.disk = disk;
  }
  return {};
}

base::Result<void> ZoneReader::read_router(const pugi::xml_node& element, OpenZone& zone) {
  std::string name;
  if (const Done done = source_.check_attributes(element, kRouterAttributes); !done) {
    return done;
  }
  if (const Done done = source_.required(element, "id", name, parse_name); !done) {
    return done;
  }
  return name_point(element, name, {zone.id, zone.vertices++});
}

void ZoneReader::ignore_trace_files(const pugi::xml_node& element, std::initializer_list<const char*> attributes) {
  for (const char* attribute : attributes) {
    if (*element.attribute(attribute).value() != '\0') {
      platform_.warnings.push_back(fmt::format("{}: changes over time are not modelled", source_.label(element, attribute)));
    }
  }
}

base::Result<LinkId> ZoneReader::add_link(const pugi::xml_node& element, std::string name, const LinkFigures& figures) {
  if (platform_.links.size() >= kMostLinks) {
    return base::fail(
        fmt::format("{}: found more than {} links in one platform, expected fewer", source_.place(element), kMostLinks));
  }
  const auto id = static_cast<LinkId>(platform_.links.size());
  if (!links_.emplace(name, LinkName{id, id, false}).second) {
    return base::fail(
        fmt::format("{}: found a second link named {}, expected another name", source_.place(element), in_quotes(name)));
  }
  platform_.links.push_back({std::move(name), figures.bandwidth, figures.latency, figures.sharing});
  return id;
}

base::Result<void> ZoneReader::read_link(const pugi::xml_node& element) {
  std::string name;
  LinkFigures figures;
  const auto first = [](std::string_view text) { return parse_bandwidth(trimmed(text.substr(0, text.find(',')))); };
  for (const auto& done : {source_.check_attributes(element, kLinkAttributes), source_.required(element, "id", name, parse_name),
                           source_.required(element, "bandwidth", figures.bandwidth, first),
                           source_.optional(element, "latency", figures.latency, parse_time)}) {
    if (!done) {
      return done;
    }
  }
  if (std::string_view(element.attribute("bandwidth").value()).find(',') != std::string_view::npos) {
    platform_.warnings.push_back(fmt::format("{}: only the first bandwidth is used", source_.label(element, "bandwidth")));
  }
  ignore_trace_files(element, {"bandwidth_file", "latency_file", "state_file"});
  for (const pugi::xml_node& child : element.children()) {
    if (std::string_view(child.name()) != "prop") {
      return source_.unlike(child, "<prop>");
    }
    platform_.warnings.push_back(fmt::format("{}: properties of <link> are not used", source_.place(child)));
  }
  const std::string_view policy = element.attribute("sharing_policy").as_string("SHARED");
  const bool split_duplex = policy == "SPLITDUPLEX" || policy == "FULLDUPLEX";
  if (policy == "FATPIPE") {
    figures.sharing = Sharing::fatpipe;
  } else if (policy != "SHARED" && !split_duplex) {
    return source_.unlike(element, "sharing_policy", "SHARED, SPLITDUPLEX or FATPIPE");
  }
  if (!split_duplex) {
    const base::Result<LinkId> link = add_link(element, name, figures);
    return link ? Done() : tl::make_unexpected(link.error());
  }
  const base::Result<LinkId> up = add_link(element, name + "_UP", figures);
  const base::Result<LinkId> down = up ? add_link(element, name + "_DOWN", figures) : up;
  if (!down) {
    return tl::make_unexpected(down.error());
  }
  if (!links_.emplace(name, LinkName{*up, *down, true}).second) {
    return base::fail(
        fmt::format("{}: found a second link named {}, expected another name", source_.place(element), in_quotes(name)));
  }
  return {};
}

base::Result<void> ZoneReader::read_backbone(const pugi::xml_node& element, OpenZone& zone) {
  std::string name;
  LinkFigures figures;
  for (const auto& done :
       {source_.check_attributes(element, kBackboneAttributes), source_.required(element, "id", name, parse_name),
        source_.required(element, "bandwidth", figures.bandwidth, parse_bandwidth),
        source_.required(element, "latency", figures.latency, parse_time)}) {
    if (!done) {
      return done;
    }
  }
  if (!zone.backbone.empty()) {
    return source_.unlike(element, "one backbone in a zone");
  }
  const base::Result<LinkId> link = add_link(element, name, figures);
  if (!link) {
    return tl::make_unexpected(link.error());
  }
  zone.backbone.push_back(*link);
  return {};
}

base::Result<void> ZoneReader::read_cabinet(const pugi::xml_node& element, OpenZone& zone) {
  std::string prefix;
  std::string suffix;
  std::vector<std::uint32_t> radicals;
  base::FlopsPerSecond speed;
  LinkFigures figures;
  for (const auto& done :
       {source_.check_attributes(element, kCabinetAttributes), source_.required(element, "prefix", prefix, parse_name_part),
        source_.required(element, "suffix", suffix, parse_name_part),
        source_.required(element, "radical", radicals, parse_radical), source_.required(element, "speed", speed, parse_speed),
        source_.required(element, "bw", figures.bandwidth, parse_bandwidth),
        source_.required(element, "lat", figures.latency, parse_time)}) {
    if (!done) {
      return done;
    }
  }
  for (const std::uint32_t number : radicals) {
    Host host;
    host.name = fmt::format("{}{}{}", prefix, number, suffix);
    host.speed = speed;
    const std::string link = "link_" + host.name;
    const std::uint32_t vertex = zone.vertices;
    if (const Done done = add_host(element, zone, std::move(host)); !done) {
      return done;
    }
    const base::Result<LinkId> up = add_link(element, link + "_UP", figures);
    const base::Result<LinkId> down = up ? add_link(element, link + "_DOWN", figures) : up;
    if (!down) {
      return tl::make_unexpected(down.error());
    }
    Ends& ends = zone.ends[vertex];
    ends.up.push_back(*up);
    ends.down = zone.backbone;
    ends.down.push_back(*down);
    for (const LinkId backbone : zone.backbone) ends.up.push_back(backbone);
  }
  return {};
}

base::Result<void> ZoneReader::name_point(const pugi::xml_node& element, const std::string& name, Point point) {
  if (!points_.emplace(name, point).second) {
    return base::fail(fmt::format("{}: found a second host, router or zone named {}, expected another name",
                                  source_.place(element), in_quotes(name)));
  }
  return {};
}

} // namespace farcast::platform
