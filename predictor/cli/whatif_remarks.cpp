#include "predictor/cli/whatif_remarks.h"

#include "calib/study/faulty_files.h"
#include "predictor/live/doubts.h"
#include "predictor/report/cautions.h"
#include "predictor/report/remarks.h"
#include "predictor/report/sentences.h"
#include "predictor/report/summarize.h"
#include "predictor/trace/rank_threads.h"

namespace farcast::cli {

namespace {

void add(report::WhatIf& what, std::size_t point, const std::vector<scenario::Remark>& remarks) {
  for (const scenario::Remark& remark : remarks) {
    std::vector<std::size_t>& points = what.remarks[remark];
    if (points.empty() || points.back() != point) points.push_back(point);
  }
}

} // namespace

std::vector<scenario::Remark> engine_remarks(const sim::Prediction& prediction) { return report::remarks_of(prediction); }

void add_remarks(report::WhatIf& what, std::size_t point, const scenario::SweepAnswer& answer,
                 const std::optional<scenario::Realisations>& realisations) {
  add(what, point, answer.remarks);
  if (realisations) add(what, point, report::remarks_of(*realisations));
}

void add_doubts(report::WhatIf& what, std::size_t point, const scenario::PlacedPlatform& placed,
                const region::SlowdownTable* slowdowns, const trace::Recording& recording) {
  sim::Prediction doubts; // that and nothing else
  doubts.platform = placed.platform.name;
  live::add_doubts(doubts, placed, slowdowns, study::faulty_files,
                   {recording.program, recording.mpi_library, trace::cores_per_rank(recording)});
  add(what, point, report::remarks_of(doubts));
}

RunCautions::RunCautions(trace::Recording* recording) : recording_(recording) {
  if (recording_ == nullptr) return;
  counting_ = std::thread([this] {
    trace::SiteTable sites;
    for (const auto& rank : recording_->ranks) {
      trace::MeasuredRank& measured = ranks_.emplace_back(trace::tally(*recording_, *rank, sites));
      measured.sites.clear(); // nobody asks for them here
      measured.regions.clear();
    }
  });
}

RunCautions::~RunCautions() {
  if (counting_.joinable()) counting_.join();
}

void RunCautions::say(report::WhatIf& what) {
  if (recording_ == nullptr) return;
  counting_.join();
  const report::RunSummary run = report::summarize(*recording_, trace::SiteTable(), ranks_);
  what.run_cautions = report::cautions_of_run(run);
  what.run_notes = report::notes_of(run);
}

} // namespace farcast::cli
