#include "predictor/cli/report_command.h"

#include "calib/study/faulty_files.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/base/read_file.h"
#include "predictor/cli/check_outputs.h"
#include "predictor/cli/memory_bound.h"
#include "predictor/cli/recorded_platforms.h"
#include "predictor/cli/refusal.h"
#include "predictor/cli/runs_of_files.h"
#include "predictor/html/document.h"
#include "predictor/html/page_text.h"
#include "predictor/live/prediction_run.h"
#include "predictor/report/summarize.h"
#include "predictor/scenario/questions.h"
#include "predictor/timeline/measured.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

namespace farcast::cli {

namespace {

using live::PlacedPlatform;

// What the page shows of a prediction beside its figures: of one realisation, as `farcast trace` does.
html::Shown shown_of(const ReportRequest& request, const scenario::SlowdownTable& slowdowns, trace::Recording& recording,
                     scenario::Scenario scenario, const html::Bounds& bounds, region::FrameNames& frames) {
  if (scenario::leaves_to_chance(scenario)) scenario.options.seed = request.settings.seed.value_or(1);
  html::Shown out;
  out.where = scenario.where;
  out.views = std::make_unique<html::Views>(scenario.where->platform, scenario.where->placement,
                                            html::Views::Bounds{.traffic_rows = bounds.traffic_rows});
  scenario.observer = out.views.get();
  scenario::RecordedSource source(recording, slowdowns);
  const scenario::Played played = scenario::play(source, scenario);
  const std::uint64_t seed = played.prediction.transport.seed;
  out.views->line.name = fmt::format("predicted on {}{}", played.prediction.platform,
                                     seed > 0 ? fmt::format(", realisation {}", seed) : std::string());
  out.views->line.names = timeline::Names(played.sites, frames);
  out.messages = html::message_times(scenario);
  out.collectives = html::collective_choices(scenario, out.views->collectives);
  out.not_modelled = scenario.where->platform.warnings;
  return out;
}

base::Result<html::ShownRun> play(const ReportRequest& request, RunOfFiles& run, const html::Bounds& bounds) {
  const live::Settings& settings = request.settings;
  trace::Recording& recording = *run.recording;
  const auto placed = platforms_for(settings, recording);
  if (!placed) return tl::make_unexpected(placed.error());
  const auto slowdowns = live::load_slowdowns(settings);
  if (!slowdowns) return tl::make_unexpected(slowdowns.error());
  if (const auto same = live::check_slowdowns(*slowdowns, recording); !same) return tl::make_unexpected(same.error());
  const auto memory_bound = memory_bound_in(recording, settings);
  if (!memory_bound) return tl::make_unexpected(memory_bound.error());

  html::ShownRun out;
  out.files = run.files;
  {
    live::PredictionRun playing(recording, *placed, settings, *slowdowns, study::faulty_files, false, *memory_bound);
    live::PredictionRun::Outcome outcome = playing.outcome();
    out.summary = report::summarize(recording, outcome.sites, outcome.ranks);
    out.predictions = std::move(outcome.predictions);
    out.realisations = std::move(outcome.realisations);
  }
  region::FrameNames frames(recording.resolved);
  trace::SiteTable sites;
  out.measured = timeline::measured(recording, sites);
  out.measured->names = timeline::Names(sites, frames);
  sim::Options options = live::options_of(settings);
  if (!options.collectives.library) options.collectives.library = collective::library_named(recording.mpi_library);
  for (scenario::Scenario& scenario : live::scenarios_on(*placed, options)) {
    scenario.memory_bound = *memory_bound;
    out.shown.push_back(shown_of(request, *slowdowns, recording, scenario, bounds, frames));
  }
  return out;
}

// A document of `farcast whatif`: `what` says which. Errors: it is not.
base::Result<report::Json> read_points(const std::string& path, const char* option, const char* schema, const char* what) {
  const auto text = base::read_file(path);
  if (!text) return tl::make_unexpected(text.error());
  report::Json out = report::Json::parse(*text, nullptr, false);
  const bool known =
      out.is_object() && out.value("schema", report::Json()) == schema && out.contains("points") && out["points"].is_array();
  if (!known) return base::fail(fmt::format("{}: found '{}', expected a JSON file of `{}`", option, path, what));
  return out;
}

// The points of `farcast whatif --json`, those that are the best for its goal.
base::Result<report::Json> read_sweep(const std::string& path) {
  constexpr std::size_t kMost = 5000;
  auto sweep = read_points(path, "--sweep", "farcast-whatif/1", "farcast whatif --json");
  if (!sweep) return sweep;
  report::Json& points = (*sweep)["points"];
  (*sweep)["all_points"] = points.size();
  if (points.size() > kMost) points.erase(points.begin() + static_cast<std::ptrdiff_t>(kMost), points.end());
  for (const char* unshown : {"cautions", "assumptions"}) sweep->erase(unshown);
  return sweep;
}

std::string title_of(const html::Document& document) {
  std::vector<std::string> programs;
  for (const html::ShownRun& run : document.runs)
    if (std::find(programs.begin(), programs.end(), run.summary.program) == programs.end())
      programs.push_back(run.summary.program);
  return "farcast: " + html::as_utf8(fmt::format("{}", fmt::join(programs, ", ")));
}

} // namespace

int report_command(const ReportRequest& request) {
  // A place that cannot be written is told before the work. What is tried is gone again.
  if (const auto place = check_outputs({request.output}); !place) return refuse(place.error().message);
  html::Document document;
  document.command = request.command;
  document.created = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  document.price = request.price;
  if (!request.sweep.empty()) {
    auto sweep = read_sweep(request.sweep);
    if (!sweep) return refuse(sweep.error().message);
    document.sweep = std::move(*sweep);
  }
  if (!request.gains.empty()) {
    auto gains = read_points(request.gains, "--gains", "farcast-gains/1", "farcast whatif --gains 10 --json");
    if (!gains) return refuse(gains.error().message);
    document.gains = std::move(*gains);
  }
  auto runs = runs_of(request.run_files);
  if (!runs) return refuse(runs.error().message);
  const std::size_t platforms = std::max<std::size_t>(1, request.settings.platforms.size());
  const html::Bounds bounds = html::bounds_for(runs->size() * (1 + platforms));
  for (RunOfFiles& run : *runs) {
    auto played = play(request, run, bounds);
    if (!played) return refuse(played.error().message);
    document.runs.push_back(std::move(*played));
  }
  const auto json = html::document_json(document, bounds);
  if (!json) return refuse(json.error().message, 1);
  const std::string page = html::page(title_of(document), *json);
  if (const auto written = base::write_file(request.output, page); !written) return refuse(written.error().message, 1);
  fmt::print(request.output == "/dev/stdout" ? stderr : stdout,
             "farcast: {}: {} run{}, {} platform{}, {}; open it in a browser\n", request.output, document.runs.size(),
             document.runs.size() == 1 ? "" : "s", platforms, platforms == 1 ? "" : "s",
             base::format_bytes(base::Bytes(static_cast<double>(page.size()))));
  return 0;
}

} // namespace farcast::cli
