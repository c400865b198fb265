#include "predictor/report/bottlenecks.h"

#include "predictor/base/format.h"
#include "predictor/report/json.h"
#include "predictor/report/sentences.h"
#include "predictor/report/site_totals.h"
#include "predictor/report/text_layout.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace farcast::report {

namespace {

constexpr std::size_t kFew = 10; // rows of a table, unless all are wanted

struct StateName {
  sim::WaitState state;
  const char* key; // JSON: <key>_s
  const char* column;
};
constexpr std::array<StateName, sim::kWaitStates> kStateNames{{
    {sim::WaitState::late_sender, "late_sender", "late sender"},
    {sim::WaitState::late_receiver, "late_receiver", "late recv."},
    {sim::WaitState::other, "other", "other"},
    {sim::WaitState::collective, "collective", "collective"},
}};

double in(const sim::WaitTimes& times, const StateName& name) { return times[static_cast<std::size_t>(name.state)].value(); }

double sum_of(const sim::WaitTimes& times) {
  double sum = 0;
  for (const base::Seconds time : times) sum += time.value();
  return sum;
}

std::string call_at(std::uint32_t site, const std::vector<SiteInfo>& sites) {
  return fmt::format("{} {}", site < sites.size() ? sites[site].mpi_function : "MPI", site_text(site, sites));
}

std::string part_text(const std::pair<sim::PathPart, std::uint32_t>& part, const std::vector<SiteInfo>& sites,
                      const std::vector<RegionInfo>& regions) {
  switch (part.first) {
  case sim::PathPart::compute:
    return "computing " + region_name(part.second, regions, sites);
  case sim::PathPart::call:
    return "inside " + call_at(part.second, sites);
  case sim::PathPart::message:
    break;
  }
  return "messages of " + call_at(part.second, sites);
}

// Returns: the entries, those with most time first, as `time_of` has it; of equal ones the first.
template <class Map, class TimeOf>
std::vector<std::pair<typename Map::key_type, double>> by_time(const Map& map, TimeOf time_of) {
  std::vector<std::pair<typename Map::key_type, double>> out;
  out.reserve(map.size());
  for (const auto& [key, value] : map) out.emplace_back(key, time_of(value));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

template <class Rows> void cut(Rows& rows, const TextOptions& options) {
  if (!options.full && rows.size() > kFew) rows.resize(kFew);
}

void append_path(std::string& out, const RunSummary& run, const sim::Prediction& prediction, const TextOptions& options) {
  const sim::Bottlenecks& found = *prediction.bottlenecks;
  auto rows = by_time(found.path, [](base::Seconds time) { return time.value(); });
  cut(rows, options);
  append_heading(out, fmt::format("Critical Path on {} (top {} of {})", short_platform(prediction.platform), rows.size(),
                                  found.path.size()));
  std::array<double, 3> parts{};
  for (const auto& [part, time] : found.path) parts.at(static_cast<std::size_t>(part.first)) += time.value();
  const double whole = prediction.time.value();
  const auto most = std::max_element(found.path_on.begin(), found.path_on.end());
  append_wrapped(out, "",
                 fmt::format("It is {:.2f} % computation, {:.2f} % inside MPI calls and {:.2f} % messages under way. The rank "
                             "that most of it lies on is {}: {:.2f} %.",
                             percent(parts[0], whole), percent(parts[1], whole), percent(parts[2], whole),
                             most - found.path_on.begin(), percent(most->value(), whole)));
  fmt::format_to(std::back_inserter(out), "{:>10} {:>6}  {}\n", "Time", "Time%", "What");
  for (const auto& [part, time] : rows)
    fmt::format_to(std::back_inserter(out), "{:>10} {:>6.2f}  {}\n", base::format_time(base::Seconds(time)), percent(time, whole),
                   part_text(part, run.sites, run.regions));
}

void append_waits(std::string& out, const RunSummary& run, const sim::Prediction& prediction, const TextOptions& options) {
  const sim::Bottlenecks& found = *prediction.bottlenecks;
  if (found.sites.empty()) return;
  auto rows = by_time(found.sites, sum_of);
  cut(rows, options);
  append_heading(out, fmt::format("Wait States on {} (seconds of all ranks, top {} of {})", short_platform(prediction.platform),
                                  rows.size(), found.sites.size()));
  for (const StateName& name : kStateNames) fmt::format_to(std::back_inserter(out), "{:>11} ", name.column);
  out += " Where\n";
  const auto row = [&](const sim::WaitTimes& times, const std::string& where) {
    for (const StateName& name : kStateNames) fmt::format_to(std::back_inserter(out), "{:>11.4g} ", in(times, name));
    out += " " + where + "\n";
  };
  sim::WaitTimes all{};
  for (const sim::WaitTimes& rank : found.ranks)
    for (std::size_t state = 0; state < all.size(); ++state) all[state] += rank[state];
  row(all, "all");
  for (const auto& [site, time] : rows) row(found.sites.at(site), call_at(site, run.sites));
}

void append_imbalance(std::string& out, const RunSummary& run, const sim::Prediction& prediction, const TextOptions& options) {
  const sim::Bottlenecks& found = *prediction.bottlenecks;
  auto rows = by_time(found.imbalance, [](const sim::Imbalance& one) { return (one.most - one.mean).value(); });
  while (!rows.empty() && !(rows.back().second > 0)) rows.pop_back();
  const std::size_t all = rows.size();
  cut(rows, options);
  if (rows.empty()) return;
  append_heading(out, fmt::format("Imbalance on {} (top {} of {})", short_platform(prediction.platform), rows.size(), all));
  fmt::format_to(std::back_inserter(out), "{:>10} {:>10} {:>10}  {}\n", "Most", "Mean", "Above", "Computation of the ranks");
  for (const auto& [region, above] : rows) {
    const sim::Imbalance& one = found.imbalance.at(region);
    fmt::format_to(std::back_inserter(out), "{:>10} {:>10} {:>10}  {}\n", base::format_time(one.most),
                   base::format_time(one.mean), base::format_time(base::Seconds(above)),
                   region_name(region, run.regions, run.sites));
  }
}

Json states_of(const sim::WaitTimes& times) {
  Json out = Json::object();
  for (const StateName& name : kStateNames) out[std::string(name.key) + "_s"] = in(times, name);
  return out;
}

Json path_of(const sim::Bottlenecks& found, const std::vector<SiteInfo>& sites, const std::vector<RegionInfo>& regions) {
  constexpr std::array<const char*, 3> kParts{"compute", "call", "message"};
  Json path = Json::array();
  for (const auto& [part, time] : by_time(found.path, [](base::Seconds one) { return one.value(); })) {
    const bool computes = part.first == sim::PathPart::compute;
    path.push_back(Json{{"part", kParts.at(static_cast<std::size_t>(part.first))},
                        {computes ? "region" : "site", part.second},
                        {"text", computes ? region_name(part.second, regions, sites) : site_text(part.second, sites)},
                        {"time_s", time}});
  }
  return path;
}

} // namespace

void append_bottlenecks(std::string& out, const RunSummary& run, const sim::Prediction& prediction, const TextOptions& options) {
  if (!prediction.bottlenecks || prediction.bottlenecks->path.empty()) return;
  append_path(out, run, prediction, options);
  append_waits(out, run, prediction, options);
  append_imbalance(out, run, prediction, options);
}

Json bottlenecks_value(const sim::Bottlenecks& found, const std::vector<SiteInfo>& sites,
                       const std::vector<RegionInfo>& regions) {
  Json on_rank = Json::array(), ranks = Json::array(), at_sites = Json::array(), after = Json::array(), imbalance = Json::array();
  for (const base::Seconds time : found.path_on) on_rank.push_back(time.value());
  for (const sim::WaitTimes& times : found.ranks) ranks.push_back(states_of(times));
  for (const auto& [site, times] : found.sites) {
    Json entry{{"site", site}, {"text", site_text(site, sites)}};
    entry.update(states_of(times));
    at_sites.push_back(std::move(entry));
  }
  for (const auto& [region, times] : found.regions) {
    Json entry{{"region", region}, {"name", region_name(region, regions, sites)}};
    entry.update(states_of(times));
    after.push_back(std::move(entry));
  }
  for (const auto& [region, one] : found.imbalance)
    imbalance.push_back(Json{{"region", region},
                             {"name", region_name(region, regions, sites)},
                             {"most_s", one.most.value()},
                             {"mean_s", one.mean.value()}});
  return Json{{"path", path_of(found, sites, regions)},
              {"path_on_rank_s", on_rank},
              {"wait_states", Json{{"ranks", ranks}, {"sites", at_sites}, {"regions", after}}},
              {"imbalance", imbalance}};
}

} // namespace farcast::report
