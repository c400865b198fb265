// Which links a message takes between two hosts: a tree of zones, as SimGrid's platforms have it.
//
// A point (host, router or zone) is a vertex of the zone that holds it. The zone that two points
// have in common knows the way between its vertices; where these are zones, the way runs between
// two gateways, and the zones within know the rest.
// 1. Ways are computed when they are asked for; nothing is stored per pair of hosts, but where the
//    file itself lists pairs.
// 2. Immutable after it was built: const access from many threads at once; copies share the zones.
// Source: SimGrid 3.32's routing (NetZoneImpl::get_global_route, with its bypass routes).
#pragma once

#include "predictor/platform/ids.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farcast::platform {

using ZoneId = std::uint32_t;
inline constexpr ZoneId kNoZone = UINT32_MAX;

// A host, router or zone by its place. The root zone has none.
struct Point {
  ZoneId zone = kNoZone;    // that holds it
  std::uint32_t vertex = 0; // its number there
  bool operator==(const Point&) const = default;
  auto operator<=>(const Point&) const = default;
};

class Topology;

// A way under construction between two vertices of a zone.
struct Way {
  std::vector<LinkId>& links; // appended to, in travel order
  Point first_gateway;        // where it leaves the first vertex, when that is a zone
  Point last_gateway;         // where it enters the last one
};

// Which vertices of a zone reach each other.
enum class Reach : std::uint8_t {
  all,       // by its shape, every one reaches every other one
  connected, // those between which there is a chain of ways
  listed,    // each pair by itself
};

// The routing rule of one zone.
class Zone {
public:
  Zone() = default;
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;
  virtual ~Zone() = default;

  // Appends the links from vertex `from` to vertex `to`. Returns: false when there is no way.
  // `topology` gives what zones within contribute when the way passes through them.
  virtual bool find_way(const Topology& topology, std::uint32_t from, std::uint32_t to, Way& way) const = 0;
  [[nodiscard]] virtual Reach reach() const { return Reach::all; }
  // Returns: whether a host reaches itself by links of its own; otherwise by those that lead to
  // others, or by none.
  [[nodiscard]] virtual bool loops_back(std::uint32_t vertex) const = 0;
};

class Topology {
public:
  // Adds a zone, as a vertex of `parent` (kNoZone: the root; only the first zone is). Its routing
  // rule may follow later.
  ZoneId add_zone(std::string name, ZoneId parent, std::uint32_t vertex);
  void set_rule(ZoneId zone, std::shared_ptr<const Zone> rule) { zones_[zone].rule = std::move(rule); }
  void add_host(Point place) { hosts_.push_back(place); }
  // A way that is taken instead of what the zone that both ends have in common would say.
  struct Bypass {
    std::vector<LinkId> links;
    Point first_gateway; // of zones
    Point last_gateway;
  };
  bool add_bypass(ZoneId zone, Point from, Point to, Bypass bypass); // Returns: false when there is one

  // Appends the links from one host, or point, to another. Returns: false when there is no way.
  bool route(HostId source, HostId destination, std::vector<LinkId>& links) const {
    return route(hosts_[source], hosts_[destination], links);
  }
  bool route(Point source, Point destination, std::vector<LinkId>& links) const;
  [[nodiscard]] bool loops_back(HostId host) const {
    const Zone* zone = rule(hosts_[host].zone);
    return zone != nullptr && zone->loops_back(hosts_[host].vertex);
  }

  [[nodiscard]] std::size_t host_count() const { return hosts_.size(); }
  [[nodiscard]] std::size_t zone_count() const { return zones_.size(); }
  [[nodiscard]] Point place(HostId host) const { return hosts_[host]; }
  [[nodiscard]] Point place_of_zone(ZoneId zone) const { return {zones_[zone].parent, zones_[zone].vertex}; }
  [[nodiscard]] const Zone* rule(ZoneId zone) const { return zones_[zone].rule.get(); }
  // Returns: the zone that the point is; nothing for a host or router.
  [[nodiscard]] std::optional<ZoneId> zone_at(Point point) const;
  // Whether `point` stands in `zone` or in a zone within it.
  [[nodiscard]] bool holds(ZoneId zone, Point point) const;

private:
  struct ZoneEntry {
    std::string name;
    ZoneId parent = kNoZone;
    std::uint32_t vertex = 0; // in the parent
    std::uint32_t depth = 0;
    std::shared_ptr<const Zone> rule;
  };
  using Bypasses = std::map<std::pair<Point, Point>, Bypass>; // by ends

  bool bypass(ZoneId common, Point source, Point destination, std::vector<LinkId>& links, bool& found) const;

  std::vector<ZoneEntry> zones_;
  std::map<Point, ZoneId> zone_of_point_;
  std::vector<Point> hosts_;
  std::map<ZoneId, Bypasses> bypasses_;
};

} // namespace farcast::platform
