#include "calib/study/cautions.h"

#include "calib/study/judge.h"
#include "calib/study/judge_regions.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::study {

namespace {

Surroundings surroundings_of(const std::string& program, const std::string& mpi_library) {
  Surroundings here;
  here.program = program;
  if (!mpi_library.empty()) here.program_library = mpi_library == "MPICH" ? "mpich" : "openmpi";
  return here;
}

// Returns: one sentence with the first of the faults; nothing without any.
std::vector<std::string> sentence_of(const std::string& file, const std::vector<Finding>& findings) {
  const auto faults = std::count_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.fault; });
  if (faults == 0) return {};
  return {fmt::format("{} should be measured again: {}{} (farcast calibrate check)", file, findings.front().sentence,
                      faults > 1 ? fmt::format("; and {} more", faults - 1) : "")};
}

} // namespace

std::vector<std::string> faults_of(const platform::Platform& platform, const region::SlowdownTable* slowdowns,
                                   const std::string& program, const std::string& mpi_library) {
  const Surroundings here = surroundings_of(program, mpi_library);
  std::vector<std::string> sentences;
  if (!platform.provenance.empty()) {
    const auto record = calibration_of(platform.provenance, platform.name);
    if (record && record->kind == "network") sentences = sentence_of(platform.name, judge(*record, here));
  }
  if (slowdowns != nullptr) {
    for (std::string& sentence : sentence_of(slowdowns->source, judge_regions(*slowdowns, here, "")))
      sentences.push_back(std::move(sentence));
  }
  return sentences;
}

} // namespace farcast::study
