// One run's predictions as the page reads them: the report's figures without what no table of the page
// can show, and their views. Pure functions. Threads: one.
#pragma once

#include "predictor/html/document.h"

namespace farcast::html {

// Returns: [platform] the `predictions` of the JSON report (report/schema.md), with ranks as columns,
// call sites summed up over ranks, and at most kRows regions, sites and parts of the critical path
// each, those with most time.
report::Json shown_predictions(const report::RunSummary& run, const std::vector<sim::Prediction>& predictions,
                               const scenario::RealisationsOf& realisations);
inline constexpr std::size_t kRows = 250;

// Adds `line`, `traffic`, `power`, `links`, `messages`, `collectives` and `not_modelled`.
void add_views(report::Json& prediction, const Shown& shown, const Bounds& bounds);

} // namespace farcast::html
