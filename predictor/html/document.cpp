#include "predictor/html/document.h"

#include "predictor/base/version.h"
#include "predictor/html/line_json.h"
#include "predictor/html/prediction_json.h"
#include "predictor/report/sentences.h"
#include "predictor/report/trust.h"

#include <algorithm>

namespace farcast::html {

namespace {

using report::Json;

constexpr std::size_t kAllSegments = 480'000; // of all time lines: some 7 MB
constexpr std::size_t kAllTrafficCells = 3 * 256 * 256;

Json measured_value(const report::RunSummary& run) {
  Json out{{"wall_s", run.wall.value()}};
  double app = 0, mpi = 0;
  Json hosts = Json::object();
  for (const report::RankSummary& rank : run.ranks) {
    app += rank.app_time.value();
    mpi += rank.mpi_time.value();
    hosts[rank.host] = hosts.value(rank.host, 0) + 1;
  }
  out["app_s"] = app;
  out["mpi_s"] = mpi;
  out["ranks_on"] = std::move(hosts);
  if (run.pushed_aside)
    out["pushed_aside"] = Json{{"share", run.pushed_aside->share},
                               {"worst_share", run.pushed_aside->worst},
                               {"worst_rank", run.pushed_aside->worst_rank}};
  out["overhead_share"] = run.overhead.share_of_wall ? Json(*run.overhead.share_of_wall) : Json();
  Json crowded = Json::array();
  for (const report::CrowdedThreads& one : run.crowded) crowded.push_back(report::crowded_sentence(one));
  out["crowded_threads"] = std::move(crowded);
  return out;
}

Json unmodelled_value(const report::RunSummary& run) {
  Json out = Json::array();
  for (const auto& [function, taken] : run.unmodelled)
    out.push_back(Json{{"function", function}, {"count", taken.count}, {"total_s", taken.time.value()}});
  return out;
}

base::Result<Json> run_value(const ShownRun& run, const Bounds& bounds) {
  const report::RunSummary& summary = run.summary;
  Json out;
  out["files"] = run.files;
  out["program"] = summary.program;
  out["executable"] = summary.executable;
  out["start"] = summary.start_date;
  out["ranks"] = summary.ranks.size();
  out["mpi"] = Json{{"library", summary.mpi_library}, {"version", summary.mpi_version}};
  out["recorded_by"] = summary.farcast_version;
  out["coupled_to"] = summary.coupled_to.empty() ? Json() : Json(summary.coupled_to);
  out["complete"] = summary.complete;
  out["notes"] = report::notes_of(summary);
  out["measured"] = measured_value(summary);
  out["calls"] = Json::object();
  for (const auto& [function, calls] : summary.calls) out["calls"][function] = calls;
  out["records"] = Json{{"recorded", summary.recorded}, {"refused", summary.refused}};
  out["time_dependent_decisions"] = summary.time_dependent_decisions;
  out["unmodelled"] = unmodelled_value(summary);
  out["basis"] = report::basis_sentence(summary, run.predictions);
  out["weaknesses"] = report::weaknesses_value(summary, run.predictions, run.realisations);
  out["line"] = Json();
  if (run.measured) {
    if (const auto whole = run.measured->check(); !whole) return tl::make_unexpected(whole.error());
    out["line"] = line_value(*run.measured, bounds.segments);
  }
  out["predictions"] = Json::array();
  Json predictions = shown_predictions(summary, run.predictions, run.realisations);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (const auto whole = run.shown[i].views->line.check(); !whole) return tl::make_unexpected(whole.error());
    add_views(predictions[i], run.shown[i], bounds);
    out["predictions"].push_back(std::move(predictions[i]));
  }
  return out;
}

} // namespace

Bounds bounds_for(std::size_t lines) {
  Bounds out{};
  out.segments = kAllSegments / std::max<std::size_t>(lines, 1);
  out.traffic_rows = 256;
  while (out.traffic_rows > 16 && out.traffic_rows * out.traffic_rows * lines > kAllTrafficCells) out.traffic_rows /= 2;
  out.power_nodes = lines > 8 ? 32 : 128;
  out.links = lines > 8 ? 24 : 64;
  return out;
}

base::Result<std::string> document_json(const Document& document, const Bounds& bounds) {
  Json out;
  out["schema"] = kSchema;
  out["farcast"] = base::version();
  out["created"] = document.created;
  out["command"] = document.command;
  out["price"] = document.price ? Json{{"per_kwh", document.price->per_kwh}, {"currency", document.price->currency}} : Json();
  out["runs"] = Json::array();
  for (const ShownRun& run : document.runs) {
    auto value = run_value(run, bounds);
    if (!value) return tl::make_unexpected(value.error());
    out["runs"].push_back(std::move(*value));
  }
  out["sweep"] = document.sweep;
  out["gains"] = document.gains;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string as_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

} // namespace farcast::html
