#include "predictor/platform/smpi_config.h"

#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

namespace farcast::platform {

namespace {

constexpr std::int64_t kLargestSize = std::numeric_limits<std::int64_t>::max() / 2;

// Calls `use` with each part of `text` between separators; false from it stops and is returned.
template <class Use> bool each_part(std::string_view text, char separator, Use use) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!use(text.substr(0, end))) {
      return false;
    }
    if (end == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(end + 1);
  }
}

std::string_view without_final_semicolon(std::string_view text) {
  text = trimmed(text);
  return text.ends_with(';') ? text.substr(0, text.size() - 1) : text;
}

// Sorts by boundary. False: a boundary is there twice.
template <class Sections> bool sort_sections(Sections& sections) {
  const auto below = [](const auto& a, const auto& b) { return a.above_bytes < b.above_bytes; };
  const auto same = [](const auto& a, const auto& b) { return a.above_bytes == b.above_bytes; };
  std::sort(sections.begin(), sections.end(), below);
  return std::adjacent_find(sections.begin(), sections.end(), same) == sections.end();
}

template <class Parsed, class Target> base::Result<void> store(base::Result<Parsed> value, Target& target) {
  if (!value) {
    return tl::make_unexpected(value.error());
  }
  target = Target(*value);
  return {};
}

base::Result<void> set_size(std::string_view text, PointToPoint&, double& target) {
  return store(parse_integer(text, 0, kLargestSize), target);
}

struct Option {
  std::string_view id;
  base::Result<void> (*apply)(std::string_view value, PointToPoint& p2p);
};

const std::array kOptions = {
    Option{"smpi/bw-factor", [](auto value, auto& p2p) { return store(parse_factor(value), p2p.bandwidth_factor); }},
    Option{"network/bandwidth-factor", [](auto value, auto& p2p) { return store(parse_factor(value), p2p.bandwidth_factor); }},
    Option{"smpi/lat-factor", [](auto value, auto& p2p) { return store(parse_factor(value), p2p.latency_factor); }},
    Option{"network/latency-factor", [](auto value, auto& p2p) { return store(parse_factor(value), p2p.latency_factor); }},
    Option{"smpi/os", [](auto value, auto& p2p) { return store(parse_overhead(value), p2p.send_overhead); }},
    Option{"smpi/ois", [](auto value, auto& p2p) { return store(parse_overhead(value), p2p.isend_overhead); }},
    Option{"smpi/or", [](auto value, auto& p2p) { return store(parse_overhead(value), p2p.receive_overhead); }},
    Option{"smpi/send-is-detached-thresh", [](auto value, auto& p2p) { return set_size(value, p2p, p2p.detached_below_bytes); }},
    Option{"smpi/async-small-thresh", [](auto value, auto& p2p) { return set_size(value, p2p, p2p.eager_flow_below_bytes); }},
    Option{"network/TCP-gamma", [](auto value, auto& p2p) { return store(parse_non_negative(value), p2p.tcp_gamma); }},
    Option{"network/weight-S", [](auto value, auto& p2p) { return store(parse_non_negative(value), p2p.weight_s); }},
    Option{"network/crosstraffic", [](auto value, auto& p2p) { return store(parse_switch(value), p2p.crosstraffic); }},
    Option{"network/loopback-bw", [](auto value, auto& p2p) { return store(parse_bandwidth(value), p2p.loopback_bandwidth); }},
    Option{"network/loopback-lat", [](auto value, auto& p2p) { return store(parse_time(value), p2p.loopback_latency); }},
    Option{"smpi/iprobe", [](auto value, auto& p2p) { return store(parse_time(value), p2p.iprobe_cost); }},
    Option{"smpi/test", [](auto value, auto& p2p) { return store(parse_time(value), p2p.test_cost); }},
};

} // namespace

base::Result<Factor> parse_factor(std::string_view text) {
  constexpr std::string_view kExpected = "one positive number, or factors such as 65472:0.94;0:0.81 (bytes:factor)";
  Factor factor;
  if (const base::Result<double> everywhere = parse_positive(text)) {
    factor.push_back({0.0, *everywhere});
    return factor;
  }
  const bool well_formed = each_part(without_final_semicolon(text), ';', [&](std::string_view section) {
    const std::vector<std::string_view> parts = base::split(section, ':');
    if (parts.size() != 2) {
      return false;
    }
    const base::Result<std::int64_t> above = parse_integer(parts[0], 0, kLargestSize);
    const base::Result<double> value = parse_positive(parts[1]);
    if (!above || !value) {
      return false;
    }
    factor.push_back({static_cast<double>(*above), *value});
    return true;
  });
  if (!well_formed || !sort_sections(factor)) {
    return unlike(text, kExpected);
  }
  if (factor.front().above_bytes > 0.0) {
    factor.insert(factor.begin(), {0.0, 1.0});
  }
  return factor;
}

base::Result<Overhead> parse_overhead(std::string_view text) {
  constexpr std::string_view kExpected = "overheads such as 0:8.9e-6:7.9e-10;1420:1.3e-5:2e-10 (bytes:base:per_byte)";
  Overhead overhead;
  const bool well_formed = each_part(without_final_semicolon(text), ';', [&](std::string_view section) {
    const std::vector<std::string_view> parts = base::split(section, ':');
    if (parts.size() < 3) {
      return false;
    }
    const base::Result<std::int64_t> above = parse_integer(parts[0], 0, kLargestSize);
    std::vector<double> values;
    for (std::size_t i = 1; i < parts.size(); ++i) { // like SimGrid: values beyond the second are checked and ignored
      const base::Result<base::Seconds> value = parse_time(parts[i]);
      if (!value) {
        return false;
      }
      values.push_back(value->value());
    }
    if (!above) {
      return false;
    }
    overhead.push_back({static_cast<double>(*above), values[0], values[1]});
    return true;
  });
  if (!well_formed || !sort_sections(overhead)) {
    return unlike(text, kExpected);
  }
  return overhead;
}

base::Result<void> apply_config(const Properties& options, PointToPoint& p2p, std::vector<std::string>& warnings) {
  for (const Property& given : options) {
    const std::string label = fmt::format("{}: option {}", given.place, given.id);
    const auto option = std::find_if(kOptions.begin(), kOptions.end(), [&](const Option& known) { return known.id == given.id; });
    if (option != kOptions.end()) {
      if (const base::Result<void> done = option->apply(given.value, p2p); !done) {
        return at_place(label, done.error());
      }
    } else if (given.id == "network/model" && given.value != "SMPI") {
      warnings.push_back(fmt::format("{}: found {}; SimGrid's SMPI model is used", label, in_quotes(given.value)));
    } else if (given.id != "network/model") {
      warnings.push_back(fmt::format("{} is not modelled", label));
    }
  }
  return {};
}

} // namespace farcast::platform
