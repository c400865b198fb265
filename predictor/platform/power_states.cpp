#include "predictor/platform/power_states.h"

#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace farcast::platform {

namespace {

// Idle, static and computing watts of one state.
base::Result<NodePower> read_state(const Property& property, std::string_view text) {
  constexpr std::string_view kExpected = "Idle:Epsilon:AllCores in watts such as 95:120:200";
  std::array<double, 3> watts{};
  const std::vector<std::string_view> parts = base::split(text, ':');
  if (parts.size() < 2 || parts.size() > watts.size()) {
    return unlike(property, kExpected);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const base::Result<double> value = parse_non_negative(trimmed(parts[i]));
    if (!value) {
      return unlike(property, kExpected);
    }
    watts.at(i) = *value;
  }
  if (parts.size() == 2) {
    watts = {watts[0], watts[0], watts[1]};
  }
  if (watts[2] < watts[1]) {
    return unlike(property, "an AllCores value that is not below the Epsilon value");
  }
  NodePower power;
  power.idle = base::Watts(watts[0]);
  power.static_active = base::Watts(watts[1]);
  power.all_computing = base::Watts(watts[2]);
  return power;
}

// What polling or probing draws in each state; empty where it is not given.
base::Result<std::vector<base::Watts>> read_activity(const Property* property, const std::vector<NodePower>& states,
                                                     std::size_t in_use) {
  std::vector<base::Watts> out;
  if (property == nullptr) {
    return out;
  }
  const std::vector<std::string_view> parts = base::split(property->value, ',');
  if (parts.size() != 1 && parts.size() != states.size()) {
    return unlike(*property, fmt::format("one figure, or one for each of {} processor states", states.size()));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const base::Result<double> value = parse_non_negative(trimmed(parts[i]));
    if (!value) {
      return at_place(label(*property), value.error());
    }
    const double least = states[parts.size() == 1 ? in_use : i].static_active.value();
    if (*value < least) {
      return unlike(*property, fmt::format("at least the Epsilon value of wattage_per_state, {} W", least));
    }
    out.emplace_back(*value);
  }
  if (out.size() == states.size()) {
    return out;
  }
  const NodePower& used = states[in_use];
  const base::Watts dynamic = used.all_computing - used.static_active;
  const double share = dynamic.value() > 0.0 ? (out.front() - used.static_active) / dynamic : 1.0;
  const base::Watts as_given = out.front();
  out.clear();
  for (const NodePower& state : states) {
    out.push_back(&state == &used ? as_given : state.static_active + share * (state.all_computing - state.static_active));
  }
  return out;
}

} // namespace

base::Result<std::vector<NodePower>> read_power_states(const WattProperties& given, int cores, std::size_t in_use,
                                                       std::vector<std::string>& warnings) {
  std::vector<NodePower> states;
  if (given.per_state == nullptr) {
    for (const Property* property : {given.polling, given.probing, given.memory}) {
      if (property != nullptr) {
        return base::fail(
            fmt::format("{}: found {} without wattage_per_state, expected both", label(*property), in_quotes(property->value)));
      }
    }
    return states;
  }
  for (const std::string_view part : base::split(given.per_state->value, ',')) {
    const base::Result<NodePower> state = read_state(*given.per_state, part);
    if (!state) {
      return tl::make_unexpected(state.error());
    }
    states.push_back(*state);
  }
  if (in_use >= states.size()) {
    return unlike(*given.per_state, fmt::format("watts for processor state {}, which attribute pstate chooses", in_use));
  }
  const auto polling = read_activity(given.polling, states, in_use);
  const auto probing = read_activity(given.probing, states, in_use);
  const auto memory = read_activity(given.memory, states, in_use);
  for (const auto* read : {&polling, &probing, &memory}) {
    if (!*read) {
      return tl::make_unexpected(read->error());
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    NodePower& power = states[i];
    power.polling_assumed = polling->empty();
    const base::Watts otherwise = probing->empty() ? power.all_computing : (*probing)[i];
    power.all_polling = polling->empty() ? otherwise : (*polling)[i];
    power.all_probing = probing->empty() ? power.all_polling : (*probing)[i];
    if (!memory->empty()) {
      power.all_memory = (*memory)[i];
    }
  }
  // Heinrich17 IV-C: a fully idle node may sleep deeper than its static power says; the reverse is
  // a slip or a rough figure.
  const NodePower& used = states[in_use];
  const base::Watts one_core = used.static_active + (used.all_computing - used.static_active) / cores;
  if (used.idle > one_core) {
    warnings.push_back(fmt::format("{}: the idle node draws more ({} W) than with one active core ({:.6g} W)",
                                   label(*given.per_state), used.idle.value(), one_core.value()));
  }
  return states;
}

} // namespace farcast::platform
