#include "calib/study/judge_regions.h"

#include "predictor/region/slowdowns.h"

#include <algorithm>

namespace farcast::study {

using model::Finding;

namespace {

constexpr int kFewMeasuredRepetitions = 3;
constexpr double kWideSpread = 0.1;  // relative standard deviation of a slowdown
constexpr double kMuchOfTime = 0.05; // of the computation: what less time stands on changes no prediction much

// Shares of the computation in regions whose slowdown scatters, and those that were hardly ever met
// with the most co-runners.
struct Weakness {
  double scattered = 0.0;
  double unmet = 0.0;
};

Weakness weakness_of(const region::SlowdownTable& table) {
  double total = 0.0;
  Weakness weakness;
  for (const region::RegionSlowdown& region : table.regions) {
    total += region.alone_s;
    if (region.points.empty()) continue;
    const bool wide =
        std::any_of(region.points.begin(), region.points.end(), [](const auto& point) { return point.spread > kWideSpread; });
    weakness.scattered += wide ? region.alone_s : 0.0;
    weakness.unmet += region.points.back().samples == 0 ? region.alone_s : 0.0;
  }
  if (total > 0.0) {
    weakness.scattered /= total;
    weakness.unmet /= total;
  }
  return weakness;
}

} // namespace

std::vector<Finding> judge_regions(const region::SlowdownTable& table, const Surroundings& here,
                                   const std::string& program_path) {
  std::vector<Finding> findings;
  const region::SlowdownProvenance& made = table.provenance;
  if (!program_path.empty()) {
    if (auto same = region::check_program(table, program_path); !same)
      findings.push_back({true, model::OtherBuild{same.error().message}});
  }
  const bool other = (here.program_library == "mpich" && made.mpi_library == "Open MPI") ||
                     (here.program_library == "openmpi" && made.mpi_library == "MPICH");
  if (other) findings.push_back({true, model::OtherLibrary{made.mpi_library, here.program, ""}});
  if (table.regions.empty()) findings.push_back({true, model::NoRegions{}});
  const bool by_simgrid = !table.regions.empty() && table.regions.front().divisor.has_value();
  if (by_simgrid) {
    findings.push_back({false, model::FormatOfSimGrid{}});
    return findings;
  }
  if (made.repetitions < kFewMeasuredRepetitions)
    findings.push_back({true, model::FewRepetitions{made.repetitions, kFewMeasuredRepetitions}});
  if (made.lent > 0) findings.push_back({true, model::TokensLent{made.lent}});
  const Weakness weakness = weakness_of(table);
  if (weakness.scattered > kMuchOfTime) findings.push_back({true, model::SlowdownsScatter{weakness.scattered, kWideSpread}});
  if (weakness.unmet > kMuchOfTime) findings.push_back({false, model::MostCorunnersUnmet{weakness.unmet}});
  if (!made.host.empty() && made.host != here.host) findings.push_back({false, model::MeasuredElsewhere{made.host, here.host}});
  std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) { return finding.fault; });
  return findings;
}

} // namespace farcast::study
