#include "predictor/cli/cautions.h"

#include "calib/study/judge.h"
#include "predictor/cli/check_regions.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::cli {

namespace {

study::Surroundings surroundings_of(const RecordedProgram& program) {
  study::Surroundings here;
  here.program = program.name;
  if (!program.mpi_library.empty()) here.program_library = program.mpi_library == "MPICH" ? "mpich" : "openmpi";
  return here;
}

// Returns: one sentence with the first of the faults; nothing without any.
std::vector<std::string> sentence_of(const std::string& file, const std::vector<study::Finding>& findings) {
  const auto faults = std::count_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.fault; });
  if (faults == 0) return {};
  return {fmt::format("{} should be measured again: {}{} (farcast calibrate check)", file, findings.front().sentence,
                      faults > 1 ? fmt::format("; and {} more", faults - 1) : "")};
}

} // namespace

std::vector<std::string> faults_of(const platform::Platform& platform, const RecordedProgram& program) {
  if (platform.provenance.empty()) return {};
  const auto record = study::calibration_of(platform.provenance, platform.name);
  if (!record || record->kind != "network") return {};
  return sentence_of(platform.name, study::judge(*record, surroundings_of(program)));
}

std::vector<std::string> faults_of(const region::SlowdownTable& slowdowns, const RecordedProgram& program) {
  return sentence_of(slowdowns.source, judge_regions(slowdowns, surroundings_of(program), ""));
}

} // namespace farcast::cli
