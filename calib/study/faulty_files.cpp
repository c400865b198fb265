#include "calib/study/faulty_files.h"

#include "calib/study/judge.h"
#include "calib/study/judge_regions.h"

#include <algorithm>

namespace farcast::study {

namespace {

Surroundings surroundings_of(const std::string& program, const std::string& mpi_library) {
  Surroundings here;
  here.program = program;
  if (!mpi_library.empty()) here.program_library = mpi_library == "MPICH" ? "mpich" : "openmpi";
  return here;
}

void add_if_faulty(std::vector<model::FaultyFile>& files, const std::string& name, const std::vector<model::Finding>& findings) {
  const auto faults = std::count_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.fault; });
  if (faults > 0) files.push_back({name, findings.front(), static_cast<std::size_t>(faults - 1)});
}

} // namespace

std::vector<model::FaultyFile> faulty_files(const platform::Platform& platform, const region::SlowdownTable* slowdowns,
                                            const std::string& program, const std::string& mpi_library) {
  const Surroundings here = surroundings_of(program, mpi_library);
  std::vector<model::FaultyFile> files;
  if (!platform.provenance.empty()) {
    const auto record = calibration_of(platform.provenance, platform.name);
    if (record && record->kind == "network") add_if_faulty(files, platform.name, judge(*record, here));
  }
  if (slowdowns != nullptr) add_if_faulty(files, slowdowns->source, judge_regions(*slowdowns, here, ""));
  return files;
}

} // namespace farcast::study
