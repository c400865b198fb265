#include "calib/study/faulty_files.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/refusal.h"
#include "predictor/live/asked.h"
#include "predictor/live/doubts.h"
#include "predictor/live/power_over_time.h"
#include "predictor/report/cautions.h"
#include "predictor/report/derived.h"
#include "predictor/report/json_predictions.h"
#include "predictor/report/sentences.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/scenario/ti_source.h"
#include "predictor/trace/run_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace farcast::cli {

namespace {

sim::Options replay_options(const live::Settings& settings) {
  sim::Options options = live::options_of(settings);
  options.speed_of_trace = true; // flops are those of the platform's own hosts
  if (!options.p2p) options.p2p = sim::MessageModel::smpi;
  options.self_over_links = true; // SimGrid's rule
  return options;
}

// Returns: what the engine states, each with file and line in front: of the rank that it is about,
// else of the first rank that the next ones are about; then where other ranks stand.
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

void print_stuck(const std::vector<std::string>& sentences) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(kMost, sentences.size()); ++i) tell("farcast: {}\n", sentences[i]);
  if (sentences.size() > kMost) tell("farcast: and {} more\n", sentences.size() - kMost);
}

// Plays scenarios once more, each alone, until one does not get to its end: what is wrong does not
// hang on how others read then.
// Returns: the exit code, when it has said what is wrong.
int refuse_first(const trace::TiTraceFiles& files, const std::vector<scenario::Scenario>& scenarios) {
  for (const scenario::Scenario& one : scenarios) {
    trace::TiTimelines timelines = scenario::timelines_for(files, *one.where);
    const sim::Prediction prediction = sim::predict(timelines, one.where->platform, one.where->placement, one.options);
    if (!timelines.error().empty()) return refuse(timelines.error());
    if (prediction.complete) continue;
    print_stuck(explain(prediction, timelines));
    return kBadInput;
  }
  return refuse("the trace changed while it was read");
}

void print_answer(const std::string& trace, int ranks, const scenario::Expected& answers) {
  const std::vector<sim::Prediction>& predictions = answers.predictions;
  fmt::print("farcast: replay of {}, {} ranks\n\n", trace, ranks);
  fmt::print("  {:<24} {:>20} {:>12} {:>12} {:>6}\n", "platform", "time", "energy", "avg. power", "nodes");
  for (const sim::Prediction& prediction : predictions) {
    const auto power = report::average_power(prediction);
    fmt::print("  {:<24} {:>18.12g} s {:>12} {:>12} {:>6}\n", prediction.platform, prediction.time.value(),
               prediction.energy ? base::format_energy(*prediction.energy) : "unavailable",
               power ? base::format_power(*power) : "-", prediction.nodes_used);
  }
  for (const sim::Prediction& prediction : predictions)
    for (const std::string& caution : report::cautions_of(prediction)) fmt::print("\n  ! {}: {}\n", prediction.platform, caution);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const std::string chance = answers.realisations[i] ? report::chance_sentence(*answers.realisations[i]) : "";
    if (!chance.empty()) fmt::print("\n  ! {}: {}\n", predictions[i].platform, chance);
  }
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const sim::Prediction& prediction = predictions[i];
    fmt::print("\n  {}\n    placement    {}\n    computation  {}\n    messages     transport model {}\n", prediction.platform,
               prediction.placement, report::compute_speed_sentence(prediction.compute_speed, prediction.platform),
               report::transport_text(prediction.transport));
    if (answers.realisations[i]) fmt::print("    realisations {}\n", report::realisations_sentence(*answers.realisations[i]));
    if (!prediction.links.empty()) fmt::print("    links        {}\n", report::link_energy_sentence(prediction));
    for (const sim::Assumption& assumption : prediction.assumptions)
      fmt::print("    assumed      {}\n", report::assumption_sentence(assumption));
  }
}

// Returns: success; otherwise it has said why not.
bool write_json(const std::string& path, const std::string& trace, int ranks, const scenario::Expected& answers) {
  std::vector<report::SiteInfo> named;
  for (const trace::Site& one : answers.sites.sites()) {
    report::SiteInfo& site = named.emplace_back();
    site.text = scenario::ti_site_text(one);
    const std::size_t colon = site.text.rfind(':');
    if (colon == std::string::npos) continue; // the trace itself
    site.file = site.text.substr(0, colon);
    site.line = std::atoi(site.text.c_str() + colon + 1);
  }
  std::vector<report::RegionInfo> between;
  for (const auto& [from, to] : answers.sites.regions()) between.push_back({from, to});
  const report::Json document{
      {"schema", "farcast-replay-1"},
      {"trace", trace},
      {"ranks", ranks},
      {"predictions", report::predictions_value(answers.predictions, named, between, answers.realisations)}};
  const auto written = base::write_file(path, document.dump(2) + "\n");
  if (!written) tell("farcast: {}\n", written.error().message);
  return written.has_value();
}

// Returns: success; otherwise it has said why not.
bool print_power(const std::string& path, const live::PowerOverTime& power) {
  const auto written = live::write_power(path, power);
  if (written)
    fmt::print("\nfarcast: {} written to {}\n", live::what_power_is_of(power), path);
  else
    tell("farcast: {}\n", written.error().message);
  return written.has_value();
}

} // namespace

int replay_command(const live::Settings& settings, const std::string& trace) {
  if (trace::is_run_file(trace))
    return refuse(
        fmt::format("{} is a recorded run, expected a SimGrid TI trace: `farcast predict {}` plays it, `farcast convert {} "
                    "--to ti -o FOLDER` makes a trace of it",
                    trace, trace, trace));
  const auto files = trace::find_ti_trace(trace);
  if (!files) return refuse(files.error().message);
  auto placed = live::place_all(settings, files->ranks);
  if (!placed) return refuse(placed.error().message);
  if (const auto power = live::check_power(settings, *placed); !power) return refuse(power.error().message);
  for (live::PlacedPlatform& one : *placed) { // a trace has no durations of tests
    platform::PointToPoint& p2p = one.platform.p2p;
    if (!p2p.test_cost) p2p.test_cost = platform::kSimGridPoll;
  }
  std::vector<scenario::Scenario> scenarios = live::scenarios_on(std::move(*placed), replay_options(settings));
  const live::PowerOverTime power = live::power_of(scenarios, settings);
  scenario::TiSource source(*files);
  scenario::Ensemble ensemble(source, scenarios, live::draws_of(settings));
  scenario::Expected answers = ensemble.expected();
  const auto complete = [](const sim::Prediction& prediction) { return prediction.complete; };
  if (!std::all_of(answers.predictions.begin(), answers.predictions.end(), complete))
    return refuse_first(*files, ensemble.asked());
  for (std::size_t i = 0; i < scenarios.size(); ++i)
    live::add_doubts(answers.predictions[i], *scenarios[i].where, nullptr, study::faulty_files, {});
  print_answer(trace, files->ranks, answers);
  bool written = settings.json_file.empty() || write_json(settings.json_file, trace, files->ranks, answers);
  if (!settings.power_file.empty()) written = print_power(settings.power_file, power) && written;
  return written ? 0 : 1;
}

} // namespace farcast::cli
