#include "predictor/report/text.h"

#include "predictor/report/bottlenecks.h"
#include "predictor/report/first_screen.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"

#include <cstdint>

namespace farcast::report {

std::string text_report(const RunSummary& run, const std::vector<sim::Prediction>& predictions, const TextOptions& options,
                        const scenario::RealisationsOf& realisations) {
  ScreenOptions screen;
  screen.lines = SIZE_MAX;
  screen.next = false;
  std::string out = first_screen(run, predictions, screen, realisations) + "\n";
  append_answer(out, run, predictions, realisations);
  append_basis(out, run, predictions, realisations);
  for (const sim::Prediction& prediction : predictions) append_rank_times(out, prediction, options);
  append_mpip_header(out, run, options);
  append_mpip_sections(out, run, predictions, options);
  append_counters(out, run, options);
  for (const sim::Prediction& prediction : predictions) {
    append_bottlenecks(out, run, prediction, options);
    append_predicted_regions(out, run, prediction, options);
    append_predicted_sites(out, run, prediction, options);
  }
  append_unmodelled(out, run);
  append_problems(out, run, predictions);
  append_overhead(out, run);
  append_heading(out, "End of Report");
  return out;
}

std::string asked_sections(const RunSummary& run, const std::vector<sim::Prediction>& predictions, const TextOptions& options) {
  std::string out;
  append_counters(out, run, options);
  for (const sim::Prediction& prediction : predictions) append_bottlenecks(out, run, prediction, options);
  return out;
}

} // namespace farcast::report
