#include "predictor/platform/node_properties.h"

#include "predictor/base/nearest_name.h"
#include "predictor/base/words.h"
#include "predictor/platform/link_power.h"
#include "predictor/platform/logp_property.h"
#include "predictor/platform/platform_properties.h"
#include "predictor/platform/power_states.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/thread_properties.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace farcast::platform {

namespace {

constexpr std::string_view kOwnPrefix = "farcast:";
constexpr std::int64_t kMostCores = 1 << 20;

class NodeReader {
public:
  NodeReader(std::vector<std::string>& warnings, const NodeAttributes& node) : warnings_(warnings), node_(node) {}

  base::Result<void> read(const Property& property) {
    if (property.id == "wattage_per_state") {
      watts_.per_state = &property;
      return {};
    }
    if (property.id == "wattage_off") { // unused nodes are not counted: checked only
      return check(property, parse_non_negative(property.value));
    }
    if (property.id.starts_with(kOwnPrefix)) {
      const base::Result<bool> saving = read_saving(std::string_view(property.id).substr(kOwnPrefix.size()), property);
      if (!saving) {
        return tl::make_unexpected(saving.error());
      }
      return *saving ? base::Result<void>() : read_own(property);
    }
    warnings_.push_back(fmt::format("{} is not used", label(property)));
    return {};
  }

  base::Result<NodeProperties> finish() {
    const base::Result<std::vector<NodePower>> power = read_power_states(watts_, node_.cores, node_.state, warnings_);
    if (!power) {
      return tl::make_unexpected(power.error());
    }
    if (!power->empty() && power->size() != node_.speeds.size()) {
      warnings_.push_back(
          fmt::format("{}: found watts of {} processor states, expected as many as attribute speed has speeds, {}",
                      label(*watts_.per_state), power->size(), node_.speeds.size()));
    }
    const auto threads = read_thread_formulas(threads_, node_.cores);
    if (!threads) {
      return tl::make_unexpected(threads.error());
    }
    Processor processor;
    processor.threads = *threads;
    processor.logp = std::move(logp_);
    processor.clock_share = clock_share_;
    processor.saving = saving_;
    for (std::size_t i = 0; i < node_.speeds.size(); ++i) {
      ProcessorState& state = processor.states.emplace_back();
      state.speed = node_.speeds[i];
      if (!frequencies_.empty()) {
        state.frequency = frequencies_[i];
      }
      if (i < power->size()) {
        state.power = (*power)[i];
      }
    }
    result_.processor = std::make_shared<const Processor>(std::move(processor));
    return result_;
  }

private:
  base::Result<void> read_frequencies(const Property& property) {
    for (const std::string_view part : base::split(property.value, ',')) {
      const base::Result<double> ghz = parse_positive(trimmed(part));
      if (!ghz) {
        return unlike(property, "frequencies in GHz such as 2.3,1.8,1.2");
      }
      frequencies_.emplace_back(*ghz * 1e9);
    }
    if (frequencies_.size() != node_.speeds.size()) {
      return unlike(property, fmt::format("as many frequencies as attribute speed has speeds, {}", node_.speeds.size()));
    }
    return {};
  }

  base::Result<void> read_clock_share(const Property& property) {
    const base::Result<double> share = parse_non_negative(property.value);
    if (!share || *share > 1.0) {
      return unlike(property, "a number from 0 to 1");
    }
    clock_share_ = *share;
    return {};
  }

  base::Result<void> read_throttled_shares(const Property& property) {
    const std::vector<std::string_view> parts = base::split(property.value, ':');
    const auto refused = [&] { return unlike(property, "the shares of T4 and T7, from 0 to 1, such as 0.5:0.12"); };
    if (parts.size() != saving_.throttled.size()) {
      return refused();
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const base::Result<double> share = parse_non_negative(trimmed(parts[i]));
      if (!share || *share > 1.0) {
        return refused();
      }
      saving_.throttled.at(i) = *share;
    }
    return {};
  }

  // Returns: whether the property is one of those of PowerSaving.
  base::Result<bool> read_saving(std::string_view name, const Property& property) {
    if (name == "throttled_shares") {
      return read_throttled_shares(property).map([] { return true; });
    }
    if (name == "sockets") {
      const base::Result<std::int64_t> count = parse_integer(property.value, 1, node_.cores);
      if (!count || node_.cores % *count != 0) {
        return unlike(property, fmt::format("a number of sockets that share {} cores evenly", node_.cores));
      }
      saving_.sockets = static_cast<int>(*count);
      return true;
    }
    if (name != "dvfs_latency" && name != "throttle_latency") {
      return false;
    }
    const base::Result<base::Seconds> time = parse_time(property.value);
    if (!time) {
      return at_place(label(property), time.error());
    }
    (name == "dvfs_latency" ? saving_.dvfs_latency : saving_.throttle_latency) = *time;
    return true;
  }

  base::Result<void> read_failure_rate(const Property& property) {
    const base::Result<double> per_second = parse_non_negative(property.value);
    if (per_second) {
      result_.failure_rate = base::Hertz(*per_second);
    }
    return check(property, per_second);
  }

  base::Result<void> read_link_watts(const Property& property) {
    if (!node_.has_links) {
      return unlike(property, "it in a <cluster>: a host has no links");
    }
    const base::Result<LinkPower> power = read_link_power(property);
    if (!power) {
      return tl::make_unexpected(power.error());
    }
    result_.link_power = *power;
    return {};
  }

  // Returns: where a property is kept that is read together with others; null for any other.
  const Property** kept_until_the_end(std::string_view name) {
    const std::pair<std::string_view, const Property**> all[] = {{"polling_watts", &watts_.polling},
                                                                 {"probing_watts", &watts_.probing},
                                                                 {"memory_watts", &watts_.memory},
                                                                 {"thread_times", &threads_.times},
                                                                 {"hardware_threads", &threads_.hardware_threads},
                                                                 {"thread_watts", &threads_.watts}};
    for (const auto& [id, place] : all) {
      if (id == name) {
        return place;
      }
    }
    return nullptr;
  }

  base::Result<void> read_own(const Property& property) {
    const std::string_view name = std::string_view(property.id).substr(kOwnPrefix.size());
    if (const Property** const kept = kept_until_the_end(name)) {
      *kept = &property;
      return {};
    }
    if (name == "logp") {
      auto network = read_logp(property);
      if (!network) {
        return tl::make_unexpected(network.error());
      }
      logp_ = std::move(*network);
      return {};
    }
    if (name == "frequencies") {
      return read_frequencies(property);
    }
    if (name == "clock_share") {
      return read_clock_share(property);
    }
    if (name == "relative_speed") {
      const base::Result<double> speed = parse_positive(property.value);
      if (speed) {
        result_.relative_speed = *speed;
      }
      return check(property, speed);
    }
    if (name == "disk_read_bw" || name == "disk_write_bw") {
      const base::Result<base::BytesPerSecond> bandwidth = parse_bandwidth(property.value);
      if (!bandwidth) {
        return at_place(label(property), bandwidth.error());
      }
      (name == "disk_read_bw" ? disk_read_ : disk_write_) = *bandwidth;
      result_.disk = Disk{disk_read_ ? *disk_read_ : *disk_write_, disk_write_ ? *disk_write_ : *disk_read_};
      return {};
    }
    if (name == "cores_per_cache") {
      const base::Result<std::int64_t> count = parse_integer(property.value, 1, kMostCores);
      if (!count) {
        return at_place(label(property), count.error());
      }
      result_.cores_per_cache = static_cast<int>(*count);
      return {};
    }
    if (name == "failure_rate") {
      return read_failure_rate(property);
    }
    if (name == "link_wattage_range") {
      return read_link_watts(property);
    }
    if (name == "loopback_sharing_policy") {
      if (property.value != "SHARED" && property.value != "FATPIPE") {
        return unlike(property, "SHARED or FATPIPE");
      }
      result_.loopback_sharing = property.value == "SHARED" ? Sharing::shared : Sharing::fatpipe;
      return {};
    }
    return unknown(property);
  }

  static tl::unexpected<base::Error> unknown(const Property& property) {
    std::vector<std::string> known = {
        "farcast:polling_watts",    "farcast:probing_watts",    "farcast:relative_speed",     "farcast:loopback_sharing_policy",
        "farcast:disk_read_bw",     "farcast:disk_write_bw",    "farcast:cores_per_cache",    "farcast:frequencies",
        "farcast:clock_share",      "farcast:sockets",          "farcast:dvfs_latency",       "farcast:throttle_latency",
        "farcast:throttled_shares", "farcast:failure_rate",     "farcast:link_wattage_range", "farcast:memory_watts",
        "farcast:thread_times",     "farcast:hardware_threads", "farcast:thread_watts",       "farcast:logp"};
    const std::vector<std::string> of_platform = platform_property_names();
    known.insert(known.end(), of_platform.begin(), of_platform.end());
    const std::vector<std::string> nearest = base::nearest_names(property.id, known, 1);
    return base::fail(fmt::format("{}: unknown property {}, expected one of {}{}", property.place, in_quotes(property.id),
                                  fmt::join(known, ", "),
                                  nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest.front())));
  }

  static base::Result<void> check(const Property& property, const base::Result<double>& value) {
    if (!value) {
      return at_place(label(property), value.error());
    }
    return {};
  }

  std::vector<std::string>& warnings_;
  const NodeAttributes& node_;
  NodeProperties result_;
  std::optional<base::BytesPerSecond> disk_read_;
  std::optional<base::BytesPerSecond> disk_write_;
  std::vector<base::Hertz> frequencies_; // [processor state]
  std::optional<double> clock_share_;
  PowerSaving saving_;
  WattProperties watts_;
  ThreadProperties threads_;
  std::optional<model::LogpNetwork> logp_;
};

} // namespace

base::Result<NodeProperties> read_node_properties(const Properties& properties, const NodeAttributes& node,
                                                  std::vector<std::string>& warnings) {
  NodeReader reader(warnings, node);
  for (const Property& property : properties) {
    if (const base::Result<void> done = reader.read(property); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  return reader.finish();
}

} // namespace farcast::platform
