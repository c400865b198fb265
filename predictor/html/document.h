// The document inside the page: what was measured and predicted of several runs, as far as it is
// shown. Its fields are described in schema.md.
//
// In: the summaries, predictions and views of a report. Out: JSON whose size is bounded, whatever
// the size of the runs (Bounds). Pure functions. Threads: one.
#pragma once

#include "predictor/html/effective.h"
#include "predictor/html/price.h"
#include "predictor/html/views.h"
#include "predictor/report/json_text.h"
#include "predictor/report/run_summary.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/sim/prediction.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace farcast::html {

inline constexpr const char* kSchema = "farcast-page/1";

struct Shown {                                           // beside a prediction
  std::shared_ptr<const scenario::PlacedPlatform> where; // which the views refer to
  std::unique_ptr<Views> views;                          // of one realisation
  std::vector<MessageTimes> messages;
  std::vector<CollectiveChoice> collectives;
  std::vector<std::string> not_modelled; // of the platform's file, sentences
};

struct ShownRun {
  std::vector<std::string> files;
  report::RunSummary summary;
  std::vector<sim::Prediction> predictions; // [platform]
  scenario::RealisationsOf realisations;    // [platform]
  std::optional<timeline::TimeLine> measured;
  std::vector<Shown> shown; // [platform]
};

// How much of everything there is, for so many time lines.
struct Bounds {
  std::size_t segments;     // of a time line
  std::size_t traffic_rows; // of a matrix
  std::size_t power_nodes;  // that have a row of their own
  std::size_t links;        // that have a row of their own
};
Bounds bounds_for(std::size_t lines);

struct Document {
  std::string command;
  std::string created; // ISO 8601
  std::optional<Price> price;
  std::vector<ShownRun> runs;
  report::Json sweep; // farcast-whatif/1; null: none
  report::Json gains; // farcast-gains/1; null: none
};

// Returns: the document as text. Errors: a time line is not whole.
base::Result<std::string> document_json(const Document& document, const Bounds& bounds);

// Returns: the text with U+FFFD for what is not UTF-8.
std::string as_utf8(const std::string& text);

} // namespace farcast::html
