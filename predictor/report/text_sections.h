// The parts of the text report, in their order. Each appends itself to `out`; one that has nothing
// to say appends nothing.
#pragma once

#include "predictor/report/text.h"

namespace farcast::report {

// text_answer.cpp
void append_answer(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                   const scenario::RealisationsOf& realisations);
void append_basis(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                  const scenario::RealisationsOf& realisations);

// text_ranks.cpp
void append_rank_times(std::string& out, const sim::Prediction& prediction, const TextOptions& options);

// text_mpip.cpp
void append_mpip_header(std::string& out, const RunSummary& run, const TextOptions& options);
void append_mpip_sections(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                          const TextOptions& options);

// text_callsites.cpp
void append_callsites(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                      const TextOptions& options);

// text_mpip_full.cpp
void append_mpip_site_statistics(std::string& out, const RunSummary& run);

// text_counters.cpp
void append_counters(std::string& out, const RunSummary& run, const TextOptions& options);

// text_details.cpp
void append_predicted_regions(std::string& out, const RunSummary& run, const sim::Prediction& prediction,
                              const TextOptions& options);
void append_predicted_sites(std::string& out, const RunSummary& run, const sim::Prediction& prediction,
                            const TextOptions& options);
// Returns: sentences about a run that others disturbed, for where the user looks first.
std::vector<std::string> pushed_aside_warnings(const RunSummary& run);
// Returns: whether others than the job's own ranks and threads did that, as far as can be told.
bool others_had_cores(const RunSummary& run);
void append_pushed_aside(std::string& out, const RunSummary& run);
void append_unmodelled(std::string& out, const RunSummary& run);
void append_problems(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions);
void append_overhead(std::string& out, const RunSummary& run);

} // namespace farcast::report
