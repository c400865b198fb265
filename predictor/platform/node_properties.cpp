#include "predictor/platform/node_properties.h"

#include "predictor/platform/nearest_name.h"
#include "predictor/platform/platform_properties.h"
#include "predictor/platform/quantity_text.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace farcast::platform {

namespace {

constexpr std::string_view kOwnPrefix = "farcast:";
constexpr std::int64_t kMostCores = 1 << 20;

struct State { // of the processor; watts of the whole node
  double idle = 0.0;
  double epsilon = 0.0;
  double all_cores = 0.0;
};

std::string label(const Property& property) { return fmt::format("{}: property {}", property.place, property.id); }

tl::unexpected<base::Error> unlike(const Property& property, std::string_view expected) {
  return base::fail(fmt::format("{}: found {}, expected {}", label(property), in_quotes(property.value), expected));
}

// One state: "Idle:Epsilon:AllCores", or "Idle:AllCores", which SimGrid 3.32 takes for Idle:Idle:AllCores.
base::Result<State> read_state(const Property& property, std::string_view text) {
  constexpr std::string_view kExpected = "Idle:Epsilon:AllCores in watts such as 95:120:200";
  std::array<double, 3> watts{};
  std::size_t count = 0;
  for (std::string_view rest = text;; ++count) {
    const std::size_t colon = rest.find(':');
    const base::Result<double> value = parse_non_negative(rest.substr(0, colon));
    if (!value || count == watts.size()) {
      return unlike(property, kExpected);
    }
    watts.at(count) = *value;
    if (colon == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(colon + 1);
  }
  if (count == 0) {
    return unlike(property, kExpected);
  }
  const State state = count == 1 ? State{watts[0], watts[0], watts[1]} : State{watts[0], watts[1], watts[2]};
  if (state.all_cores < state.epsilon) {
    return unlike(property, "an AllCores value that is not below the Epsilon value");
  }
  return state;
}

class NodeReader {
public:
  NodeReader(std::vector<std::string>& warnings, std::size_t state) : warnings_(warnings), wanted_state_(state) {}

  base::Result<void> read(const Property& property) {
    if (property.id == "wattage_per_state") {
      return read_states(property);
    }
    if (property.id == "wattage_off") { // unused nodes are not counted: checked only
      return check(property, parse_non_negative(property.value));
    }
    if (property.id.starts_with(kOwnPrefix)) {
      return read_own(property);
    }
    warnings_.push_back(fmt::format("{} is not used", label(property)));
    return {};
  }

  base::Result<NodeProperties> finish(int cores) {
    if (!wattage_) {
      for (const Property* given : {polling_, probing_}) {
        if (given != nullptr) {
          return base::fail(
              fmt::format("{}: found {} without wattage_per_state, expected both", label(*given), in_quotes(given->value)));
        }
      }
      return result_;
    }
    NodePower power;
    power.idle = base::Watts(state_.idle);
    power.static_active = base::Watts(state_.epsilon);
    power.all_computing = base::Watts(state_.all_cores);
    for (const Property* given : {polling_, probing_}) {
      if (given != nullptr && *parse_non_negative(given->value) < state_.epsilon) {
        return unlike(*given, fmt::format("at least the Epsilon value of wattage_per_state, {} W", state_.epsilon));
      }
    }
    const auto watts_of = [](const Property* given, base::Watts otherwise) {
      return given != nullptr ? base::Watts(*parse_non_negative(given->value)) : otherwise;
    };
    power.all_polling = watts_of(polling_, watts_of(probing_, power.all_computing));
    power.all_probing = watts_of(probing_, power.all_polling);
    power.polling_assumed = polling_ == nullptr;
    // Heinrich17 IV-C: a fully idle node may sleep deeper than its static power says; the reverse is a slip or a rough figure.
    const base::Watts one_core = power.static_active + (power.all_computing - power.static_active) / cores;
    if (power.idle > one_core) {
      warnings_.push_back(fmt::format("{}: the idle node draws more ({} W) than with one active core ({:.6g} W)",
                                      label(*wattage_), power.idle.value(), one_core.value()));
    }
    result_.power = power;
    return result_;
  }

private:
  base::Result<void> read_states(const Property& property) {
    std::string_view wanted = property.value;
    for (std::size_t i = 0; i < wanted_state_; ++i) {
      const std::size_t comma = wanted.find(',');
      if (comma == std::string_view::npos) {
        return unlike(property, fmt::format("watts for processor state {}, which attribute pstate chooses", wanted_state_));
      }
      wanted.remove_prefix(comma + 1);
    }
    const base::Result<State> state = read_state(property, wanted.substr(0, wanted.find(',')));
    if (!state) {
      return tl::make_unexpected(state.error());
    }
    if (wanted_state_ == 0 && wanted.find(',') != std::string_view::npos) {
      warnings_.push_back(fmt::format("{}: only the first processor state is used", label(property)));
    }
    state_ = *state;
    wattage_ = &property;
    return {};
  }

  base::Result<void> read_own(const Property& property) {
    const std::string_view name = std::string_view(property.id).substr(kOwnPrefix.size());
    if (name == "polling_watts" || name == "probing_watts") {
      (name == "polling_watts" ? polling_ : probing_) = &property;
      return check(property, parse_non_negative(property.value));
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
    if (name == "loopback_sharing_policy") {
      if (property.value != "SHARED" && property.value != "FATPIPE") {
        return unlike(property, "SHARED or FATPIPE");
      }
      result_.loopback_sharing = property.value == "SHARED" ? Sharing::shared : Sharing::fatpipe;
      return {};
    }
    std::vector<std::string> known = {"farcast:polling_watts",           "farcast:probing_watts", "farcast:relative_speed",
                                      "farcast:loopback_sharing_policy", "farcast:disk_read_bw",  "farcast:disk_write_bw",
                                      "farcast:cores_per_cache"};
    const std::vector<std::string> of_platform = platform_property_names();
    known.insert(known.end(), of_platform.begin(), of_platform.end());
    const std::vector<std::string> nearest = nearest_names(property.id, known, 1);
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
  std::size_t wanted_state_;
  NodeProperties result_;
  State state_;
  std::optional<base::BytesPerSecond> disk_read_;
  std::optional<base::BytesPerSecond> disk_write_;
  const Property* wattage_ = nullptr;
  const Property* polling_ = nullptr;
  const Property* probing_ = nullptr;
};

} // namespace

base::Result<NodeProperties> read_node_properties(const Properties& properties, int cores, std::vector<std::string>& warnings,
                                                  std::size_t state) {
  NodeReader reader(warnings, state);
  for (const Property& property : properties) {
    if (const base::Result<void> done = reader.read(property); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  return reader.finish(cores);
}

} // namespace farcast::platform
