#include "predictor/report/compare.h"

#include "predictor/base/base_name.h"
#include "predictor/base/difference.h"
#include "predictor/base/format.h"
#include "predictor/report/site_totals.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace farcast::report {

namespace {

constexpr double kWithin90 = 1.645;       // standard deviations of a normal distribution
constexpr std::uint64_t kLeastVisits = 8; // that a spread can be told from

using Numbers = std::vector<std::uint32_t>;
struct Joined {
  Numbers before, after; // [site of the run] its number in both
};

// Sites of one place in the program, but for the line, in the order of lines.
std::map<std::tuple<std::string, std::string, std::string>, Numbers> by_function(const RunSummary& run) {
  std::map<std::tuple<std::string, std::string, std::string>, Numbers> out;
  for (std::uint32_t site = 0; site < run.sites.size(); ++site) {
    const SiteInfo& info = run.sites[site];
    const std::string file = info.file.empty() ? info.text : base::base_name(info.file);
    out[{file, info.function, info.mpi_function}].push_back(site);
  }
  for (auto& [key, sites] : out)
    std::stable_sort(sites.begin(), sites.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return run.sites[a].line < run.sites[b].line; });
  return out;
}

Joined join(const RunSummary& before, const RunSummary& after) {
  Joined out{Numbers(before.sites.size()), Numbers(after.sites.size())};
  std::uint32_t next = 0;
  for (std::uint32_t& number : out.before) number = next++;
  for (std::uint32_t& number : out.after) number = next++;
  const auto earlier = by_function(before);
  for (const auto& [key, sites] : by_function(after)) {
    const auto same = earlier.find(key);
    if (same == earlier.end()) continue;
    const Numbers& others = same->second;
    std::vector<bool> taken(others.size());
    for (std::size_t i = 0; i < sites.size(); ++i) {
      std::size_t with = i;
      if (sites.size() != others.size()) {
        with = 0;
        while (with < others.size() && (taken[with] || before.sites[others[with]].line != after.sites[sites[i]].line)) ++with;
      }
      if (with == others.size()) continue;
      taken[with] = true;
      out.after[sites[i]] = out.before[others[with]];
    }
  }
  return out;
}

// Returns: the variance of a region's predicted seconds, as the spread of its visits tells; unset:
// it does not.
std::optional<double> variance_of(const ComparedRun& of, std::uint32_t region, double seconds) {
  if (region >= of.run->region_stats.size()) return std::nullopt;
  const RegionStats& stats = of.run->region_stats[region];
  if (stats.visits < kLeastVisits) return std::nullopt;
  const double deviation = seconds * stats.cov;
  return deviation * deviation / static_cast<double>(stats.visits);
}

std::size_t count_of(const ComparedRun& of) { return of.members == nullptr ? 0 : of.members->time_s.size(); }

std::size_t common_members(const ComparedRun& before, const ComparedRun& after) {
  return std::min(count_of(before), count_of(after));
}

// Returns: the interval of after - before by the members that both have; unset: too few of them.
std::optional<base::Interval> interval_of(double before, std::vector<double> members_before, double after,
                                          std::vector<double> members_after) {
  const std::size_t common = std::min(members_before.size(), members_after.size());
  members_before.resize(common);
  members_after.resize(common);
  return base::interval_of_difference(after, members_after, before, members_before);
}

struct Part {
  ComparedPart part;
  double variance = 0;
  bool known = true;
  std::vector<double> before, after; // [member - 1] seconds; empty: there are none
};

void add_members(const ComparedRun& of, std::uint32_t region, std::vector<double>& seconds) {
  if (seconds.empty()) return;
  const auto found = of.members->region_s.find(region);
  if (found == of.members->region_s.end()) return;
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += found->second[i];
}

// Returns: by the members, of a region that one run alone has by that one's, else by the spread of
// its visits; unset: unknown.
std::optional<base::Interval> interval_of(const Part& part) {
  const double change = part.part.change();
  if (part.part.before && part.part.after) {
    const auto ninety = interval_of(*part.part.before, part.before, *part.part.after, part.after);
    if (ninety) return ninety;
  } else {
    std::vector<double> changes = part.after;
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i] -= part.before[i];
    const auto ninety = base::estimate_of(change, std::move(changes)).ninety;
    if (ninety) return ninety;
  }
  if (!part.known) return {};
  const double noise = kWithin90 * std::sqrt(part.variance);
  return base::Interval{change - noise, change + noise};
}

void add_regions(const ComparedRun& of, const Numbers& joint, std::optional<double> ComparedPart::*which, std::size_t members,
                 std::map<std::pair<std::uint32_t, std::uint32_t>, Part>& out) {
  for (const auto& [region, times] : of.prediction->regions) {
    const RegionInfo& ends = of.run->regions[region];
    Part& part = out[{joint[ends.from_site], joint[ends.to_site]}];
    part.part.name = region_name(region, of.run->regions, of.run->sites);
    std::optional<double>& seconds = part.part.*which;
    seconds = seconds.value_or(0) + times.predicted.value();
    const auto variance = variance_of(of, region, times.predicted.value());
    part.known = part.known && variance.has_value();
    part.variance += variance.value_or(0);
    part.before.resize(members, 0.0);
    part.after.resize(members, 0.0);
    add_members(of, region, which == &ComparedPart::after ? part.after : part.before);
  }
}

void add_calls(const ComparedRun& of, const Numbers& joint, std::optional<double> ComparedPart::*which,
               std::map<std::uint32_t, ComparedPart>& out) {
  for (const auto& [site, ranks] : of.prediction->sites) {
    ComparedPart& part = out[joint[site]];
    part.name = fmt::format("{} {}", of.run->sites[site].mpi_function, site_text(site, of.run->sites));
    std::optional<double>& seconds = part.*which;
    seconds = seconds.value_or(0);
    for (const sim::SiteTimes& rank : ranks) *seconds += rank.total.value();
  }
}

void most_first(std::vector<ComparedPart>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ComparedPart& a, const ComparedPart& b) { return std::abs(a.change()) > std::abs(b.change()); });
}

std::string signed_time(double seconds) {
  return (seconds < 0 ? "-" : "+") + base::format_time(base::Seconds(std::abs(seconds)));
}

std::string time_or_dash(const std::optional<double>& seconds) {
  return seconds ? base::format_time(base::Seconds(*seconds)) : "-";
}

std::optional<double> deviation_of(const ComparedPart& part) {
  if (!part.ninety) return {};
  return std::max(part.ninety->high - part.change(), part.change() - part.ninety->low);
}

void append_parts(std::string& out, const char* title, const std::vector<ComparedPart>& parts, std::size_t most) {
  const auto changed = static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const ComparedPart& part) { return part.change() != 0; }));
  const std::size_t shown = most < parts.size() ? std::min(most, changed) : parts.size(); // the others come last
  const auto line = std::back_inserter(out);
  fmt::format_to(line, "\n  {} (seconds of all ranks, {} of {})\n", title, shown, parts.size());
  fmt::format_to(line, "  {:>10} {:>10} {:>11} {:>10}\n", "before", "after", "change", "+-");
  for (std::size_t i = 0; i < shown; ++i) {
    const ComparedPart& part = parts[i];
    fmt::format_to(line, "  {:>10} {:>10} {:>11} {:>10}  {}{}\n", time_or_dash(part.before), time_or_dash(part.after),
                   signed_time(part.change()), time_or_dash(deviation_of(part)), part.name,
                   part.within_noise() ? "  (within noise)"
                   : !part.before      ? "  (new)"
                   : !part.after       ? "  (gone)"
                                       : "");
  }
}

Json parts_of(const std::vector<ComparedPart>& parts) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  Json out = Json::array();
  for (const ComparedPart& part : parts)
    out.push_back(Json{{"name", part.name},
                       {"before_s", number(part.before)},
                       {"after_s", number(part.after)},
                       {"change_s", part.change()},
                       {"ninety_s", interval_value(part.ninety)},
                       {"within_noise", part.ninety ? Json(part.within_noise()) : Json()}});
  return out;
}

Json run_of(const ComparedRun& of) {
  return Json{{"file", of.file},
              {"program", of.run->program},
              {"time_s", of.prediction->time.value()},
              {"energy_j", of.prediction->energy ? Json(of.prediction->energy->value()) : Json()},
              {"measured_s", of.run->wall.value()}};
}

} // namespace

Comparison compare(const ComparedRun& before, const ComparedRun& after) {
  const Joined joint = join(*before.run, *after.run);
  Comparison out{before, after, {}, {}, {}, {}, common_members(before, after)};
  if (out.members > 0) {
    const sim::Prediction &earlier = *before.prediction, &later = *after.prediction;
    out.ninety = interval_of(earlier.time.value(), before.members->time_s, later.time.value(), after.members->time_s);
    if (earlier.energy && later.energy)
      out.ninety_j =
          interval_of(earlier.energy->value(), before.members->energy_j, later.energy->value(), after.members->energy_j);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, Part> regions;
  add_regions(before, joint.before, &ComparedPart::before, out.members, regions);
  add_regions(after, joint.after, &ComparedPart::after, out.members, regions);
  for (auto& [ends, part] : regions) {
    part.part.ninety = interval_of(part);
    out.regions.push_back(std::move(part.part));
  }
  std::map<std::uint32_t, ComparedPart> calls;
  add_calls(before, joint.before, &ComparedPart::before, calls);
  add_calls(after, joint.after, &ComparedPart::after, calls);
  for (auto& [site, part] : calls) out.calls.push_back(std::move(part));
  most_first(out.regions);
  most_first(out.calls);
  return out;
}

std::string compare_text(const Comparison& comparison, std::size_t most) {
  const ComparedRun &before = comparison.before, &after = comparison.after;
  const double change = comparison.change();
  std::string out =
      fmt::format("farcast: on {}: {} takes {}, {} takes {}: {} ({:+.2f} %)\n", after.prediction->platform, before.file,
                  base::format_time(before.prediction->time), after.file, base::format_time(after.prediction->time),
                  signed_time(change), percent(change, before.prediction->time.value()));
  if (before.prediction->energy && after.prediction->energy)
    fmt::format_to(std::back_inserter(out), "farcast: energy {} and {}\n", base::format_energy(*before.prediction->energy),
                   base::format_energy(*after.prediction->energy));
  const RunSummary &earlier = *before.run, &later = *after.run;
  if (earlier.program != later.program || earlier.ranks.size() != later.ranks.size())
    fmt::format_to(std::back_inserter(out), "farcast: these are not two runs of one program: '{}' on {} ranks and '{}' on {}\n",
                   earlier.program, earlier.ranks.size(), later.program, later.ranks.size());
  if (comparison.ninety)
    fmt::format_to(std::back_inserter(out),
                   "farcast: in 9 of 10 cases the change is from {} to {}, by {} predictions of each: {}\n",
                   signed_time(comparison.ninety->low), signed_time(comparison.ninety->high), comparison.members,
                   comparison.within_noise() ? "it may be noise" : "it is not noise");
  std::size_t known = 0, within = 0;
  for (const ComparedPart& part : comparison.regions) {
    known += part.ninety ? 1 : 0;
    within += part.within_noise() ? 1 : 0;
  }
  fmt::format_to(std::back_inserter(out),
                 "farcast: of {} regions whose spread is known, {} change by no more than it explains (90 %);\n"
                 "farcast: {}\n",
                 known, within,
                 comparison.ninety ? fmt::format("runs of one program differ in all their computation by {:.1f} % (one standard "
                                                 "error): that is noise,\nfarcast: but short regions differ by more",
                                                 100 * scenario::kComputationError)
                                   : "what a whole run has more than another, as on a warmer machine, is not in that spread");
  append_parts(out, "Computation", comparison.regions, most);
  append_parts(out, "MPI calls", comparison.calls, most);
  return out;
}

Json compare_json(const Comparison& comparison) {
  return Json{{"schema", "farcast-compare/1"},
              {"platform", comparison.after.prediction->platform},
              {"before", run_of(comparison.before)},
              {"after", run_of(comparison.after)},
              {"change_s", comparison.change()},
              {"members", comparison.members},
              {"ninety_s", interval_value(comparison.ninety)},
              {"ninety_j", interval_value(comparison.ninety_j)},
              {"within_noise", comparison.ninety ? Json(comparison.within_noise()) : Json()},
              {"regions", parts_of(comparison.regions)},
              {"calls", parts_of(comparison.calls)}};
}

} // namespace farcast::report
