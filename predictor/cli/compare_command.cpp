#include "predictor/cli/compare_command.h"

#include "calib/study/faulty_files.h"
#include "predictor/base/atomic_file.h"
#include "predictor/cli/read_run.h"
#include "predictor/cli/recorded_platforms.h"
#include "predictor/cli/refusal.h"
#include "predictor/live/prediction_run.h"
#include "predictor/report/compare.h"
#include "predictor/report/summarize.h"

#include <fmt/format.h>
#include <utility>

namespace farcast::cli {

namespace {

constexpr std::size_t kFew = 15; // rows of a table, unless all are wanted

struct Played {
  report::RunSummary summary;
  std::vector<sim::Prediction> predictions;    // [platform]
  std::vector<scenario::MemberValues> members; // [platform]
};

base::Result<Played> play(const live::Settings& settings, const std::string& file, bool later) {
  const auto run = read_run({file});
  if (!run) return tl::make_unexpected(run.error());
  auto placed = platforms_for(settings, **run);
  if (!placed) return tl::make_unexpected(placed.error());
  auto slowdowns = live::load_slowdowns(settings);
  if (!slowdowns) return tl::make_unexpected(slowdowns.error());
  if (const auto same = live::check_slowdowns(*slowdowns, **run); !same) return tl::make_unexpected(same.error());
  live::PredictionRun playing(**run, std::move(*placed), settings, std::move(*slowdowns), study::faulty_files, false);
  playing.compared(later);
  live::PredictionRun::Outcome outcome = playing.outcome();
  for (const sim::Prediction& prediction : outcome.predictions) {
    if (!prediction.complete)
      return base::fail(
          fmt::format("{}: its prediction on {} does not get to its end (farcast predict says why)", file, prediction.platform));
  }
  return Played{report::summarize(**run, outcome.sites, outcome.ranks), std::move(outcome.predictions),
                std::move(outcome.members)};
}

} // namespace

int compare_command(const live::Settings& settings, const std::vector<std::string>& files) {
  if (files.size() != 2)
    return refuse(fmt::format("found {} run file{}, expected two: farcast compare BEFORE.h5 AFTER.h5", files.size(),
                              files.size() == 1 ? "" : "s"));
  const std::string &before = files[0], &after = files[1];
  const auto earlier = play(settings, before, false);
  if (!earlier) return refuse(earlier.error().message);
  const auto later = play(settings, after, true);
  if (!later) return refuse(later.error().message);
  report::Json documents = report::Json::array();
  for (std::size_t i = 0; i < later->predictions.size(); ++i) {
    const report::Comparison comparison =
        report::compare({before, &earlier->summary, &earlier->predictions[i], &earlier->members[i]},
                        {after, &later->summary, &later->predictions[i], &later->members[i]});
    fmt::print("{}{}", i > 0 ? "\n" : "", report::compare_text(comparison, settings.full_report ? SIZE_MAX : kFew));
    documents.push_back(report::compare_json(comparison));
  }
  if (settings.json_file.empty()) return 0;
  const auto done = base::write_file(settings.json_file, report::to_text(documents) + "\n");
  return done ? 0 : refuse(done.error().message, 1);
}

} // namespace farcast::cli
