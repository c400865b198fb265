#include "calib/instruments/this_run.h"
#include "calib/kernels/kernels.h"
#include "calib/study/judge.h"
#include "calib/study/judge_regions.h"
#include "predictor/base/process_info.h"
#include "predictor/base/program_image.h"
#include "predictor/base/read_file.h"
#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/refusal.h"
#include "predictor/region/adjustment_file.h"
#include "predictor/region/slowdown_file.h"
#include "predictor/report/cautions.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace farcast::cli {

namespace {

base::Result<study::Surroundings> surroundings_of(const std::string& program) {
  study::Surroundings here;
  here.host = base::host_name();
  here.cpu = instruments::cpu_model();
  here.kernels = kernels::build();
  for (const char* mpi : {"openmpi", "mpich"}) {
    if (std::string name = instruments::installed_library(mpi); !name.empty()) here.libraries.push_back(std::move(name));
  }
  here.program = program;
  if (program.empty()) return here;
  const base::ProgramImage image = base::inspect_program(program);
  if (!image.found) return base::fail(fmt::format("{}: {}", program, image.problem));
  if (image.links != base::MpiLibrary::none) here.program_library = base::short_name(image.links);
  return here;
}

// Prints what was found. Returns: the exit code.
int tell(const std::vector<model::Finding>& findings) {
  bool faulty = false;
  for (const model::Finding& finding : findings) {
    fmt::print("{}: {}\n", finding.fault ? "fault" : "remark", report::finding_sentence(finding));
    faulty = faulty || finding.fault;
  }
  fmt::print("{}\n", faulty ? "Measure again before predictions rest on it." : "Nothing speaks against it.");
  return faulty ? 1 : 0;
}

// `text`: what the file holds.
int check_regions(const std::string& path, std::string_view text, const study::Surroundings& here) {
  const bool csv = text.starts_with('"'); // which may have come through a pipe: it is read once
  const auto table = csv ? region::parse_adjustments(text, path) : region::read_slowdowns(path);
  if (!table) return refuse(table.error().message);
  fmt::print("{}: slowdowns of {} regions{}\n", path, table->regions.size(),
             table->provenance.program.empty() ? ""
                                               : fmt::format(" of {}, {}", table->provenance.program, table->provenance.date));
  return tell(study::judge_regions(*table, here, here.program.empty() ? "" : base::inspect_program(here.program).path));
}

} // namespace

void say_faults(std::string_view text, const std::string& path) {
  const auto record = study::read_calibration(text, path);
  if (!record) return;
  const std::vector<model::Finding> findings = study::judge(*record, {});
  const auto faults = std::count_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.fault; });
  if (faults == 0) return;
  std::fflush(stdout);
  tell("farcast: {}: {} fault{}: {}{}\n  Measure again, on nodes that do nothing else, before predictions rest on it.\n", path,
       faults, faults == 1 ? "" : "s", report::finding_sentence(findings.front()),
       faults == 1 ? "" : fmt::format(" (all: farcast calibrate check {})", path));
}

int calibrate_check_command(const std::string& path, const std::string& program) {
  const auto text = base::read_file(path);
  if (!text) return refuse(text.error().message);
  const auto here = surroundings_of(program);
  if (!here) return refuse(here.error().message);
  if (text->starts_with("\x89HDF") || text->starts_with('"')) return check_regions(path, *text, *here);
  const auto record = study::read_calibration(*text, path);
  if (!record) return refuse(record.error().message);
  std::size_t samples = 0;
  for (const study::SectionQuality& section : record->sections) samples += section.curve == "network" ? 0 : section.samples;
  fmt::print("{}: {} calibration of {} ({}), {}, {} samples\n", path, record->kind, record->provenance.host,
             record->provenance.mpi.empty() ? record->provenance.cpu : record->provenance.mpi, record->provenance.date, samples);
  return tell(study::judge(*record, *here));
}

} // namespace farcast::cli
