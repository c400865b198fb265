#include "predictor/live/output.h"

#include "predictor/base/atomic_file.h"
#include "predictor/report/first_screen.h"
#include "predictor/report/json.h"
#include "predictor/report/summarize.h"
#include "predictor/report/text.h"
#include "predictor/trace/run_file.h"

#include <filesystem>
#include <fmt/format.h>

namespace farcast::live {

namespace {

constexpr std::size_t kScreenLines = 25;

// Returns: the run files that the run was read from, or is being written to.
std::vector<std::string> run_files_of(const trace::Recording& recording, const Settings& settings) {
  std::error_code error;
  const std::string beside = std::filesystem::proximate(settings.run_file, error).string();
  if (!settings.run_file.empty()) return {error || beside.starts_with("..") ? settings.run_file : beside};
  std::vector<std::string> files;
  for (const auto& part : recording.joined) files.push_back(part->source);
  if (files.empty() && !recording.source.empty()) files.push_back(recording.source);
  return files;
}

} // namespace

Outputs write_outputs(trace::Recording& recording, const PredictionRun::Outcome& outcome, const Settings& settings) {
  const report::RunSummary summary = report::summarize(recording, outcome.sites, outcome.ranks);
  report::TextOptions options;
  options.full = settings.full_report;
  const std::string report = report::text_report(summary, outcome.predictions, options, outcome.realisations);
  std::string told; // what became of the files
  std::size_t files = 0;
  Outputs out;
  const auto note = [&](const char* what, const std::string& path, const base::Result<void>& result) {
    out.all_written = out.all_written && result.has_value();
    ++files;
    told += result ? fmt::format("farcast: {} written to {}\n", what, path)
                   : fmt::format("farcast: no {}: {}\n", what, result.error().message);
  };
  if (!settings.json_file.empty()) {
    note("JSON report", settings.json_file,
         report::write_json(settings.json_file, summary, outcome.predictions, outcome.realisations));
  }
  if (!settings.run_file.empty()) note("run file", settings.run_file, trace::write_run_file(settings.run_file, recording));
  if (!settings.report_file.empty()) note("text report", settings.report_file, base::write_file(settings.report_file, report));
  if (!settings.power_file.empty())
    note(what_power_is_of(outcome.power).c_str(), settings.power_file, write_power(settings.power_file, outcome.power));
  out.whole = out.told = report + told;
  if (settings.full_report) return out;
  report::ScreenOptions screen;
  screen.lines = kScreenLines - files;
  screen.run_files = run_files_of(recording, settings);
  screen.live = recording.source.empty() && recording.joined.empty();
  out.told = report::first_screen(summary, outcome.predictions, screen, outcome.realisations) +
             report::asked_sections(summary, outcome.predictions, options) + told;
  return out;
}

} // namespace farcast::live
