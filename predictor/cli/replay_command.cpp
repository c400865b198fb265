#include "calib/study/cautions.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/cli/commands.h"
#include "predictor/live/prediction_run.h"
#include "predictor/report/assumptions.h"
#include "predictor/report/derived.h"
#include "predictor/report/json_predictions.h"
#include "predictor/report/sentences.h"
#include "predictor/trace/ti_trace.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace farcast::cli {

namespace {

using Sites = std::vector<std::string>;
using Regions = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Replayed {
  sim::Prediction prediction;
  Sites sites; // call sites as this replay met them, and the regions between them
  Regions regions;
  std::string error;              // the trace could not be read
  std::vector<std::string> stuck; // sentences: why it did not get to its end, and where its ranks stand
};

sim::Options replay_options(const live::Settings& settings) {
  sim::Options options = live::options_of(settings);
  options.relative_speed = 1.0; // flops are those of the platform's own hosts
  if (!options.p2p) options.p2p = sim::MessageModel::smpi;
  options.self_over_links = true; // SimGrid's rule
  return options;
}

// Returns: what the engine states, each with file and line in front: of the rank that it is about, else of the first rank that
// the next ones are about; then where other ranks stand.
std::vector<std::string> explain(const sim::Prediction& prediction, const trace::TiTimelines& timelines) {
  std::vector<std::string> out;
  std::set<int> named;
  for (std::size_t i = 0; i < prediction.problems.size(); ++i) {
    const sim::Problem& problem = prediction.problems[i];
    int rank = problem.rank;
    if (rank >= 0) named.insert(rank);
    for (std::size_t later = i + 1; rank < 0 && later < prediction.problems.size(); ++later)
      rank = prediction.problems[later].rank;
    std::string text = report::problem_text(problem);
    if (rank >= 0) text = fmt::format("{}: {}", timelines.place(rank), text);
    if (problem.kind == sim::ProblemKind::blocked && problem.site.value_or(0) != 0)
      text += fmt::format(", at call site {}", timelines.sites()[*problem.site]);
    out.push_back(std::move(text));
  }
  for (int rank = 0; rank < timelines.ranks(); ++rank) {
    if (!timelines.ended(rank) && !named.contains(rank))
      out.push_back(fmt::format("{}: rank {} stands there", timelines.place(rank), rank));
  }
  return out;
}

// Requires: the platform says what a test costs.
Replayed play(const trace::TiTraceFiles& files, const live::PlacedPlatform& placed, const sim::Options& options) {
  std::vector<double> speeds;
  for (const platform::HostId host : placed.placement.host_of) speeds.push_back(placed.platform.hosts[host].speed.value());
  trace::TiTimelines timelines(files, std::move(speeds), *placed.platform.p2p.test_cost);
  Replayed out;
  out.prediction = sim::predict(timelines, placed.platform, placed.placement, options);
  out.prediction.compute_speed.source = host::ComputeSpeed::Source::trace;
  for (const auto& more : {report::assumptions_of(placed.platform), report::contention_assumption(placed.placement, false)})
    out.prediction.assumptions.insert(out.prediction.assumptions.end(), more.begin(), more.end());
  out.prediction.cautions = study::faults_of(placed.platform, nullptr, "", "");
  out.error = timelines.error();
  out.sites = timelines.sites();
  out.regions = timelines.regions();
  if (!out.prediction.complete) out.stuck = explain(out.prediction, timelines);
  return out;
}

void print_stuck(const std::vector<std::string>& sentences) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(kMost, sentences.size()); ++i) fmt::print(stderr, "farcast: {}\n", sentences[i]);
  if (sentences.size() > kMost) fmt::print(stderr, "farcast: and {} more\n", sentences.size() - kMost);
}

// Puts the sites of all replays into one order, which does not depend on which rank came to them first.
void renumber(std::vector<Replayed>& replays, Sites& sites, Regions& regions) {
  std::set<std::string> named;
  for (const Replayed& replay : replays) named.insert(replay.sites.begin() + 1, replay.sites.end());
  sites.assign({"trace"});
  sites.insert(sites.end(), named.begin(), named.end());
  const auto number = [&](const Replayed& replay, std::uint32_t site) {
    return site == 0 ? 0U : 1U + static_cast<std::uint32_t>(std::distance(named.begin(), named.find(replay.sites[site])));
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> between{{0, 0}};
  for (const Replayed& replay : replays) {
    for (const auto& [from, to] : replay.regions) between.insert({number(replay, from), number(replay, to)});
  }
  regions.assign(between.begin(), between.end());
  for (Replayed& replay : replays) {
    sim::Prediction& prediction = replay.prediction;
    decltype(prediction.sites) by_site;
    for (auto& [site, ranks] : prediction.sites) by_site.emplace(number(replay, site), std::move(ranks));
    prediction.sites = std::move(by_site);
    decltype(prediction.regions) by_region;
    for (const auto& [region, totals] : prediction.regions) {
      const auto& [from, to] = replay.regions[region];
      const auto at = between.find({number(replay, from), number(replay, to)});
      by_region.emplace(static_cast<std::uint32_t>(std::distance(between.begin(), at)), totals);
    }
    prediction.regions = std::move(by_region);
  }
}

void print_answer(const std::string& trace, int ranks, const std::vector<sim::Prediction>& predictions) {
  fmt::print("farcast: replay of {}, {} ranks\n\n", trace, ranks);
  fmt::print("  {:<24} {:>20} {:>12} {:>12} {:>6}\n", "platform", "time", "energy", "avg. power", "nodes");
  for (const sim::Prediction& prediction : predictions) {
    const auto power = report::average_power(prediction);
    fmt::print("  {:<24} {:>18.12g} s {:>12} {:>12} {:>6}\n", prediction.platform, prediction.time.value(),
               prediction.energy ? base::format_energy(*prediction.energy) : "unavailable",
               power ? base::format_power(*power) : "-", prediction.nodes_used);
  }
  for (const sim::Prediction& prediction : predictions)
    for (const std::string& caution : prediction.cautions) fmt::print("\n  ! {}: {}\n", prediction.platform, caution);
  for (const sim::Prediction& prediction : predictions) {
    fmt::print("\n  {}\n    placement    {}\n    computation  {}\n    messages     transport model {}\n", prediction.platform,
               prediction.placement, report::compute_speed_sentence(prediction.compute_speed, prediction.platform),
               report::transport_text(prediction.transport));
    for (const sim::Assumption& assumption : prediction.assumptions)
      fmt::print("    assumed      {}\n", report::assumption_sentence(assumption));
  }
}

// Returns: success; otherwise it has said why not.
bool write_json(const std::string& path, const std::string& trace, int ranks, const std::vector<sim::Prediction>& predictions,
                const Sites& sites, const Regions& regions) {
  std::vector<report::SiteInfo> named;
  for (const std::string& text : sites) {
    report::SiteInfo& site = named.emplace_back();
    site.text = text;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) continue; // the trace itself
    site.file = text.substr(0, colon);
    site.line = std::atoi(text.c_str() + colon + 1);
  }
  std::vector<report::RegionInfo> between;
  between.reserve(regions.size());
  for (const auto& [from, to] : regions) between.push_back({from, to});
  const report::Json document{{"schema", "farcast-replay-1"},
                              {"trace", trace},
                              {"ranks", ranks},
                              {"predictions", report::predictions_value(predictions, named, between)}};
  const auto written = base::write_file(path, document.dump(2) + "\n");
  if (!written) fmt::print(stderr, "farcast: {}\n", written.error().message);
  return written.has_value();
}

} // namespace

int replay_command(const live::Settings& settings, const std::string& trace) {
  const auto files = trace::find_ti_trace(trace);
  if (!files) return refuse(files.error().message);
  auto placed = live::place_all(settings, files->ranks);
  if (!placed) return refuse(placed.error().message);
  const sim::Options options = replay_options(settings);
  std::vector<Replayed> replays;
  for (live::PlacedPlatform& one : *placed) {
    platform::PointToPoint& p2p = one.platform.p2p; // a trace has no durations of tests
    if (!p2p.test_cost) p2p.test_cost = platform::kSimGridPoll;
    replays.push_back(play(*files, one, options));
    if (!replays.back().error.empty()) return refuse(replays.back().error);
    if (!replays.back().prediction.complete) {
      print_stuck(replays.back().stuck);
      return kBadInput;
    }
  }
  Sites sites;
  Regions regions;
  renumber(replays, sites, regions);
  std::vector<sim::Prediction> predictions;
  predictions.reserve(replays.size());
  for (Replayed& replay : replays) predictions.push_back(std::move(replay.prediction));
  print_answer(trace, files->ranks, predictions);
  if (settings.json_file.empty()) return 0;
  return write_json(settings.json_file, trace, files->ranks, predictions, sites, regions) ? 0 : 1;
}

} // namespace farcast::cli
