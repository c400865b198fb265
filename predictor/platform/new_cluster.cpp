#include "predictor/platform/new_cluster.h"

#include "predictor/platform/platform.h"

#include <fmt/format.h>

namespace farcast::platform {

namespace {

// A message crosses the links of two nodes.
constexpr int kLinksOnTheWay = 2;

// What the links of a way have to have together, for SimGrid adds an envelope to each message.
base::Seconds less_envelope(base::Seconds latency, base::BytesPerSecond bandwidth) { return latency - envelope_time(bandwidth); }

std::string in_us(base::Seconds time) { return fmt::format("{:.10g}us", time.value() * 1e6); }
std::string in_bytes(base::BytesPerSecond bandwidth) { return fmt::format("{:.12g}Bps", bandwidth.value()); }

std::string power_of(const NewCluster& cluster) {
  if (!cluster.idle || !cluster.computing)
    return "      <!-- no power: <prop id=\"wattage_per_state\" value=\"IDLE:IDLE:ALL_CORES\"/> would give watts -->\n";
  return fmt::format("      <prop id=\"wattage_per_state\" value=\"{0:.10g}:{0:.10g}:{1:.10g}\"/>\n", cluster.idle->value(),
                     cluster.computing->value());
}

} // namespace

base::Seconds envelope_time(base::BytesPerSecond bandwidth) {
  return base::Seconds(PointToPoint{}.envelope_bytes / bandwidth.value());
}

std::string cluster_file(const std::string& name, const NewCluster& cluster) {
  const NewCluster assumed;
  const bool node_assumed = cluster.node_bandwidth == assumed.node_bandwidth && cluster.node_latency == assumed.node_latency;
  std::string out =
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "  <!-- A message of n bytes between two nodes takes the latency of the description and n over bw: SimGrid's\n"
      "       corrections for TCP over Ethernet are off, and two links have that latency together, less what the\n"
      "       16 B take that are added to each message. `farcast calibrate network` measures a real network's. -->\n"
      "  <config>\n"
      "    <prop id=\"network/latency-factor\" value=\"1\"/>\n"
      "    <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n"
      "    <prop id=\"network/TCP-gamma\" value=\"0\"/>\n"
      "    <prop id=\"network/weight-S\" value=\"0\"/>\n"
      "    <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
      "  </config>\n";
  out += fmt::format(
      "  <zone id=\"world\" routing=\"Full\">\n"
      "    <cluster id=\"{0}\" prefix=\"{0}-\" suffix=\"\" radical=\"0-{1}\" speed=\"{2:.10g}f\" core=\"{3}\"\n"
      "             bw=\"{4}\" lat=\"{5}\" sharing_policy=\"SPLITDUPLEX\" loopback_bw=\"{6}\" loopback_lat=\"{7}\">\n",
      name, cluster.nodes - 1, cluster.speed.value(), cluster.cores, in_bytes(cluster.bandwidth),
      in_us(less_envelope(cluster.latency, cluster.bandwidth) * (1.0 / kLinksOnTheWay)), in_bytes(cluster.node_bandwidth),
      in_us(less_envelope(cluster.node_latency, cluster.node_bandwidth)));
  out += power_of(cluster);
  out += fmt::format("      <prop id=\"farcast:description\" value=\"{} nodes of {} cores, {} between nodes\"/>\n", cluster.nodes,
                     cluster.cores, in_us(cluster.latency));
  out += fmt::format("      <prop id=\"farcast:source\" value=\"farcast platform new{}\"/>\n",
                     node_assumed ? "; assumed: messages within a node" : "");
  return out + "    </cluster>\n  </zone>\n</platform>\n";
}

} // namespace farcast::platform
