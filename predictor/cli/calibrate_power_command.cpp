#include "calib/instruments/child_program.h"
#include "calib/instruments/core_clocks.h"
#include "calib/instruments/load_steps.h"
#include "calib/instruments/papi_energy.h"
#include "calib/instruments/power_source.h"
#include "calib/instruments/this_run.h"
#include "calib/study/power_calibration.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/base/process_info.h"
#include "predictor/base/program_image.h"
#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/check_outputs.h"
#include "predictor/cli/commands.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace farcast::cli {

namespace {

// The processor's counters by either way, or the meter's log; none: `sentence` says what would be
// needed.
std::unique_ptr<instruments::PowerSource> open_source(const PowerRequest& request, std::string& sentence) {
  if (!request.meter.empty()) return instruments::meter_log(request.meter, request.meter_offset_s);
  if (auto counters = instruments::energy_counters(request.powercap)) return counters;
  auto papi = instruments::papi_energy();
  if (papi) return *std::move(papi);
  sentence =
      fmt::format("no power can be measured here: {} has no energy counter that can be read, and there is none by PAPI's "
                  "component rapl either ({}); they need a processor with RAPL, no virtual machine, and read permission on "
                  "energy_uj; with a wattmeter: --meter log.csv, lines time,watts",
                  request.powercap, papi.error().message);
  return nullptr;
}

struct Clocks { // what can be set; none: one frequency, and why
  std::optional<instruments::CoreClocks> cores;
  std::vector<double> frequencies{0.0};
  std::string note;
};

// Errors: frequencies that were asked for and cannot be set; `code` is the exit code then.
base::Result<Clocks> open_clocks(const PowerRequest& request, int& code) {
  Clocks clocks;
  auto cores = instruments::CoreClocks::open(request.cpufreq);
  if (!cores && !request.frequencies.empty()) {
    code = kNothingToMeasure;
    return base::fail("--frequencies: " + cores.error().message);
  }
  if (!cores) {
    clocks.note = "at the frequencies that the system chose: " + cores.error().message;
    return clocks;
  }
  auto chosen = cores->choose(request.frequencies);
  code = kBadInput;
  if (!chosen) return tl::make_unexpected(chosen.error());
  clocks.frequencies = *std::move(chosen);
  clocks.cores.emplace(*std::move(cores));
  return clocks;
}

} // namespace

int calibrate_power_command(const PowerRequest& request) {
  if (const auto file = check_outputs({request.output}); !file) return refuse(file.error().message, kBadInput);
  std::string sentence;
  const std::unique_ptr<instruments::PowerSource> source = open_source(request, sentence);
  if (source == nullptr) return refuse(sentence, kNothingToMeasure);
  int code = kBadInput;
  auto clocks = open_clocks(request, code);
  if (!clocks) return refuse(clocks.error().message, code);
  const std::vector<int> cores = base::usable_cores();
  const std::string mpi =
      request.mpi.empty() ? (instruments::installed_library("openmpi").empty() ? "mpich" : "openmpi") : request.mpi;
  const std::string library = instruments::installed_library(mpi);
  const std::string probe = base::library_path(fmt::format("farcast-load-probe-{}", mpi));
  const bool with_mpi = !library.empty() && std::filesystem::exists(probe);
  std::vector<study::LoadStep> steps = instruments::plan_steps(static_cast<int>(cores.size()), with_mpi, clocks->frequencies);
  fmt::print("{} load steps of {} on {} cores{}, {} in all\n", steps.size(), base::format_time(base::Seconds(request.step_s)),
             cores.size(), clocks->cores ? fmt::format(" at {} frequencies", clocks->frequencies.size()) : std::string(),
             base::format_time(base::Seconds(request.step_s * static_cast<double>(steps.size()))));
  std::fflush(stdout);
  instruments::watch_signals();
  source->begin();
  const auto taken = instruments::take_steps(
      steps, {request.step_s, request.cpufreq, cores, probe, *source, clocks->cores ? &*clocks->cores : nullptr});
  if (instruments::ending_signal() != 0) return 128 + instruments::ending_signal();
  if (!taken) return refuse(taken.error().message, 1);
  const auto readings = source->end(steps.back().end_s);
  if (instruments::ending_signal() != 0) return 128 + instruments::ending_signal();
  if (!readings) return refuse(readings.error().message, request.meter.empty() ? kNothingToMeasure : kBadInput);
  const std::vector<std::string> astray = study::settle_frequencies(steps);
  auto calibration = study::calibrate_power(std::move(steps), *readings, static_cast<int>(cores.size()), source->name());
  if (!calibration) return refuse(calibration.error().message + "; nothing was written", 1);
  if (!with_mpi)
    calibration->notes.push_back(fmt::format("polling and probing were not measured: there is no load probe of {}", mpi));
  if (!clocks->note.empty()) calibration->notes.push_back(clocks->note);
  calibration->notes.insert(calibration->notes.end(), astray.begin(), astray.end());
  fmt::print("\n{}", study::power_table(*calibration));
  const study::Provenance provenance = instruments::provenance_of_this_run(library, 0);
  const std::string power = study::power_file(*calibration, provenance);
  if (const auto written = base::write_file(request.output, power); !written) return refuse(written.error().message, 1);
  fmt::print("\nfarcast: power written to {}\n", request.output);
  say_faults(power, request.output);
  return 0;
}

} // namespace farcast::cli
