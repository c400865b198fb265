// <host_link>, <route>, <zoneRoute> and the bypass routes of a zone.
#include "predictor/base/nearest_name.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/zone_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace farcast::platform {

namespace {

constexpr std::array<std::string_view, 3> kHostLinkAttributes = {"id", "up", "down"};
constexpr std::array<std::string_view, 3> kRouteAttributes = {"src", "dst", "symmetrical"};
constexpr std::array<std::string_view, 5> kZoneRouteAttributes = {"src", "dst", "gw_src", "gw_dst", "symmetrical"};
constexpr std::array<std::string_view, 2> kLinkInRouteAttributes = {"id", "direction"};

template <class Map> std::string nearest_hint(std::string_view name, const Map& known) {
  constexpr std::size_t kMostCompared = 2000;
  std::vector<std::string> names;
  for (const auto& [key, value] : known) {
    if (names.size() < kMostCompared) names.push_back(key);
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string> nearest = base::nearest_names(name, names, 1);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest.front());
}

} // namespace

base::Result<Point> ZoneReader::point_named(const pugi::xml_node& element, const char* attribute) const {
  const auto found = points_.find(element.attribute(attribute).value());
  if (found == points_.end()) {
    return source_.unlike(
        element, attribute,
        fmt::format("the name of a host, router or zone{}", nearest_hint(element.attribute(attribute).value(), points_)));
  }
  return found->second;
}

base::Result<void> ZoneReader::read_host_link(const pugi::xml_node& element, OpenZone& zone) {
  if (const Done done = source_.check_attributes(element, kHostLinkAttributes); !done) {
    return done;
  }
  const base::Result<Point> host = point_named(element, "id");
  if (!host) {
    return tl::make_unexpected(host.error());
  }
  if (host->zone != zone.id) {
    return source_.unlike(element, "id", "a host of this zone");
  }
  Ends ends;
  for (const auto& [attribute, target] : {std::pair("up", &ends.up), std::pair("down", &ends.down)}) {
    const auto link = links_.find(element.attribute(attribute).value());
    if (link == links_.end() || link->second.split_duplex) {
      return source_.unlike(element, attribute,
                            fmt::format("the name of a link{}", nearest_hint(element.attribute(attribute).value(), links_)));
    }
    target->push_back(link->second.up);
  }
  for (const LinkId backbone : zone.backbone) {
    ends.up.push_back(backbone);
    ends.down.insert(ends.down.begin(), backbone);
  }
  if (!zone.ends.emplace(host->vertex, std::move(ends)).second) {
    return source_.unlike(element, "id", "a host without links yet");
  }
  return {};
}

base::Result<void> ZoneReader::read_route_links(const pugi::xml_node& element, std::vector<LinkId>& there,
                                                std::vector<LinkId>& back) const {
  for (const pugi::xml_node& child : element.children()) {
    if (std::string_view(child.name()) != "link_ctn") {
      return source_.unlike(child, "<link_ctn>");
    }
    if (const Done done = source_.check_attributes(child, kLinkInRouteAttributes); !done) {
      return done;
    }
    const auto link = links_.find(child.attribute("id").value());
    if (link == links_.end()) {
      return source_.unlike(child, "id",
                            fmt::format("the name of a link{}", nearest_hint(child.attribute("id").value(), links_)));
    }
    const std::string_view direction = child.attribute("direction").as_string("NONE");
    if (direction != "UP" && direction != "DOWN" && direction != "NONE") {
      return source_.unlike(child, "direction", "UP, DOWN or NONE");
    }
    if ((direction == "NONE") == link->second.split_duplex) {
      return link->second.split_duplex
                 ? base::fail(
                       fmt::format("{}: found the link without attribute direction, expected UP or DOWN: it is SPLITDUPLEX",
                                   source_.label(child, "id")))
                 : source_.unlike(child, "direction", "none: the link is not SPLITDUPLEX");
    }
    const bool up = direction != "DOWN";
    there.push_back(up ? link->second.up : link->second.down);
    back.push_back(up ? link->second.down : link->second.up);
  }
  std::reverse(back.begin(), back.end());
  return {};
}

// The ends of a route are vertices of this zone; those of a bypass stand anywhere in it.
base::Result<void> ZoneReader::read_ends(const pugi::xml_node& element, const OpenZone& zone, bool between_zones, bool anywhere,
                                         RouteEnds& ends) const {
  if (const Done done = between_zones ? source_.check_attributes(element, kZoneRouteAttributes)
                                      : source_.check_attributes(element, kRouteAttributes);
      !done) {
    return done;
  }
  for (const auto& [attribute, target] : {std::pair("src", &ends.from), std::pair("dst", &ends.to)}) {
    const base::Result<Point> point = point_named(element, attribute);
    if (!point) {
      return tl::make_unexpected(point.error());
    }
    *target = *point;
    if (anywhere ? !platform_.topology.holds(zone.id, *point) : point->zone != zone.id) {
      return source_.unlike(element, attribute, between_zones ? "a zone of this zone" : "a host or router of this zone");
    }
    if (between_zones != platform_.topology.zone_at(*point).has_value()) {
      return source_.unlike(element, attribute,
                            between_zones ? "a zone: hosts take <route>" : "a host or router: zones take <zoneRoute>");
    }
  }
  if (!between_zones) {
    return {};
  }
  for (const auto& [attribute, holder, target] :
       {std::tuple("gw_src", ends.from, &ends.first_gateway), std::tuple("gw_dst", ends.to, &ends.last_gateway)}) {
    const base::Result<Point> point = point_named(element, attribute);
    if (!point) {
      return tl::make_unexpected(point.error());
    }
    if (platform_.topology.zone_at(*point) || !platform_.topology.holds(*platform_.topology.zone_at(holder), *point)) {
      return source_.unlike(element, attribute, "a host or router within the zone that it is the gateway of");
    }
    *target = *point;
  }
  return {};
}

base::Result<void> ZoneReader::add_route(const pugi::xml_node& element, OpenZone& zone, std::uint32_t from, std::uint32_t to,
                                         RoutedZone::Route route) {
  if (zone.routed->add_route(from, to, std::move(route))) {
    return {};
  }
  return base::fail(fmt::format("{}: found a second <{}> from {} to {}, expected one (routes hold in both directions unless "
                                "symmetrical=\"NO\")",
                                source_.place(element), element.name(), in_quotes(element.attribute("src").value()),
                                in_quotes(element.attribute("dst").value())));
}

base::Result<void> ZoneReader::read_route(const pugi::xml_node& element, OpenZone& zone, bool between_zones) {
  RouteEnds ends;
  std::vector<LinkId> there;
  std::vector<LinkId> back;
  if (const Done done = read_ends(element, zone, between_zones, false, ends); !done) {
    return done;
  }
  if (const Done done = read_route_links(element, there, back); !done) {
    return done;
  }
  const std::string_view symmetrical = element.attribute("symmetrical").as_string("YES");
  if (symmetrical != "YES" && symmetrical != "yes" && symmetrical != "NO" && symmetrical != "no") {
    return source_.unlike(element, "symmetrical", "YES or NO");
  }
  if (zone.routing == Routing::star) {
    if (ends.from != ends.to || there.size() != 1) {
      return source_.unlike(element,
                            "a loopback of one link, from a host to itself: a zone with Cluster routing has <host_link>");
    }
    zone.loopbacks[ends.from.vertex] = there.front();
    return {};
  }
  if (!zone.routed) {
    return source_.unlike(element, "no routes in a zone with routing None");
  }
  if (there.empty()) {
    return source_.unlike(element, "a route with at least one <link_ctn>");
  }
  const bool both = symmetrical == "YES" || symmetrical == "yes";
  Done done =
      add_route(element, zone, ends.from.vertex, ends.to.vertex, {std::move(there), ends.first_gateway, ends.last_gateway});
  if (done && both && ends.from != ends.to) {
    done = add_route(element, zone, ends.to.vertex, ends.from.vertex, {std::move(back), ends.last_gateway, ends.first_gateway});
  }
  return done;
}

base::Result<void> ZoneReader::read_bypass(const pugi::xml_node& element, OpenZone& zone, bool between_zones) {
  RouteEnds ends;
  std::vector<LinkId> there;
  std::vector<LinkId> back;
  if (const Done done = read_ends(element, zone, between_zones, true, ends); !done) {
    return done;
  }
  if (const Done done = read_route_links(element, there, back); !done) {
    return done;
  }
  if (there.empty()) {
    return source_.unlike(element, "a route with at least one <link_ctn>");
  }
  if (!platform_.topology.add_bypass(zone.id, ends.from, ends.to, {std::move(there), ends.first_gateway, ends.last_gateway})) {
    return source_.unlike(element, "src", "a pair of ends without a bypass route yet");
  }
  return {};
}

} // namespace farcast::platform
