#include "calib/study/platform_file.h"

#include <cmath>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <sstream>

namespace farcast::study {

namespace {

constexpr double kSharedBackbone = 1.2; // disjoint pairs slow each other down by more: something between the nodes is shared
constexpr double kHalfDuplex = 1.5;

void add_property(pugi::xml_node parent, const std::string& id, const std::string& value) {
  pugi::xml_node node = parent.append_child("prop");
  node.append_attribute("id") = id.c_str();
  node.append_attribute("value") = value.c_str();
}

std::string factors(const std::vector<FactorLine>& lines) {
  std::string text;
  for (const FactorLine& line : lines)
    text += fmt::format("{}{:.0f}:{:.6g}", text.empty() ? "" : ";", line.above_bytes, line.factor);
  return text;
}

std::string overheads(const std::vector<OverheadLine>& lines) {
  std::string text;
  for (const OverheadLine& line : lines)
    text += fmt::format("{}{:.0f}:{:.6g}:{:.6g}", text.empty() ? "" : ";", line.above_bytes, line.base_s, line.per_byte_s);
  return text;
}

const Contention* find_contention(const PairCalibration& pair, std::string_view kind) {
  for (const Contention& contention : pair.contention) {
    if (contention.kind == kind) return &contention;
  }
  return nullptr;
}

void add_config(pugi::xml_node platform, const NetworkCalibration& calibration) {
  const PairCalibration& pair = calibration.main_pair();
  pugi::xml_node config = platform.append_child("config");
  add_property(config, "smpi/bw-factor", factors(pair.bandwidth_factor));
  add_property(config, "smpi/lat-factor", factors(pair.latency_factor));
  if (!pair.send_overhead.empty()) add_property(config, "smpi/os", overheads(pair.send_overhead));
  if (!pair.isend_overhead.empty()) add_property(config, "smpi/ois", overheads(pair.isend_overhead));
  if (!pair.receive_overhead.empty()) add_property(config, "smpi/or", overheads(pair.receive_overhead));
  // Smaller sizes are detached, and travel before their receive is posted: the limit itself is one
  // of them.
  for (const char* threshold : {"smpi/send-is-detached-thresh", "smpi/async-small-thresh"})
    add_property(config, threshold, fmt::format("{:.0f}", pair.eager_limit + 1.0));
  if (calibration.iprobe_s.value > 0.0) add_property(config, "smpi/iprobe", fmt::format("{:.4g}", calibration.iprobe_s.value));
  if (calibration.test_s.value > 0.0) add_property(config, "smpi/test", fmt::format("{:.4g}", calibration.test_s.value));
  add_property(config, "network/TCP-gamma", "0"); // the measured bandwidth has every window in it
  add_property(config, "network/crosstraffic", "no");
}

void add_cluster_attributes(pugi::xml_node cluster, const NetworkCalibration& calibration, int nodes) {
  const PairCalibration& pair = calibration.main_pair();
  const auto set = [&](const char* name, const std::string& value) { cluster.append_attribute(name) = value.c_str(); };
  const auto rate = [](double bytes_per_second) { return fmt::format("{:.9g}Bps", bytes_per_second); };
  const auto time = [](double seconds) { return fmt::format("{:.9g}s", seconds); };
  set("id", "calibrated");
  set("prefix", "node-");
  set("suffix", "");
  set("radical", nodes > 1 ? fmt::format("0-{}", nodes - 1) : "0");
  set("speed", "1Gf");
  set("core", fmt::format("{}", calibration.cores));
  set("bw", rate(pair.bytes_per_second));
  set("lat", time(pair.latency_s / 2.0)); // a message passes two of them
  const Contention* both = find_contention(pair, "both");
  const bool half_duplex = pair.name != "other-node" && both != nullptr && both->slowdown > kHalfDuplex;
  set("sharing_policy", half_duplex ? "SHARED" : "SPLITDUPLEX");
  const Contention* pairs = find_contention(pair, "pairs");
  if (pair.name == "other-node" && pairs != nullptr && pairs->messages > 1 && pairs->slowdown > kSharedBackbone) {
    set("bb_bw", rate(pair.bytes_per_second * pairs->messages / pairs->slowdown));
    set("bb_lat", "0s");
  }
  // Within a node the same factors hold: the loopback is chosen so that smallest and largest
  // messages come out as measured, against those between nodes. (Not by the first factor itself: it
  // is next to nothing where small messages have no base.)
  const PairCalibration* near = calibration.pair_within_node();
  if (near == nullptr) return;
  set("loopback_bw", rate(near->payload_per_second / pair.bandwidth_factor.back().factor));
  set("loopback_lat", time(pair.latency_s * factor_time(*near, 1.0) / factor_time(pair, 1.0)));
}

void add_transport(pugi::xml_node cluster, const NetworkCalibration& calibration, const PlatformFileOptions& options) {
  const PairCalibration& pair = calibration.main_pair();
  add_property(cluster, "farcast:transport", std::string(name_of(calibration.transport)));
  if (!calibration.self_message.empty()) add_property(cluster, "farcast:self_message", overheads(calibration.self_message));
  for (const auto& [name, curve] :
       {std::pair{"farcast:reduction", &calibration.reduction}, {"farcast:copy", &calibration.copy}}) {
    const std::vector<OverheadLine> lines = overhead_lines(*curve);
    if (!lines.empty()) add_property(cluster, name, overheads(lines));
  }
  add_property(cluster, "farcast:eager_limit", fmt::format("{:.0f}", pair.eager_limit));
  add_property(cluster, "farcast:wakeup_latency", fmt::format("{:.6g}s", pair.wakeup_latency_s));
  if (pair.cold_call_s.value > 0.0) add_property(cluster, "farcast:cold_call", fmt::format("{:.4g}s", pair.cold_call_s.value));
  for (const auto& [name, call] : {std::pair{"farcast:bulk_write", &pair.bulk_write}, {"farcast:bulk_read", &pair.bulk_read}}) {
    if (const double per_byte_s = call->per_byte_s.value; per_byte_s > 0.0)
      add_property(cluster, name, fmt::format("{:.4g}", per_byte_s));
  }
  // Without TCP the bandwidth is the payload's, and nothing is known of packets.
  const double payload = pair.tcp ? pair.tcp->payload_bytes : 0.0;
  add_property(cluster, "farcast:packet_payload", fmt::format("{:.0f}", payload));
  add_property(cluster, "farcast:packet_overhead",
               fmt::format("{:.0f}", pair.tcp ? pair.tcp->path_mtu - payload + kFrameOverhead : 0.0));
  if (options.socket_buffer > 0.0) add_property(cluster, "farcast:socket_buffer", fmt::format("{:.0f}", options.socket_buffer));
}

std::string errors_text(const platform::OverheadErrors& errors) {
  std::string text;
  for (const platform::OverheadError& one : errors)
    text += fmt::format("{}{:.0f}:{:.4g}:{:.4g}:{:.3f}", text.empty() ? "" : ";", one.above_bytes, one.base_s, one.per_byte_s,
                        one.correlation);
  return text;
}

// Half of a 95 % interval in standard errors, were it normal.
double error_of(const fit::Interval& interval) { return (interval.high - interval.low) / 2 / 1.96; }

void add_uncertainty(pugi::xml_node cluster, const NetworkCalibration& calibration) {
  const PairCalibration& pair = calibration.main_pair();
  const auto add = [&](const char* name, const std::string& value) {
    add_property(cluster, std::string("farcast:uncertainty:") + name, value);
  };
  const auto add_figure = [&](const char* name, double value, const char* unit) {
    if (value > 0.0 && std::isfinite(value)) add(name, fmt::format("{:.4g}{}", value, unit));
  };
  add_figure("bandwidth", error_of(pair.bytes_per_second_interval) / pair.bytes_per_second, "");
  // What is not known of an empty message's way is not known of the latency.
  if (pair.latency_s > 0.0) add_figure("latency", error_of(pair.start_s.interval) / pair.latency_s, "");
  if (pair.bulk_write.per_byte_s.value > 0.0) add_figure("bulk_write", error_of(pair.bulk_write.per_byte_s.interval), "");
  if (pair.bulk_read.per_byte_s.value > 0.0) add_figure("bulk_read", error_of(pair.bulk_read.per_byte_s.interval), "");
  if (pair.cold_call_s.value > 0.0) add_figure("cold_call", error_of(pair.cold_call_s.interval), "s");
  for (const auto& [name, curve] : {std::pair{"os", &pair.send},
                                    {"ois", &pair.isend},
                                    {"or", &pair.receive},
                                    {"self_message", &calibration.self},
                                    {"reduction", &calibration.reduction},
                                    {"copy", &calibration.copy}}) {
    if (const std::string text = errors_text(overhead_errors(*curve)); !text.empty()) add(name, text);
  }
}

void add_provenance(pugi::xml_node cluster, const NetworkCalibration& calibration, const Provenance& provenance) {
  const auto add = [&](const std::string& name, const std::string& value) {
    add_property(cluster, "farcast:provenance:" + name, value);
  };
  add("kind", "network");
  for (const auto& [name, value] : to_entries(provenance)) add(name, value);
  add("ranks", fmt::format("{} on {} nodes", calibration.ranks, calibration.hosts));
  std::string samples;
  for (const auto& [kind, count] : calibration.samples)
    samples += fmt::format("{}{} {}", samples.empty() ? "" : ", ", kind, count);
  add("samples", samples);
  if (calibration.batches > 0) add("batches", fmt::format("{}", calibration.batches));
  for (const auto& [name, poll] : {std::pair("iprobe", calibration.iprobe_s), std::pair("test", calibration.test_s)}) {
    if (poll.value > 0.0)
      add(fmt::format("interval:{}", name), fmt::format("95 %: {:.4g} to {:.4g} s", poll.interval.low, poll.interval.high));
  }
  int section = 0;
  for (const PairCalibration& pair : calibration.pairs) {
    add("pair:" + pair.name,
        fmt::format("{}; eager limit {:.0f} B{}; latency {:.4g} s, wake-up {:.4g} s, {:.6g} B/s; one more of "
                    "many small messages every {:.4g} s",
                    pair.where, pair.eager_limit, pair.rendezvous_seen ? "" : " or more", pair.latency_s, pair.wakeup_latency_s,
                    pair.bytes_per_second, pair.message_gap_s.value));
    add("interval:" + pair.name,
        fmt::format(
            "95 %: {:.6g} to {:.6g} B/s, an empty message {:.5g} to {:.5g} s one way; bulk data, s per byte: written {:.4g} to "
            "{:.4g}, read {:.4g} to {:.4g}",
            pair.bytes_per_second_interval.low, pair.bytes_per_second_interval.high, pair.start_s.interval.low,
            pair.start_s.interval.high, pair.bulk_write.per_byte_s.interval.low, pair.bulk_write.per_byte_s.interval.high,
            pair.bulk_read.per_byte_s.interval.low, pair.bulk_read.per_byte_s.interval.high));
    for (const Contention& c : pair.contention)
      add("contention:" + pair.name + ":" + c.kind,
          fmt::format("{} flows at once take {:.3f} times one's time per byte ({} samples)", c.messages, c.slowdown, c.samples));
    for (const Curve* curve : {&pair.one_way, &pair.send, &pair.isend, &pair.receive, &pair.network}) {
      for (const SectionQuality& quality : section_quality(curve->name, pair.name, curve->fit))
        add(fmt::format("section:{}", section++), to_text(quality));
    }
  }
  for (const Curve* curve : {&calibration.self, &calibration.reduction, &calibration.copy}) {
    for (const SectionQuality& quality : section_quality(curve->name, "self", curve->fit))
      add(fmt::format("section:{}", section++), to_text(quality));
  }
  for (std::size_t i = 0; i < calibration.notes.size(); ++i) add(fmt::format("note:{}", i), calibration.notes[i]);
}

} // namespace

std::string platform_file(const NetworkCalibration& calibration, const Provenance& provenance,
                          const PlatformFileOptions& options) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  pugi::xml_node platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  add_config(platform, calibration);
  pugi::xml_node zone = platform.append_child("zone");
  zone.append_attribute("id") = "network";
  zone.append_attribute("routing") = "Full";
  pugi::xml_node cluster = zone.append_child("cluster");
  add_cluster_attributes(cluster, calibration, options.nodes > 0 ? options.nodes : calibration.hosts);
  add_transport(cluster, calibration, options);
  add_property(cluster, "farcast:description", fmt::format("network of {}, calibrated", provenance.host));
  add_property(cluster, "farcast:source", fmt::format("farcast calibrate network, {}; {}", provenance.date, provenance.mpi));
  add_uncertainty(cluster, calibration);
  add_provenance(cluster, calibration, provenance);
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

} // namespace farcast::study
