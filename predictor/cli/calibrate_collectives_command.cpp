#include "calib/instruments/this_run.h"
#include "calib/study/collectives_calibration.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/program_image.h"
#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/check_outputs.h"
#include "predictor/cli/commands.h"

#include <filesystem>
#include <fmt/format.h>

namespace farcast::cli {

int calibrate_collectives_command(const CollectivesRequest& request) {
  instruments::ProbeRequest probe = request.probe;
  const std::filesystem::path beside = std::filesystem::path(request.output).parent_path();
  if (probe.directory.empty()) probe.directory = beside.empty() ? "." : beside.string();
  if (base::launcher_rank() <= 0) {
    if (const auto file = check_outputs({request.output}); !file) return refuse_probe(probe, file.error().message);
    if (!std::filesystem::is_directory(probe.directory))
      return refuse_probe(probe, fmt::format("--directory: found '{}', expected a directory", probe.directory));
  }
  const auto measured = instruments::run_probe(probe);
  if (!measured) return refuse(measured.error().message, measured.error().exit_code);
  const auto calibration = study::calibrate_collectives(*measured);
  if (!calibration) return refuse(calibration.error().message + "; nothing was written", 1);
  fmt::print("{}\n{} ranks on {} node{}; disk: {}\n\n{}", calibration->mpi, calibration->ranks, calibration->hosts,
             calibration->hosts == 1 ? "" : "s", probe.directory, fit::block_table(calibration->blocks));
  for (const std::string& note : calibration->notes) fmt::print("note: {}\n", note);
  const study::Provenance provenance = instruments::provenance_of_this_run(calibration->mpi, probe.seed);
  const std::string formulas = study::collectives_file(*calibration, provenance);
  if (auto written = base::write_file(request.output, formulas); !written) return refuse(written.error().message, 1);
  fmt::print("farcast: block formulas written to {}\n", request.output);
  say_faults(formulas, request.output);
  return 0;
}

} // namespace farcast::cli
