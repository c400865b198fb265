#include "predictor/report/json.h"

#include "predictor/base/atomic_file.h"
#include "predictor/report/json_predictions.h"
#include "predictor/report/json_text.h"
#include "predictor/report/sentences.h"
#include "predictor/report/source_place.h"
#include "predictor/report/trust.h"

#include <algorithm>

namespace farcast::report {
namespace {

Json crowded_of(const RunSummary& run) {
  Json sentences = Json::array();
  for (const CrowdedThreads& crowded : run.crowded) sentences.push_back(crowded_sentence(crowded));
  return sentences;
}

Json ranks_of(const RunSummary& run) {
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const RankSummary& of = run.ranks[rank];
    Json entry{{"rank", rank}, {"host", of.host}, {"app_s", of.app_time.value()}, {"mpi_s", of.mpi_time.value()}};
    entry["threads"] = of.threads && of.threads->alive > 0 ? Json(of.threads->alive) : Json();
    entry["computing_threads"] = of.threads ? Json(of.threads->computing) : Json();
    entry["allowed_cores"] = of.threads && of.threads->cores > 0 ? Json(of.threads->cores) : Json();
    entry["busy_cores"] = of.threads ? Json(of.threads->busy) : Json();
    ranks.push_back(std::move(entry));
  }
  return ranks;
}

// Returns: a column per figure with an entry per rank; null where no rank has anything.
template <class Amount> Json columns(const std::vector<SiteStats>& stats, Spread<Amount> SiteStats::*figure) {
  Json count = Json::array(), total = Json::array(), max = Json::array(), min = Json::array();
  std::uint64_t all = 0;
  for (const SiteStats& rank : stats) {
    const Spread<Amount>& spread = rank.*figure;
    all += spread.count;
    count.push_back(spread.count);
    total.push_back(spread.total.value());
    max.push_back(spread.max.value());
    min.push_back(spread.min.value());
  }
  return all == 0 ? Json() : Json{{"count", count}, {"total", total}, {"max", max}, {"min", min}};
}

// Returns: all levels, the call itself first.
Json stack_of(const SiteInfo& info) {
  std::vector<SiteLevel> levels{{info.text, info.file, info.line, info.function, info.module}};
  levels.insert(levels.end(), info.callers.begin(), info.callers.end());
  Json stack = Json::array();
  for (const SiteLevel& level : levels)
    stack.push_back(Json{{"text", level.text},
                         {"file", level.file.empty() ? Json() : Json(level.file)},
                         {"line", level.line == 0 ? Json() : Json(level.line)},
                         {"function", level.function.empty() ? Json() : Json(level.function)},
                         {"module", level.module}});
  return stack;
}

Json sites_of(const RunSummary& run) {
  Json sites = Json::array();
  const bool stacks = std::any_of(run.sites.begin(), run.sites.end(), [](const SiteInfo& site) { return !site.callers.empty(); });
  for (std::size_t site = 0; site < run.sites.size(); ++site) {
    const SiteInfo& info = run.sites[site];
    Json entry{{"site", site},
               {"text", info.text},
               {"place", site_place(static_cast<std::uint32_t>(site), run)},
               {"file", info.file.empty() ? Json() : Json(info.file)},
               {"line", info.line == 0 ? Json() : Json(info.line)},
               {"function", info.function.empty() ? Json() : Json(info.function)},
               {"module", info.module},
               {"call", info.mpi_function}};
    const std::vector<SiteStats> stats = site < run.site_stats.size() ? run.site_stats[site] : std::vector<SiteStats>();
    if (stacks) entry["stack"] = stack_of(info);
    entry["time_s"] = columns(stats, &SiteStats::time);
    entry["sent_bytes"] = columns(stats, &SiteStats::sent);
    sites.push_back(std::move(entry));
  }
  return sites;
}

// Returns: event -> sum; null where nothing was counted.
Json counters_of(const Counters& counters, std::size_t region) {
  if (!counters.unavailable.empty() || region >= counters.regions.size() || counters.regions[region].empty()) return Json();
  Json sums = Json::object();
  for (std::size_t event = 0; event < counters.events.size() && event < counters.regions[region].size(); ++event)
    sums[counters.events[event]] = counters.regions[region][event];
  return sums;
}

Json regions_of(const RunSummary& run) {
  Json regions = Json::array();
  for (std::size_t region = 0; region < run.regions.size(); ++region) {
    const RegionStats stats = region < run.region_stats.size() ? run.region_stats[region] : RegionStats{};
    const double visits = static_cast<double>(stats.visits);
    Json entry{{"region", region},
               {"name", region_name(static_cast<std::uint32_t>(region), run.regions, run.sites)},
               {"place", region_place(static_cast<std::uint32_t>(region), run)},
               {"from", run.regions[region].from_site},
               {"to", run.regions[region].to_site},
               {"visits", stats.visits},
               {"total_s", stats.total.value()},
               {"mean_s", stats.visits == 0 ? Json() : Json(stats.total.value() / visits)},
               {"cov", stats.visits == 0 ? Json() : Json(stats.cov)}};
    if (run.counters) entry["counters"] = counters_of(*run.counters, region);
    regions.push_back(std::move(entry));
  }
  return regions;
}

Json unmodelled_of(const RunSummary& run) {
  Json unmodelled = Json::array();
  for (const auto& [function, taken] : run.unmodelled)
    unmodelled.push_back(Json{{"function", function}, {"count", taken.count}, {"total_s", taken.time.value()}});
  return unmodelled;
}

Json pushed_aside_of(const RunSummary& run) {
  if (!run.pushed_aside) return {};
  const PushedAside& aside = *run.pushed_aside;
  return Json{{"share", aside.share},
              {"worst_share", aside.worst},
              {"worst_rank", aside.worst_rank},
              {"partial_ranks", aside.partial_ranks},
              {"steal_share", aside.steal ? Json(*aside.steal) : Json()}};
}

Json overhead_of(const Overhead& overhead) {
  Json per_rank;
  if (!overhead.per_rank.empty()) {
    per_rank = Json::array();
    for (const base::Seconds seconds : overhead.per_rank) per_rank.push_back(seconds.value());
  }
  return Json{{"per_call_ns", overhead.per_call ? Json(overhead.per_call->value() * 1e9) : Json()},
              {"predictor_cpu_s", overhead.predictor_cpu ? Json(overhead.predictor_cpu->value()) : Json()},
              {"predictor_shares_cores", overhead.predictor_shares_cores},
              {"backlog_records", overhead.backlog_records ? Json(*overhead.backlog_records) : Json()},
              {"share_of_wall", overhead.share_of_wall ? Json(*overhead.share_of_wall) : Json()},
              {"per_rank_s", std::move(per_rank)}};
}

} // namespace

std::string json_report(const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                        const scenario::RealisationsOf& realisations) {
  Json calls = Json::object();
  for (const auto& [function, count] : run.calls) calls[function] = count;
  Json document;
  document["schema"] = kSchema;
  document["farcast"] = run.farcast_version;
  document["program"] = run.program;
  document["executable"] = run.executable;
  document["start"] = run.start_date;
  document["ranks"] = run.ranks.size();
  document["mpi"] = Json{{"library", run.mpi_library}, {"version", run.mpi_version}};
  document["coupled_to"] = run.coupled_to.empty() ? Json() : Json(run.coupled_to);
  document["complete"] = run.complete;
  document["notes"] = notes_of(run);
  document["measured"] = Json{{"wall_s", run.wall.value()},
                              {"ranks", ranks_of(run)},
                              {"pushed_aside", pushed_aside_of(run)},
                              {"crowded_threads", crowded_of(run)}};
  document["trust"] =
      Json{{"basis", basis_sentence(run, predictions)}, {"weaknesses", weaknesses_value(run, predictions, realisations)}};
  document["predictions"] = predictions_value(predictions, run.sites, run.regions, realisations);
  document["calls"] = std::move(calls);
  document["records"] = Json{{"recorded", run.recorded}, {"refused", run.refused}};
  document["time_dependent_decisions"] = run.time_dependent_decisions;
  document["unmodelled"] = unmodelled_of(run);
  document["overhead"] = overhead_of(run.overhead);
  if (run.counters)
    document["counters"] = Json{{"events", run.counters->events},
                                {"unavailable", run.counters->unavailable.empty() ? Json() : Json(run.counters->unavailable)}};
  document["regions"] = regions_of(run);
  document["sites"] = sites_of(run);
  return to_text(document) + "\n";
}

base::Result<void> write_json(const std::string& path, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                              const scenario::RealisationsOf& realisations) {
  return base::write_file(path, json_report(run, predictions, realisations));
}

} // namespace farcast::report
