#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/prediction_run.h"
#include "predictor/report/assumptions.h"
#include "predictor/report/derived.h"
#include "predictor/report/json_predictions.h"
#include "predictor/trace/ti_trace.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::cli {

namespace {

struct Replayed {
  sim::Prediction prediction;
  std::string error;              // the trace could not be read
  std::vector<std::string> stuck; // where the ranks stand that did not get to their end
};

sim::Options replay_options(const Settings& settings) {
  sim::Options options = options_of(settings);
  options.relative_speed = 1.0; // flops are those of the platform's own hosts
  if (!options.p2p) options.p2p = sim::MessageModel::smpi;
  return options;
}

Replayed play(const trace::TiTraceFiles& files, const PlacedPlatform& placed, const sim::Options& options) {
  std::vector<double> speeds;
  for (const platform::HostId host : placed.placement.host_of) speeds.push_back(placed.platform.hosts[host].speed.value());
  trace::TiTimelines timelines(files, std::move(speeds), placed.platform.p2p.test_cost);
  Replayed out;
  out.prediction = sim::predict(timelines, placed.platform, placed.placement, options);
  out.prediction.compute_speed = "flops of the trace at the speed of the platform's hosts";
  for (std::string& assumption : report::assumptions_of(placed.platform))
    out.prediction.assumptions.push_back(std::move(assumption));
  out.error = timelines.error();
  for (int rank = 0; rank < timelines.ranks() && !out.prediction.complete; ++rank) {
    const std::string subject = fmt::format("rank {} ", rank);
    const bool named =
        std::any_of(out.prediction.problems.begin(), out.prediction.problems.end(),
                    [&subject](const sim::Problem& problem) { return problem.text.find(subject) != std::string::npos; });
    if (named || !timelines.ended(rank)) out.stuck.push_back(fmt::format("rank {} stands at {}", rank, timelines.place(rank)));
  }
  return out;
}

void print_problems(const Replayed& replayed) {
  constexpr std::size_t kMost = 8;
  for (const sim::Problem& problem : replayed.prediction.problems) fmt::print(stderr, "farcast: {}\n", problem.text);
  for (std::size_t i = 0; i < std::min(kMost, replayed.stuck.size()); ++i) fmt::print(stderr, "farcast: {}\n", replayed.stuck[i]);
  if (replayed.stuck.size() > kMost) fmt::print(stderr, "farcast: and {} more ranks\n", replayed.stuck.size() - kMost);
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
  for (const sim::Prediction& prediction : predictions) {
    fmt::print("\n  {}\n    placement    {}\n    computation  {}\n    messages     transport model {}\n", prediction.platform,
               prediction.placement, prediction.compute_speed, prediction.transport);
    for (const std::string& assumption : prediction.assumptions) fmt::print("    assumed      {}\n", assumption);
  }
}

// Returns: success; otherwise it has said why not.
bool write_json(const std::string& path, const std::string& trace, int ranks, const std::vector<sim::Prediction>& predictions) {
  std::vector<report::SiteInfo> sites(1);
  sites.front().text = "trace";
  const report::Json document{{"schema", "farcast-replay-1"},
                              {"trace", trace},
                              {"ranks", ranks},
                              {"predictions", report::predictions_value(predictions, sites, {{0, 0}})}};
  const auto written = base::write_file(path, document.dump(2) + "\n");
  if (!written) fmt::print(stderr, "farcast: {}\n", written.error().message);
  return written.has_value();
}

} // namespace

int replay_command(const Settings& settings, const std::string& trace) {
  const auto refuse = [](const std::string& sentence) {
    fmt::print(stderr, "farcast: {}\n", sentence);
    return kBadInput;
  };
  const auto files = trace::find_ti_trace(trace);
  if (!files) return refuse(files.error().message);
  const auto placed = place_all(settings, files->ranks);
  if (!placed) return refuse(placed.error().message);
  const sim::Options options = replay_options(settings);
  std::vector<sim::Prediction> predictions;
  for (const PlacedPlatform& one : *placed) {
    Replayed replayed = play(*files, one, options);
    if (!replayed.error.empty()) return refuse(replayed.error);
    if (!replayed.prediction.complete) {
      print_problems(replayed);
      return kBadInput;
    }
    predictions.push_back(std::move(replayed.prediction));
  }
  print_answer(trace, files->ranks, predictions);
  if (settings.json_file.empty()) return 0;
  return write_json(settings.json_file, trace, files->ranks, predictions) ? 0 : 1;
}

} // namespace farcast::cli
