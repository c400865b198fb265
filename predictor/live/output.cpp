#include "predictor/live/output.h"

#include "predictor/base/atomic_file.h"
#include "predictor/report/json.h"
#include "predictor/report/summarize.h"
#include "predictor/report/text.h"
#include "predictor/trace/run_file.h"

#include <fmt/format.h>

namespace farcast::live {

std::string write_outputs(trace::Recording& recording, const PredictionRun::Outcome& outcome, const Settings& settings,
                          bool& all_written) {
  const report::RunSummary summary = report::summarize(recording, outcome.sites, outcome.ranks);
  report::TextOptions options;
  options.full = settings.full_report;
  std::string text = report::text_report(summary, outcome.predictions, options, outcome.realisations);
  all_written = true;
  const auto note = [&](const char* what, const std::string& path, const base::Result<void>& result) {
    all_written = all_written && result.has_value();
    text += result ? fmt::format("farcast: {} written to {}\n", what, path)
                   : fmt::format("farcast: no {}: {}\n", what, result.error().message);
  };
  if (!settings.json_file.empty()) {
    note("JSON report", settings.json_file,
         report::write_json(settings.json_file, summary, outcome.predictions, outcome.realisations));
  }
  if (!settings.run_file.empty()) note("run file", settings.run_file, trace::write_run_file(settings.run_file, recording));
  if (!settings.report_file.empty()) note("text report", settings.report_file, base::write_file(settings.report_file, text));
  if (!settings.power_file.empty())
    note(what_power_is_of(outcome.power).c_str(), settings.power_file, write_power(settings.power_file, outcome.power));
  return text;
}

} // namespace farcast::live
