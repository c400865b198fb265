// <host>, <disk>, <router>, <link>, <backbone> and <cabinet> of a zone.
#include "predictor/platform/cluster_reader.h"
#include "predictor/platform/link_power.h"
#include "predictor/platform/node_properties.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/radical.h"
#include "predictor/platform/zone_reader.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace farcast::platform {

namespace {

constexpr std::int64_t kMostCores = 1 << 16;
constexpr std::int64_t kMostStates = 1000;
constexpr std::array<std::string_view, 8> kHostAttributes = {
    "id", "speed", "core", "speed_file", "availability_file", "state_file", "coordinates", "pstate"};
constexpr std::array<std::string_view, 2> kRouterAttributes = {"id", "coordinates"};
constexpr std::array<std::string_view, 3> kDiskAttributes = {"id", "read_bw", "write_bw"};
constexpr std::array<std::string_view, 7> kLinkAttributes = {"id",           "bandwidth",  "bandwidth_file", "latency",
                                                             "latency_file", "state_file", "sharing_policy"};
constexpr std::array<std::string_view, 3> kBackboneAttributes = {"id", "bandwidth", "latency"};
constexpr std::array<std::string_view, 7> kCabinetAttributes = {"id", "prefix", "suffix", "radical", "speed", "bw", "lat"};

} // namespace

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
  std::vector<base::FlopsPerSecond> speeds;
  host.state = static_cast<std::size_t>(state);
  const auto speeds_of = [&](std::string_view text) -> base::Result<std::vector<base::FlopsPerSecond>> {
    auto parsed = parse_speeds(text);
    if (parsed && parsed->size() <= host.state) {
      return base::fail(fmt::format("found {}, expected a speed for processor state {}", in_quotes(text), host.state));
    }
    return parsed;
  };
  if (const Done done = source_.required(element, "speed", speeds, speeds_of); !done) {
    return done;
  }
  host.speed = speeds[host.state];
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
  const auto node = read_node_properties(properties, {host.cores, speeds, host.state}, platform_.warnings);
  if (!node) {
    return tl::make_unexpected(node.error());
  }
  host.power = node->processor->states[host.state].power;
  host.processor = node->processor;
  host.relative_speed = node->relative_speed;
  host.cores_per_cache = node->cores_per_cache;
  host.failure_rate = node->failure_rate;
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
  }
  const std::string_view policy = element.attribute("sharing_policy").as_string("SHARED");
  const bool split_duplex = policy == "SPLITDUPLEX" || policy == "FULLDUPLEX";
  if (policy == "FATPIPE") {
    figures.sharing = Sharing::fatpipe;
  } else if (policy != "SHARED" && !split_duplex) {
    return source_.unlike(element, "sharing_policy", "SHARED, SPLITDUPLEX or FATPIPE");
  }
  Properties properties;
  if (const Done done = source_.read_properties(element, properties); !done) {
    return done;
  }
  const auto power = read_link_properties(properties, figures.sharing, platform_.warnings);
  if (!power) {
    return tl::make_unexpected(power.error());
  }
  const auto add = [&](const std::string& called) {
    base::Result<LinkId> link = add_link(element, called, figures);
    if (link && *power) {
      platform_.link_power.emplace(*link, **power);
    }
    return link;
  };
  if (!split_duplex) {
    const base::Result<LinkId> link = add(name);
    return link ? Done() : tl::make_unexpected(link.error());
  }
  const base::Result<LinkId> up = add(name + "_UP");
  const base::Result<LinkId> down = up ? add(name + "_DOWN") : up;
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
