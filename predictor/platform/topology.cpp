#include "predictor/platform/topology.h"

#include <algorithm>

namespace farcast::platform {

ZoneId Topology::add_zone(std::string name, ZoneId parent, std::uint32_t vertex) {
  zones_.push_back({std::move(name), parent, vertex, parent == kNoZone ? 0 : zones_[parent].depth + 1, nullptr});
  const auto zone = static_cast<ZoneId>(zones_.size() - 1);
  zone_of_point_.emplace(Point{parent, vertex}, zone);
  return zone;
}

std::optional<ZoneId> Topology::zone_at(Point point) const {
  const auto found = zone_of_point_.find(point);
  return found == zone_of_point_.end() ? std::nullopt : std::optional(found->second);
}

bool Topology::add_bypass(ZoneId zone, Point from, Point to, Bypass bypass) {
  return bypasses_[zone].emplace(std::pair(from, to), std::move(bypass)).second;
}

bool Topology::holds(ZoneId zone, Point point) const {
  ZoneId at = point.zone;
  while (at != kNoZone && at != zone) {
    at = zones_[at].parent;
  }
  return at == zone;
}

bool Topology::route(Point source, Point destination, std::vector<LinkId>& links) const {
  // The zone in common, and the vertices of it that hold the ends.
  Point from = source;
  Point to = destination;
  while (from.zone != to.zone) {
    Point& deeper = zones_[from.zone].depth >= zones_[to.zone].depth ? from : to;
    deeper = place_of_zone(deeper.zone);
  }
  if (from.zone == kNoZone) {
    return false;
  }
  if (!bypasses_.empty()) {
    bool found = false;
    const bool complete = bypass(from.zone, source, destination, links, found);
    if (found) {
      return complete;
    }
  }
  const Zone* rule = zones_[from.zone].rule.get();
  if (rule == nullptr) {
    return false;
  }
  if (from == source && to == destination) {
    Way way{links, {}, {}};
    return rule->find_way(*this, from.vertex, to.vertex, way);
  }
  std::vector<LinkId> between;
  Way way{between, {}, {}};
  if (!rule->find_way(*this, from.vertex, to.vertex, way) || way.first_gateway.zone == kNoZone ||
      way.last_gateway.zone == kNoZone) {
    return false;
  }
  if (source != way.first_gateway && !route(source, way.first_gateway, links)) {
    return false;
  }
  links.insert(links.end(), between.begin(), between.end());
  return destination == way.last_gateway || route(way.last_gateway, destination, links);
}

// Looks for the nearest pair of zones around the ends that has a bypass, as SimGrid does; for two
// vertices of one zone, for theirs.
bool Topology::bypass(ZoneId common, Point source, Point destination, std::vector<LinkId>& links, bool& found) const {
  const auto here = bypasses_.find(common);
  if (here == bypasses_.end()) {
    return false;
  }
  const auto ends_of = [&](Point point) { // the zones from the point's up to the vertex of the zone in common
    std::vector<Point> ends;
    for (ZoneId zone = point.zone; zone != common; zone = zones_[zone].parent) {
      ends.push_back(place_of_zone(zone));
    }
    return ends;
  };
  std::vector<Point> from = ends_of(source);
  std::vector<Point> to = ends_of(destination);
  if (from.empty() && to.empty()) {
    from.push_back(source);
    to.push_back(destination);
  }
  const auto lookup = [&](std::size_t i, std::size_t j) {
    return i < from.size() && j < to.size() ? here->second.find(std::pair(from[i], to[j])) : here->second.end();
  };
  for (std::size_t most = 0; most < std::max(from.size(), to.size()); ++most) {
    for (std::size_t least = 0; least <= most; ++least) {
      auto taken = lookup(least, most);
      taken = taken != here->second.end() ? taken : lookup(most, least);
      if (taken == here->second.end()) {
        continue;
      }
      found = true;
      const auto& [ends, way] = *taken;
      if (source != ends.first && source != way.first_gateway && !route(source, way.first_gateway, links)) {
        return false;
      }
      links.insert(links.end(), way.links.begin(), way.links.end());
      return destination == ends.second || destination == way.last_gateway || route(way.last_gateway, destination, links);
    }
  }
  return false;
}

} // namespace farcast::platform
