// Reader of the zones of a SimGrid platform: <zone> (or <AS>) within <zone>, hosts, routers, links,
// clusters, routes.
//
// elements -> hosts, links and topology of a Platform. Names are looked up over the whole platform,
// as SimGrid does; an element may use what stands behind it in its zone.
// One reader per platform; threads: none. Source: SimGrid's DTD for platform version 4.1, and
// 3.32's sg_platf.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/cluster.h"
#include "predictor/platform/properties.h"
#include "predictor/platform/routed_zone.h"
#include "predictor/platform/star_zone.h"
#include "predictor/platform/xml_source.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace farcast::platform {

class ZoneReader {
public:
  // `loopback`: bandwidth and latency of the link by which a host of a routed zone reaches itself
  // (network/loopback-bw, -lat).
  ZoneReader(const XmlSource& source, Platform& platform, const LinkFigures& loopback);

  // Reads the root: a <zone>, <AS> or <cluster>. To be called once.
  // Errors: one sentence with file, line, element or attribute, what was found and what was expected.
  base::Result<void> read(const pugi::xml_node& root);

  [[nodiscard]] const Properties& about_platform() const { return about_platform_; }
  [[nodiscard]] const std::string& summary() const { return summary_; } // one line, for the platform's description

private:
  enum class Routing : std::uint8_t { full, floyd, dijkstra, star, none };
  struct Ends { // links of a host of a star
    std::vector<LinkId> up;
    std::vector<LinkId> down;
  };
  struct OpenZone {
    ZoneId id = kNoZone;
    Routing routing = Routing::full;
    std::uint32_t vertices = 0;
    bool holds_zones = false;
    bool holds_hosts = false;
    std::shared_ptr<RoutedZone> routed;
    std::unordered_map<std::uint32_t, Ends> ends; // star: [vertex]
    std::unordered_map<std::uint32_t, LinkId> loopbacks;
    std::vector<LinkId> backbone;
  };
  struct LinkName {
    LinkId up;
    LinkId down;
    bool split_duplex;
  };
  struct RouteEnds {
    Point from;
    Point to;
    Point first_gateway;
    Point last_gateway;
  };
  using Done = base::Result<void>;

  Done read_zone(const pugi::xml_node& element, ZoneId parent, std::uint32_t vertex, int depth);
  Done open_zone(const pugi::xml_node& element, OpenZone& zone, ZoneId parent, std::uint32_t vertex);
  Done read_member(const pugi::xml_node& element, OpenZone& zone, int depth);
  Done read_route_member(const pugi::xml_node& element, OpenZone& zone);
  Done close_zone(OpenZone& zone);
  Done read_cluster_element(const pugi::xml_node& element, ZoneId parent, std::uint32_t vertex);
  Done read_zone_properties(const pugi::xml_node& zone);
  Done read_host(const pugi::xml_node& element, OpenZone& zone);
  Done read_disk(const pugi::xml_node& element, Host& host);
  Done read_router(const pugi::xml_node& element, OpenZone& zone);
  Done read_link(const pugi::xml_node& element);
  Done read_backbone(const pugi::xml_node& element, OpenZone& zone);
  Done read_cabinet(const pugi::xml_node& element, OpenZone& zone);
  Done read_host_link(const pugi::xml_node& element, OpenZone& zone);
  Done read_route(const pugi::xml_node& element, OpenZone& zone, bool between_zones);
  Done read_bypass(const pugi::xml_node& element, OpenZone& zone, bool between_zones);
  Done read_ends(const pugi::xml_node& element, const OpenZone& zone, bool between_zones, bool anywhere, RouteEnds& ends) const;
  Done read_route_links(const pugi::xml_node& element, std::vector<LinkId>& there, std::vector<LinkId>& back) const;
  Done add_route(const pugi::xml_node& element, OpenZone& zone, std::uint32_t from, std::uint32_t to, RoutedZone::Route route);
  Done add_host(const pugi::xml_node& element, OpenZone& zone, Host host);

  base::Result<LinkId> add_link(const pugi::xml_node& element, std::string name, const LinkFigures& figures);
  Done name_point(const pugi::xml_node& element, const std::string& name, Point point);
  base::Result<Point> point_named(const pugi::xml_node& element, const char* attribute) const;
  void ignore_trace_files(const pugi::xml_node& element, std::initializer_list<const char*> attributes);

  const XmlSource& source_;
  Platform& platform_;
  LinkFigures loopback_;
  std::optional<LinkId> loopback_link_; // made when a zone needs it
  ClusterCounters counters_;
  Properties about_platform_;
  std::string summary_;
  std::unordered_set<std::string> wanted_names_; // that routes refer to; only these are kept of clusters
  std::unordered_map<std::string, Point> points_;
  std::unordered_map<std::string, LinkName> links_;
};

} // namespace farcast::platform
