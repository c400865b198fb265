#include "predictor/scenario/what_if.h"

#include "predictor/base/nearest_name.h"
#include "predictor/base/words.h"
#include "predictor/platform/frequency.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/scale_links.h"
#include "predictor/region/frame_names.h"
#include "predictor/trace/recorded_timelines.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
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

namespace {

template <class Value, class Table> base::Result<std::vector<Value>> parse_names(std::string_view text, const Table& table) {
  std::vector<std::string_view> names(table.size());
  std::transform(table.begin(), table.end(), names.begin(), [](const auto& row) { return row.first; });
  return parse_list<Value>(text, fmt::format("{}", fmt::join(names, " or ")), [&table](std::string_view part) {
    const auto found = std::find_if(table.begin(), table.end(), [part](const auto& row) { return row.first == part; });
    return found == table.end() ? std::nullopt : std::optional<Value>(found->second);
  });
}

} // namespace

base::Result<std::vector<sim::WaitMode>> parse_waits(std::string_view text) {
  return parse_names<sim::WaitMode>(text, sim::kWaitModes);
}

base::Result<std::vector<sim::CollectivePolicy>> parse_policies(std::string_view text) {
  return parse_names<sim::CollectivePolicy>(text, sim::kPolicies);
}

base::Result<SiteAxis> parse_speedup(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const std::size_t colon = text.substr(0, equals).rfind(':');
  const auto refused = [&] {
    return base::fail(
        fmt::format("found {}, expected FILE:LINE=FACTOR such as solver.c:120=2, or =1,2,4", platform::in_quotes(text)));
  };
  if (equals == std::string_view::npos || colon == std::string_view::npos || colon == 0) return refused();
  if (!base::number_in<unsigned>(text.substr(colon + 1, equals - colon - 1))) return refused();
  auto factors = parse_scales(text.substr(equals + 1));
  if (!factors) return refused();
  return SiteAxis{std::string(text.substr(0, equals)), std::move(*factors)};
}

SitesOfRun sites_of_run(trace::Recording& recording) {
  trace::RecordedTimelines timelines(recording);
  trace::Operation operation;
  for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
    while (timelines.next(timeline, operation)) {
    }
  }
  region::FrameNames names(recording.resolved);
  SitesOfRun out;
  const std::vector<trace::Site>& sites = timelines.sites().sites();
  for (const trace::Site& site : sites) {
    const trace::Frame& frame = site.frames.front();
    if (!out.names.contains(frame)) out.names.emplace(frame, names.of(frame).text);
  }
  for (const auto& [from, to] : timelines.sites().regions())
    out.regions.emplace(sites[from].frames.front(), sites[to].frames.front());
  return out;
}

base::Result<void> check_apart(const std::vector<SiteAxis>& sites, const std::vector<std::set<trace::Frame>>& frames,
                               const SitesOfRun& run) {
  for (const auto& [from, to] : run.regions) {
    const std::string* first = nullptr;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (!frames[i].contains(from) && !frames[i].contains(to)) continue;
      if (first != nullptr)
        return base::fail(fmt::format("found {} and {}, expected places without common computation: that of {} -> {} "
                                      "begins or ends at both",
                                      *first, sites[i].site, run.names.at(from), run.names.at(to)));
      first = &sites[i].site;
    }
  }
  return {};
}

base::Result<std::set<trace::Frame>> frames_at(const std::string& site, const std::map<trace::Frame, std::string>& names) {
  std::set<trace::Frame> out;
  std::vector<std::string> texts;
  for (const auto& [frame, text] : names) {
    if (text == site) out.insert(frame);
    texts.push_back(text);
  }
  if (!out.empty()) return out;
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  const std::vector<std::string> nearest = base::nearest_names(site, texts);
  return base::fail(fmt::format("found {}, expected a call site of the run{}", platform::in_quotes(site),
                                nearest.empty() ? " (farcast predict lists them)"
                                                : fmt::format("; did you mean {}?", fmt::join(nearest, " or "))));
}

std::vector<Point> points_of(const Axes& axes) {
  std::vector<Point> points = times({Point{}}, axes.platforms, [](Point& p, const std::string& value) { p.platform = value; });
  points = times(std::move(points), axes.ranks_per_node, [](Point& p, int value) { p.ranks_per_node = value; });
  points = times(std::move(points), axes.frequencies, [](Point& p, base::Hertz value) { p.frequency = value; });
  points = times(std::move(points), axes.bandwidths, [](Point& p, double value) { p.bandwidth = value; });
  points = times(std::move(points), axes.latencies, [](Point& p, double value) { p.latency = value; });
  points = times(std::move(points), axes.waits, [](Point& p, sim::WaitMode value) { p.wait = value; });
  points = times(std::move(points), axes.policies, [](Point& p, sim::CollectivePolicy value) { p.policy = value; });
  for (const SiteAxis& site : axes.sites)
    points = times(std::move(points), site.speedups, [](Point& p, double value) { p.speedups.push_back(value); });
  points = times(std::move(points), axes.balances, [](Point& p, double value) { p.balance = value; });
  if (axes.even) points = times(std::move(points), std::vector<int>{0, 1}, [](Point& p, int value) { p.even = value == 1; });
  return points;
}

base::Result<Scenario> scenario_at(const platform::Platform& platform, const Point& point, int ranks,
                                   platform::PlacementRequest request, const sim::Options& options) {
  PlacedPlatform out{platform, {}};
  if (point.frequency)
    if (const auto done = platform::choose_frequency(out.platform, *point.frequency); !done)
      return tl::make_unexpected(done.error());
  if (point.ranks_per_node > 0) request.ranks_per_node = point.ranks_per_node;
  auto placement = platform::place(out.platform, ranks, request);
  if (!placement) return tl::make_unexpected(placement.error());
  out.placement = std::move(*placement);
  platform::add_threads(out.platform, out.placement);
  platform::scale_links(out.platform, point.bandwidth, point.latency);
  Scenario scenario;
  scenario.options = options;
  scenario.options.wait = point.wait;
  scenario.options.policy = point.policy;
  if (const auto possible = sim::check(out.platform, out.placement, scenario.options); !possible)
    return tl::make_unexpected(possible.error());
  scenario.where = std::make_shared<const PlacedPlatform>(std::move(out));
  return scenario;
}

} // namespace farcast::scenario
