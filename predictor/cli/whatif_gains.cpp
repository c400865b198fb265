#include "predictor/cli/whatif_gains.h"

#include "predictor/base/atomic_file.h"
#include "predictor/cli/read_run.h"
#include "predictor/cli/recorded_platforms.h"
#include "predictor/cli/refusal.h"
#include "predictor/report/gains.h"
#include "predictor/scenario/balance.h"
#include "predictor/trace/rank_threads.h"

#include <fmt/format.h>
#include <utility>

namespace farcast::cli {

namespace {

constexpr std::size_t kMostSites = 8;        // that are made faster
constexpr std::size_t kMostAskedPoints = 64; // for each of which that is asked

// What the points of one command share.
struct Question {
  const live::Settings& settings;
  trace::Recording& recording;
  scenario::SlowdownTable slowdowns;
  sim::Options options;
  platform::PlacementRequest placement;
  std::map<std::string, platform::Platform> platforms;
  std::map<trace::Frame, std::string> names; // of call sites
  std::vector<base::Seconds> computation;    // [rank]
};

base::Result<scenario::Scenario> scenario_of(const Question& question, const scenario::Improvement& improvement) {
  const platform::Platform& platform = question.platforms.at(improvement.point.platform);
  auto scenario =
      scenario::scenario_at(platform, improvement.point, question.recording.world_size, question.placement, question.options);
  if (scenario && improvement.point.even)
    scenario->division.computation =
        scenario::even_factors(question.computation, scenario::speeds_of(*scenario->where, scenario->options));
  if (!scenario || improvement.faster.empty()) return scenario;
  auto frames = scenario::frames_at(improvement.faster, question.names);
  if (!frames) return tl::make_unexpected(frames.error());
  scenario->speedups.push_back({std::move(*frames), improvement.times});
  return scenario;
}

scenario::Expected play_all(const Question& question, std::vector<scenario::Scenario> scenarios, scenario::Draws draws) {
  scenario::RecordedSource source(question.recording, question.slowdowns);
  return scenario::Ensemble(source, std::move(scenarios), draws).expected();
}

base::Result<report::Gains> gains_of(const Question& question, const scenario::Point& point, double percent) {
  auto base = scenario_of(question, {"", "", point, "", 1.0, false});
  if (!base) return tl::make_unexpected(base.error());
  base->options.bottlenecks = true;
  scenario::Draws draws = live::draws_of(question.settings);
  const scenario::Expected as_it_is = play_all(question, {*base}, draws);
  const sim::Prediction& prediction = as_it_is.predictions.front();
  if (!prediction.bottlenecks)
    return base::fail(
        fmt::format("--gains: the prediction on {} does not get to its end (farcast predict says why)", point.platform));
  if (as_it_is.realisations.front()) draws = {as_it_is.realisations.front()->first_seed, as_it_is.realisations.front()->count};
  report::Gains out{point, prediction.time.value(), {}};
  draws.members = live::draws_with_members(question.settings).members;
  draws.tell_apart = false;
  std::vector<scenario::Scenario> scenarios;
  if (draws.members != 0) { // what gains are measured against has members too
    scenarios.push_back(*base);
    scenarios.back().options.bottlenecks = false;
  }
  const std::size_t first = scenarios.size();
  const auto sites = scenario::sites_on_path(prediction, as_it_is.sites, question.names, kMostSites);
  for (scenario::Improvement& one : scenario::improvements_of(point, percent, sites)) {
    auto scenario = scenario_of(question, one);
    if (!scenario) return tl::make_unexpected(scenario.error());
    scenarios.push_back(std::move(*scenario));
    out.gains.push_back({std::move(one), 0});
  }
  const scenario::Expected better = play_all(question, std::move(scenarios), draws);
  for (std::size_t i = 0; i < out.gains.size(); ++i) {
    out.gains[i].time_s = better.predictions[first + i].time.value();
    out.gains[i].member_s = better.members[first + i].time_s;
  }
  if (first > 0) out.member_s = better.members.front().time_s;
  report::sort(out);
  return out;
}

} // namespace

void add_gains(CLI::App& command, WhatIfRequest& request) {
  CLI::Option* gains =
      command
          .add_option("--gains", request.gains,
                      "what would help most: each call site on the critical path, bandwidth and latency\nPERCENT better, one at "
                      "a time")
          ->check(CLI::Range(0.001, 90.0).description(""))
          ->type_name("PERCENT");
  for (const char* const other : {"--speedup", "--balance", "--checkpoint", "--model", "--csv", "--best"})
    gains->excludes(command.get_option(other));
}

int gains_command(const live::Settings& settings, const WhatIfRequest& request, const std::vector<std::string>& run_files) {
  const auto run = read_run(run_files);
  if (!run) return refuse(run.error().message);
  trace::Recording& recording = **run;
  scenario::Axes axes = request.axes;
  axes.platforms = settings.platforms;
  if (axes.platforms.empty()) axes.platforms.emplace_back(live::kDefaultPlatform);
  const std::vector<scenario::Point> points = scenario::points_of(axes);
  if (points.size() > kMostAskedPoints)
    return refuse(fmt::format("--gains: the axes span {} points, expected at most {}", points.size(), kMostAskedPoints));
  auto platforms = platforms_by_name(settings, axes.platforms);
  if (!platforms) return refuse(platforms.error().message);
  auto slowdowns = live::load_slowdowns(settings);
  if (!slowdowns) return refuse(slowdowns.error().message);
  if (const auto same = live::check_slowdowns(*slowdowns, recording); !same) return refuse(same.error().message);
  Question question{settings,
                    recording,
                    std::move(*slowdowns),
                    live::options_of(settings),
                    settings.placement,
                    std::move(*platforms),
                    scenario::sites_of_run(recording).names,
                    scenario::computation_of(recording)};
  question.placement.cpus_seen = trace::cores_per_rank(recording);
  question.placement.fewer_cpus = true; // as predict
  if (!question.options.collectives.library)
    question.options.collectives.library = collective::library_named(recording.mpi_library);
  report::GainsTable table{recording.program, recording.world_size, request.gains, {}};
  for (const scenario::Point& point : points) {
    auto gains = gains_of(question, point, request.gains);
    if (!gains) return refuse(gains.error().message);
    table.points.push_back(std::move(*gains));
  }
  fmt::print("{}", report::gains_text(table));
  if (settings.json_file.empty()) return 0;
  const auto done = base::write_file(settings.json_file, report::to_text(report::gains_json(table)) + "\n");
  return done ? 0 : refuse(done.error().message, 1);
}

} // namespace farcast::cli
