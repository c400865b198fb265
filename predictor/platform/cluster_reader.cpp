#include "predictor/platform/cluster_reader.h"

#include "predictor/base/words.h"
#include "predictor/platform/node_properties.h"
#include "predictor/platform/platform_properties.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/radical.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

namespace farcast::platform {

namespace {

constexpr std::int64_t kMostCores = 1 << 16;       // of one host; more is taken for a slip in the file
constexpr std::int64_t kLargestCount = 1 << 20;    // in topo_parameters
constexpr std::size_t kMostLevels = 16;            // of a fat tree, dimensions of a torus
constexpr std::uint64_t kMostShapeHosts = 1 << 24; // products beyond it are not formed

constexpr std::array<std::string_view, 18> kAttributes = {
    "id",           "prefix",      "suffix",         "radical",   "speed",    "core",
    "bw",           "lat",         "sharing_policy", "bb_bw",     "bb_lat",   "bb_sharing_policy",
    "limiter_link", "loopback_bw", "loopback_lat",   "router_id", "topology", "topo_parameters"};

// A list of whole numbers from 1 up; empty for anything else.
std::vector<std::uint32_t> counts(std::string_view text) {
  std::vector<std::uint32_t> result;
  for (const std::string_view part : base::split(text, ',')) {
    const base::Result<std::int64_t> count = parse_integer(trimmed(part), 1, kLargestCount);
    if (!count || result.size() == kMostLevels) {
      return {};
    }
    result.push_back(static_cast<std::uint32_t>(*count));
  }
  return result;
}

bool small_enough(const std::vector<std::uint32_t>& factors) {
  std::uint64_t product = 1;
  for (const std::uint32_t factor : factors) {
    product *= factor;
    if (product > kMostShapeHosts) {
      return false;
    }
  }
  return true;
}

tl::unexpected<base::Error> too_large(std::string_view text) {
  return unlike(text, fmt::format("a shape of at most {} hosts or switches", kMostShapeHosts));
}

class ClusterReader {
public:
  ClusterReader(const XmlSource& source, const pugi::xml_node& element, std::vector<std::string>& warnings)
      : source_(source), element_(element), warnings_(warnings) {}

  base::Result<ReadCluster> read() {
    for (const auto step : {&ClusterReader::read_hosts, &ClusterReader::read_shape, &ClusterReader::read_links,
                            &ClusterReader::read_properties, &ClusterReader::check_size}) {
      if (const base::Result<void> done = (this->*step)(); !done) {
        return tl::make_unexpected(done.error());
      }
    }
    const Cluster& cluster = result_.cluster;
    result_.router = element_.attribute("router_id").value();
    if (result_.router.empty()) {
      result_.router = cluster.prefix + cluster.id + "_router" + cluster.suffix;
    }
    result_.hosts_and_cores = fmt::format("{} hosts with {} cores", cluster.radicals.size(), cluster.cores);
    return std::move(result_);
  }

private:
  base::Result<void> read_hosts();
  base::Result<void> read_shape();
  base::Result<void> read_links();
  base::Result<void> read_properties();
  base::Result<void> check_size();
  base::Result<std::optional<LinkFigures>> read_link(const char* bandwidth, const char* latency);

  void warn(const char* attribute, std::string_view what) {
    warnings_.push_back(fmt::format("{}: {}", source_.label(element_, attribute), what));
  }

  const XmlSource& source_;
  const pugi::xml_node& element_;
  std::vector<std::string>& warnings_;
  std::vector<base::FlopsPerSecond> speeds_; // [processor state]
  ReadCluster result_;
};

base::Result<void> ClusterReader::read_hosts() {
  Cluster& cluster = result_.cluster;
  const auto cores = [](std::string_view text) { return parse_integer(text, 1, kMostCores); };
  std::int64_t core_count = 1;
  for (const auto& done :
       {source_.check_attributes(element_, kAttributes), source_.required(element_, "id", cluster.id, parse_name_part),
        source_.required(element_, "prefix", cluster.prefix, parse_name_part),
        source_.required(element_, "suffix", cluster.suffix, parse_name_part),
        source_.required(element_, "radical", cluster.radicals, parse_radical),
        source_.required(element_, "speed", speeds_, parse_speeds),
        element_.attribute("core") ? source_.required(element_, "core", core_count, cores) : base::Result<void>()}) {
    if (!done) {
      return done;
    }
  }
  cluster.speed = speeds_.front();
  cluster.cores = static_cast<int>(core_count);
  return {};
}

base::Result<void> ClusterReader::read_shape() {
  const std::string_view topology = element_.attribute("topology").as_string("FLAT");
  ClusterShape& shape = result_.cluster.shape;
  const auto read = [&](auto parse) { return source_.required(element_, "topo_parameters", shape, parse); };
  if (topology == "FAT_TREE") {
    return read(parse_fat_tree);
  }
  if (topology == "TORUS") {
    return read(parse_torus);
  }
  if (topology == "DRAGONFLY") {
    return read(parse_dragonfly);
  }
  if (topology != "FLAT") {
    return source_.unlike(element_, "topology", "FLAT, FAT_TREE, TORUS or DRAGONFLY");
  }
  if (*element_.attribute("topo_parameters").value() != '\0') {
    warn("topo_parameters", "a flat cluster has none");
  }
  return {};
}

// A link that exists when its bandwidth is given. A latency above 0 alone is a slip: SimGrid would
// make a link of 0 B/s.
base::Result<std::optional<LinkFigures>> ClusterReader::read_link(const char* bandwidth, const char* latency) {
  LinkFigures figures;
  if (const auto done = source_.optional(element_, latency, figures.latency, parse_time); !done) {
    return tl::make_unexpected(done.error());
  }
  if (*element_.attribute(bandwidth).value() == '\0') {
    if (figures.latency > base::Seconds(0.0)) {
      return source_.unlike(element_, latency, fmt::format("attribute {} beside it", bandwidth));
    }
    return std::optional<LinkFigures>();
  }
  if (const auto done = source_.required(element_, bandwidth, figures.bandwidth, parse_bandwidth); !done) {
    return tl::make_unexpected(done.error());
  }
  return std::optional(figures);
}

base::Result<void> ClusterReader::read_links() {
  Cluster& cluster = result_.cluster;
  for (const auto& done : {source_.required(element_, "bw", cluster.bandwidth, parse_bandwidth),
                           source_.required(element_, "lat", cluster.latency, parse_time),
                           source_.optional(element_, "limiter_link", cluster.limiter, parse_bandwidth)}) {
    if (!done) {
      return done;
    }
  }
  const std::string_view policy = element_.attribute("sharing_policy").as_string("SPLITDUPLEX");
  if (policy == "SHARED") {
    cluster.host_link = HostLink::shared;
  } else if (policy == "FATPIPE") {
    cluster.host_link = HostLink::fatpipe;
    warn("sharing_policy", "flows do not share the hosts' links, as asked for; SimGrid 3.32 lets them share");
  } else if (policy != "SPLITDUPLEX" && policy != "FULLDUPLEX") { // the latter is the older spelling
    return source_.unlike(element_, "sharing_policy", "SHARED, SPLITDUPLEX or FATPIPE");
  }
  for (auto [target, bandwidth, latency] :
       {std::tuple(&cluster.backbone, "bb_bw", "bb_lat"), std::tuple(&cluster.loopback, "loopback_bw", "loopback_lat")}) {
    auto link = read_link(bandwidth, latency);
    if (!link) {
      return tl::make_unexpected(link.error());
    }
    *target = *link;
  }
  const std::string_view backbone_policy = element_.attribute("bb_sharing_policy").as_string("SHARED");
  if (backbone_policy != "SHARED" && backbone_policy != "FATPIPE") {
    return source_.unlike(element_, "bb_sharing_policy", "SHARED or FATPIPE");
  }
  if (cluster.backbone && backbone_policy == "FATPIPE") {
    cluster.backbone->sharing = Sharing::fatpipe;
  }
  if (cluster.backbone && !std::holds_alternative<FlatShape>(cluster.shape)) {
    warn("bb_bw", fmt::format("a {} has no backbone", element_.attribute("topology").value()));
    cluster.backbone.reset();
  }
  return {};
}

base::Result<void> ClusterReader::read_properties() {
  for (const pugi::xml_node& child : element_.children()) {
    if (std::string_view(child.name()) != "prop") {
      return source_.unlike(child, "<prop>");
    }
  }
  Properties properties;
  if (const auto done = source_.read_properties(element_, properties); !done) {
    return done;
  }
  result_.about_platform = take_platform_properties(properties);
  Cluster& cluster = result_.cluster;
  const auto nodes = read_node_properties(properties, {cluster.cores, speeds_, 0, true}, warnings_);
  if (!nodes) {
    return tl::make_unexpected(nodes.error());
  }
  cluster.power = nodes->processor->states.front().power;
  cluster.processor = nodes->processor;
  cluster.relative_speed = nodes->relative_speed;
  cluster.disk = nodes->disk;
  cluster.link_power = nodes->link_power;
  cluster.cores_per_cache = nodes->cores_per_cache;
  cluster.failure_rate = nodes->failure_rate;
  if (cluster.loopback) {
    cluster.loopback->sharing = nodes->loopback_sharing.value_or(Sharing::fatpipe); // as SimGrid makes it
  } else if (nodes->loopback_sharing) {
    warnings_.push_back(
        fmt::format("{}: farcast:loopback_sharing_policy has no effect without loopback_bw", source_.place(element_)));
  }
  return {};
}

base::Result<void> ClusterReader::check_size() {
  const Cluster& cluster = result_.cluster;
  if (const auto hosts = hosts_of(cluster.shape); hosts && *hosts != cluster.radicals.size()) {
    return base::fail(fmt::format("{}: found a shape of {} hosts, expected {}, as many as attribute radical names",
                                  source_.label(element_, "topo_parameters"), *hosts, cluster.radicals.size()));
  }
  if (links_of(cluster) > kMostLinks) {
    return base::fail(fmt::format("{}: found a shape of {} links, expected at most {}",
                                  source_.label(element_, "topo_parameters"), links_of(cluster), kMostLinks));
  }
  return {};
}

} // namespace

base::Result<ReadCluster> read_cluster(const XmlSource& source, const pugi::xml_node& element,
                                       std::vector<std::string>& warnings) {
  return ClusterReader(source, element, warnings).read();
}

base::Result<FatTreeShape> parse_fat_tree(std::string_view text) {
  constexpr std::string_view kExpected = "levels;children,...;parents,...;cables,... with one number per level and list, such as "
                                         "2;4,4;1,2;1,2";
  const std::vector<std::string_view> parts = base::split(text, ';');
  if (parts.size() != 4) {
    return unlike(text, kExpected);
  }
  const std::vector<std::uint32_t> levels = counts(parts[0]);
  FatTreeShape shape{counts(parts[1]), counts(parts[2]), counts(parts[3])};
  if (levels.size() != 1 || shape.children.size() != levels[0] || shape.parents.size() != levels[0] ||
      shape.cables.size() != levels[0]) {
    return unlike(text, kExpected);
  }
  std::vector<std::uint32_t> all = shape.cables;
  for (std::size_t i = 0; i < levels[0]; ++i) {
    all.push_back(std::max(shape.children[i], shape.parents[i]));
  }
  if (!small_enough(all)) {
    return too_large(text);
  }
  return shape;
}

base::Result<TorusShape> parse_torus(std::string_view text) {
  TorusShape shape{counts(text)};
  if (shape.sizes.empty()) {
    return unlike(text, "the size of each dimension, such as 4,4,2");
  }
  if (!small_enough(shape.sizes)) {
    return too_large(text);
  }
  return shape;
}

base::Result<DragonflyShape> parse_dragonfly(std::string_view text) {
  constexpr std::string_view kExpected = "groups,links;chassis,links;blades,links;nodes such as 3,4;4,3;5,1;2";
  const std::vector<std::string_view> parts = base::split(text, ';');
  if (parts.size() != 4) {
    return unlike(text, kExpected);
  }
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::vector<std::uint32_t> part = counts(parts[i]);
    if (part.size() != (i < 3 ? 2 : 1)) {
      return unlike(text, kExpected);
    }
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  const DragonflyShape shape{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]};
  // The cables between groups stand at blades: routes to a group beyond the last blade have none
  // (SimGrid reads past its table).
  if (shape.groups > shape.blades) {
    return unlike(text, "at least as many blades in a chassis as there are groups");
  }
  if (!small_enough({shape.groups, shape.chassis, shape.blades, std::max({shape.nodes, shape.blades, shape.chassis})})) {
    return too_large(text);
  }
  return shape;
}

base::Result<std::vector<base::FlopsPerSecond>> parse_speeds(std::string_view text) {
  std::vector<base::FlopsPerSecond> speeds;
  for (const std::string_view part : base::split(text, ',')) {
    const base::Result<base::FlopsPerSecond> speed = parse_speed(trimmed(part));
    if (!speed) {
      return tl::make_unexpected(speed.error());
    }
    speeds.push_back(*speed);
  }
  return speeds;
}

} // namespace farcast::platform
