#include "predictor/scenario/what_if.h"

#include "predictor/base/words.h"
#include "predictor/platform/frequency.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/scale_links.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace farcast::scenario {

namespace {

// Each point with each value.
template <class Values, class Set> std::vector<Point> times(std::vector<Point> points, const Values& values, Set set) {
  if (values.empty()) return points;
  std::vector<Point> out;
  for (const Point& point : points) {
    for (const auto& value : values) set(out.emplace_back(point), value);
  }
  return out;
}

// `read`: text of one value -> optional value.
template <class Value, class Read>
base::Result<std::vector<Value>> parse_list(std::string_view text, std::string_view expected, Read read) {
  std::vector<Value> out;
  for (const std::string_view part : base::split(text, ',')) {
    const std::optional<Value> value = read(base::trimmed(part));
    if (!value) return base::fail(fmt::format("found {}, expected {}", platform::in_quotes(text), expected));
    if (std::find(out.begin(), out.end(), *value) == out.end()) out.push_back(*value);
  }
  return out;
}

std::optional<double> positive(std::string_view text) {
  constexpr double kLargest = 1e30; // beyond it, or as far below 1, times are no numbers any more
  const auto value = platform::parse_positive(text);
  return value && *value >= 1.0 / kLargest && *value <= kLargest ? std::optional(*value) : std::nullopt;
}

} // namespace

base::Result<std::vector<int>> parse_ranks_per_node(std::string_view text) {
  return parse_list<int>(text, "whole numbers above 0 such as 1,2,6,12", [](std::string_view part) {
    const std::optional<int> value = base::number_in<int>(part);
    return value && *value > 0 ? value : std::nullopt;
  });
}

base::Result<std::vector<base::Hertz>> parse_frequencies(std::string_view text) {
  return parse_list<base::Hertz>(text, "frequencies in GHz such as 1.2,1.8,2.3", [](std::string_view part) {
    const std::optional<double> ghz = positive(part);
    return ghz ? std::optional(base::Hertz(*ghz * 1e9)) : std::nullopt;
  });
}

base::Result<std::vector<double>> parse_scales(std::string_view text) {
  return parse_list<double>(text, "factors above 0 such as x0.5,x1,x2", [](std::string_view part) {
    if (part.starts_with('x')) part.remove_prefix(1);
    return positive(part);
  });
}

std::vector<Point> points_of(const Axes& axes) {
  std::vector<Point> points = times({Point{}}, axes.platforms, [](Point& p, const std::string& value) { p.platform = value; });
  points = times(std::move(points), axes.ranks_per_node, [](Point& p, int value) { p.ranks_per_node = value; });
  points = times(std::move(points), axes.frequencies, [](Point& p, base::Hertz value) { p.frequency = value; });
  points = times(std::move(points), axes.bandwidths, [](Point& p, double value) { p.bandwidth = value; });
  return times(std::move(points), axes.latencies, [](Point& p, double value) { p.latency = value; });
}

base::Result<PlacedPlatform> place(const platform::Platform& platform, const Point& point, int ranks,
                                   platform::PlacementRequest request) {
  PlacedPlatform out{platform, {}};
  if (point.frequency)
    if (const auto done = platform::choose_frequency(out.platform, *point.frequency); !done)
      return tl::make_unexpected(done.error());
  if (point.ranks_per_node > 0) request.ranks_per_node = point.ranks_per_node;
  auto placement = platform::place(out.platform, ranks, request);
  if (!placement) return tl::make_unexpected(placement.error());
  out.placement = std::move(*placement);
  platform::scale_links(out.platform, point.bandwidth, point.latency);
  return out;
}

} // namespace farcast::scenario
