#include "predictor/platform/simgrid_xml.h"

#include "predictor/platform/flat_cluster.h"
#include "predictor/platform/node_properties.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/radical.h"
#include "predictor/platform/smpi_config.h"
#include "predictor/platform/text_file.h"
#include "predictor/platform/xml_source.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace farcast::platform {

namespace {

constexpr std::int64_t kMostCores = 1 << 16; // of one host; more is taken for a slip in the file
constexpr std::size_t kLongestName = 128;    // of the parts of host names: there are many hosts

constexpr std::array<std::string_view, 18> kClusterAttributes = {
    "id",           "prefix",      "suffix",         "radical",   "speed",    "core",
    "bw",           "lat",         "sharing_policy", "bb_bw",     "bb_lat",   "bb_sharing_policy",
    "limiter_link", "loopback_bw", "loopback_lat",   "router_id", "topology", "topo_parameters"};

// Elements of SimGrid's DTD that shape the platform in ways that a flat cluster does not have.
constexpr std::array<std::string_view, 22> kUnsupportedElements = {
    "host",         "link",        "route",           "router",        "backbone",  "cabinet",  "peer", "zoneRoute",
    "ASroute",      "bypassRoute", "bypassZoneRoute", "bypassASroute", "host_link", "link_ctn", "disk", "storage",
    "storage_type", "mount",       "trace",           "trace_connect", "include",   "argument"};

template <class Names> bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Reader {
public:
  Reader(std::string_view text, const std::string& file_name) : source_(text, file_name), file_name_(file_name) {}

  base::Result<Platform> read();

private:
  base::Result<void> read_platform(const pugi::xml_node& platform);
  base::Result<void> read_zone(const pugi::xml_node& zone);
  base::Result<void> read_cluster_or_zone(const pugi::xml_node& element);
  base::Result<void> read_cluster(const pugi::xml_node& cluster);
  base::Result<void> read_hosts(const pugi::xml_node& cluster);
  base::Result<void> read_links(const pugi::xml_node& cluster);
  base::Result<void> read_nodes(const pugi::xml_node& cluster);
  base::Result<void> check_attributes(const pugi::xml_node& cluster);
  base::Result<std::optional<LinkFigures>> read_link(const pugi::xml_node& cluster, const char* bandwidth, const char* latency);

  [[nodiscard]] std::string label(const pugi::xml_node& element, const char* attribute) const {
    return fmt::format("{}: attribute {} of <{}>", source_.place(element, attribute), attribute, element.name());
  }
  [[nodiscard]] tl::unexpected<base::Error> refuse(const pugi::xml_node& element, std::string_view expected) const;
  [[nodiscard]] tl::unexpected<base::Error> refuse(const pugi::xml_node& element, const char* attribute,
                                                   std::string_view expected) const {
    return base::fail(fmt::format("{}: found {}, expected {}", label(element, attribute),
                                  in_quotes(element.attribute(attribute).value()), expected));
  }

  // Reads a required attribute with one of the parsers of quantity_text.h.
  template <class Value, class Parse>
  base::Result<void> required(const pugi::xml_node& element, const char* attribute, Value& target, Parse parse) const {
    if (!element.attribute(attribute)) {
      return base::fail(
          fmt::format("{}: found <{}> without attribute {}, expected one", source_.place(element), element.name(), attribute));
    }
    auto value = parse(element.attribute(attribute).value());
    if (!value) {
      return at_place(label(element, attribute), value.error());
    }
    target = *std::move(value);
    return {};
  }

  void warn(const pugi::xml_node& element, const char* attribute, std::string_view what) {
    warnings_.push_back(fmt::format("{}: {}", label(element, attribute), what));
  }

  XmlSource source_;
  std::string file_name_;
  std::vector<std::string> warnings_;
  Properties options_;
  FlatCluster cluster_;
  NodeProperties nodes_;
  bool found_cluster_ = false;
};

bool is_element(const pugi::xml_node& node) { return node.type() == pugi::node_element; }

tl::unexpected<base::Error> Reader::refuse(const pugi::xml_node& element, std::string_view expected) const {
  if (!is_element(element)) {
    return base::fail(
        fmt::format("{}: found text {}, expected {}", source_.place(element), in_quotes(trimmed(element.value())), expected));
  }
  if (contains(kUnsupportedElements, element.name())) {
    return base::fail(
        fmt::format("{}: found <{}>, which is not supported yet; expected {}", source_.place(element), element.name(), expected));
  }
  return base::fail(
      fmt::format("{}: found unknown element {}, expected {}", source_.place(element), in_quotes(element.name()), expected));
}

base::Result<Platform> Reader::read() {
  if (const auto done = source_.parse(); !done) {
    return tl::make_unexpected(done.error());
  }
  const pugi::xml_node root = source_.document().document_element();
  if (std::string_view(root.name()) != "platform") {
    return refuse(root, "<platform version=\"4.1\">");
  }
  if (root.next_sibling()) {
    return refuse(root.next_sibling(), "nothing after </platform>");
  }
  if (const auto done = read_platform(root); !done) {
    return tl::make_unexpected(done.error());
  }
  if (!found_cluster_) {
    return base::fail(fmt::format("{}: found a platform without hosts, expected a <cluster>", source_.place(root)));
  }
  Platform platform = build_platform(cluster_);
  if (const auto done = apply_config(options_, platform.p2p, warnings_); !done) {
    return tl::make_unexpected(done.error());
  }
  platform.name = file_name_;
  platform.description = nodes_.description.empty() ? fmt::format("cluster {} of {} hosts with {} cores", cluster_.id,
                                                                  platform.hosts.size(), cluster_.cores)
                                                    : nodes_.description;
  platform.source = nodes_.source.empty() ? file_name_ : nodes_.source;
  platform.warnings = std::move(warnings_);
  return platform;
}

base::Result<void> Reader::read_platform(const pugi::xml_node& platform) {
  const std::string_view version = platform.attribute("version").value();
  if (version != "4.1" && version != "4" && version != "4.0") {
    return refuse(platform, "version", "4.1 (simgrid_update_xml converts older files)");
  }
  for (const pugi::xml_node& child : platform.children()) {
    const std::string_view name = child.name();
    base::Result<void> done;
    if (name == "config") {
      done = source_.read_properties(child, options_);
    } else if (name == "random") {
      warnings_.push_back(fmt::format("{}: <random> has no effect", source_.place(child)));
    } else if (name == "actor" || name == "process") {
      warnings_.push_back(fmt::format("{}: <{}> is not used: the placement is chosen by options", source_.place(child), name));
    } else {
      done = read_cluster_or_zone(child);
    }
    if (!done) {
      return done;
    }
  }
  return {};
}

base::Result<void> Reader::read_cluster_or_zone(const pugi::xml_node& element) {
  const std::string_view name = element.name();
  if (name != "cluster" && name != "zone" && name != "AS") {
    return refuse(element, "<config>, <zone> or <cluster>");
  }
  if (found_cluster_) {
    return base::fail(fmt::format("{}: found <{}> after a <cluster>, expected one cluster: several are not supported yet",
                                  source_.place(element), name));
  }
  return name == "cluster" ? read_cluster(element) : read_zone(element);
}

base::Result<void> Reader::read_zone(const pugi::xml_node& zone) {
  for (const pugi::xml_node& child : zone.children()) {
    const std::string_view name = child.name();
    if (name == "prop") {
      warnings_.push_back(fmt::format("{}: properties of <{}> are not used", source_.place(child), zone.name()));
    } else if (name == "zone" || name == "AS") {
      return base::fail(fmt::format("{}: found <{}> within <{}>, expected a <cluster>: nested zones are not supported yet",
                                    source_.place(child), name, zone.name()));
    } else if (name != "cluster") {
      return refuse(child, "<cluster>");
    } else if (const auto done = read_cluster_or_zone(child); !done) {
      return done;
    }
  }
  return {};
}

base::Result<void> Reader::read_cluster(const pugi::xml_node& cluster) {
  found_cluster_ = true;
  for (const auto step : {&Reader::check_attributes, &Reader::read_hosts, &Reader::read_links, &Reader::read_nodes}) {
    if (auto done = (this->*step)(cluster); !done) {
      return done;
    }
  }
  return {};
}

base::Result<void> Reader::check_attributes(const pugi::xml_node& cluster) {
  std::set<std::string_view> seen;
  for (const pugi::xml_attribute& attribute : cluster.attributes()) {
    const char* name = attribute.name();
    if (!contains(kClusterAttributes, name)) {
      return base::fail(fmt::format("{}: found unknown attribute {} of <cluster>, expected one of {}",
                                    source_.place(cluster, name), in_quotes(name), fmt::join(kClusterAttributes, ", ")));
    }
    if (!seen.insert(name).second) {
      return base::fail(fmt::format("{}: found it twice, expected it once", label(cluster, name)));
    }
  }
  const std::string_view topology = cluster.attribute("topology").as_string("FLAT");
  if (topology == "TORUS" || topology == "FAT_TREE" || topology == "DRAGONFLY") {
    return refuse(cluster, "topology", "FLAT: other topologies are not supported yet");
  }
  if (topology != "FLAT") {
    return refuse(cluster, "topology", "FLAT");
  }
  if (*cluster.attribute("topo_parameters").value() != '\0') {
    warn(cluster, "topo_parameters", "a flat cluster has none");
  }
  if (*cluster.attribute("limiter_link").value() != '\0') {
    if (const auto limit = parse_bandwidth(cluster.attribute("limiter_link").value()); !limit) {
      return at_place(label(cluster, "limiter_link"), limit.error());
    }
    warn(cluster, "limiter_link", "limiter links are not modelled");
  }
  return {};
}

base::Result<void> Reader::read_hosts(const pugi::xml_node& cluster) {
  const auto as_text = [](std::string_view text) -> base::Result<std::string> {
    if (text.size() > kLongestName) {
      return base::fail(fmt::format("found {}, expected at most {} characters", in_quotes(text), kLongestName));
    }
    return std::string(text);
  };
  const std::string_view speeds = cluster.attribute("speed").value();
  const auto first_speed = [](std::string_view text) { return parse_speed(text.substr(0, text.find(','))); };
  const auto cores = [](std::string_view text) { return parse_integer(text, 1, kMostCores); };
  std::int64_t core_count = 1;
  for (const auto& done :
       {required(cluster, "id", cluster_.id, as_text), required(cluster, "prefix", cluster_.prefix, as_text),
        required(cluster, "suffix", cluster_.suffix, as_text), required(cluster, "radical", cluster_.radicals, parse_radical),
        required(cluster, "speed", cluster_.speed, first_speed),
        cluster.attribute("core") ? required(cluster, "core", core_count, cores) : base::Result<void>()}) {
    if (!done) {
      return done;
    }
  }
  if (speeds.find(',') != std::string_view::npos) {
    warn(cluster, "speed", "only the first processor state is used");
  }
  cluster_.cores = static_cast<int>(core_count);
  return {};
}

// A link that exists when its bandwidth is given. A latency above 0 alone is a slip: SimGrid would make a link of 0 B/s.
base::Result<std::optional<LinkFigures>> Reader::read_link(const pugi::xml_node& cluster, const char* bandwidth,
                                                           const char* latency) {
  LinkFigures figures;
  if (*cluster.attribute(latency).value() != '\0') {
    if (const auto done = required(cluster, latency, figures.latency, parse_time); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  if (*cluster.attribute(bandwidth).value() == '\0') {
    if (figures.latency > base::Seconds(0.0)) {
      return refuse(cluster, latency, fmt::format("attribute {} beside it", bandwidth));
    }
    return std::optional<LinkFigures>();
  }
  if (const auto done = required(cluster, bandwidth, figures.bandwidth, parse_bandwidth); !done) {
    return tl::make_unexpected(done.error());
  }
  return std::optional(figures);
}

base::Result<void> Reader::read_links(const pugi::xml_node& cluster) {
  for (const auto& done :
       {required(cluster, "bw", cluster_.bandwidth, parse_bandwidth), required(cluster, "lat", cluster_.latency, parse_time)}) {
    if (!done) {
      return done;
    }
  }
  const std::string_view policy = cluster.attribute("sharing_policy").as_string("SPLITDUPLEX");
  if (policy == "SHARED") {
    cluster_.host_link = HostLink::shared;
  } else if (policy == "FATPIPE") {
    cluster_.host_link = HostLink::fatpipe;
    warn(cluster, "sharing_policy", "flows do not share the hosts' links, as asked for; SimGrid 3.32 lets them share");
  } else if (policy != "SPLITDUPLEX" && policy != "FULLDUPLEX") { // the latter is the older spelling
    return refuse(cluster, "sharing_policy", "SHARED, SPLITDUPLEX or FATPIPE");
  }
  for (auto [target, bandwidth, latency] :
       {std::tuple(&cluster_.backbone, "bb_bw", "bb_lat"), std::tuple(&cluster_.loopback, "loopback_bw", "loopback_lat")}) {
    auto link = read_link(cluster, bandwidth, latency);
    if (!link) {
      return tl::make_unexpected(link.error());
    }
    *target = *link;
  }
  const std::string_view backbone_policy = cluster.attribute("bb_sharing_policy").as_string("SHARED");
  if (backbone_policy != "SHARED" && backbone_policy != "FATPIPE") {
    return refuse(cluster, "bb_sharing_policy", "SHARED or FATPIPE");
  }
  if (cluster_.backbone && backbone_policy == "FATPIPE") {
    cluster_.backbone->sharing = Sharing::fatpipe;
  }
  return {};
}

base::Result<void> Reader::read_nodes(const pugi::xml_node& cluster) {
  for (const pugi::xml_node& child : cluster.children()) {
    if (std::string_view(child.name()) != "prop") {
      return refuse(child, "<prop>");
    }
  }
  Properties properties;
  if (const auto done = source_.read_properties(cluster, properties); !done) {
    return done;
  }
  auto nodes = read_node_properties(properties, cluster_.cores, warnings_);
  if (!nodes) {
    return tl::make_unexpected(nodes.error());
  }
  nodes_ = *std::move(nodes);
  cluster_.power = nodes_.power;
  cluster_.relative_speed = nodes_.relative_speed;
  if (cluster_.loopback) {
    cluster_.loopback->sharing = nodes_.loopback_sharing.value_or(Sharing::fatpipe); // as SimGrid makes it
  } else if (nodes_.loopback_sharing) {
    warnings_.push_back(
        fmt::format("{}: farcast:loopback_sharing_policy has no effect without loopback_bw", source_.place(cluster)));
  }
  return {};
}

} // namespace

base::Result<Platform> parse_simgrid_xml(std::string_view text, const std::string& file_name) {
  return Reader(text, file_name).read();
}

base::Result<Platform> read_simgrid_xml(const std::string& path) {
  const base::Result<std::string> text = read_text_file(path, "a SimGrid platform file");
  return text ? parse_simgrid_xml(*text, path) : tl::make_unexpected(text.error());
}

} // namespace farcast::platform
