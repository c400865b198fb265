#include "calib/study/power_calibration.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/calibration_provenance.h"
#include "predictor/cli/child_program.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/core_clocks.h"
#include "predictor/cli/load_steps.h"
#include "predictor/cli/papi_energy.h"
#include "predictor/cli/power_source.h"
#include "predictor/cli/process_info.h"
#include "predictor/cli/program_image.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace farcast::cli {

namespace {

constexpr double kLook = 0.25;        // seconds between looks at whether the source still tells
constexpr int kAllNumbersOfCores = 8; // up to here each number of cores is measured; then powers of two and all

std::vector<int> numbers_of_cores(int cores) {
  std::vector<int> numbers;
  for (int count = 1; count <= cores; count = cores <= kAllNumbersOfCores ? count + 1 : count * 2) numbers.push_back(count);
  if (numbers.back() != cores) numbers.push_back(cores);
  return numbers;
}

std::vector<study::LoadStep> plan(int cores, bool with_mpi, const std::vector<double>& frequencies) {
  std::vector<study::LoadStep> steps;
  std::vector<std::string> workloads{"compute", "memory"};
  if (with_mpi) workloads.insert(workloads.end(), {"polling", "probing"});
  for (const double frequency : frequencies) {
    study::LoadStep step;
    step.frequency_hz = frequency;
    step.workload = "idle";
    steps.push_back(step);
    for (const std::string& workload : workloads) {
      for (const int count : numbers_of_cores(cores)) {
        step.workload = workload;
        step.active_cores = count;
        steps.push_back(step);
      }
    }
  }
  return steps;
}

struct Bench { // what steps need
  const PowerRequest& request;
  const std::vector<int>& cores;
  const std::string& probe;
  const PowerSource& source;
  CoreClocks* clocks; // none: not to be set
};

// Errors: a clock that could not be set, a load that could not be made, or ended; a source that ended.
base::Result<void> take_step(study::LoadStep& step, const Bench& bench) {
  CoreLoads loads;
  if (const auto started = loads.start(step.workload, step.active_cores, bench.cores, bench.probe); !started) return started;
  step.begin_s = seconds_since_1970();
  const double end = step.begin_s + bench.request.step_s;
  for (double left = bench.request.step_s; left > 0.0; left = end - seconds_since_1970()) {
    if (!sleep_unless_ended(std::min(left, kLook)) || bench.source.failed()) return {}; // the source says why
  }
  step.running_hz = running_frequency(bench.request.cpufreq, bench.cores.front());
  step.end_s = seconds_since_1970();
  if (!loads.running()) return base::fail(fmt::format("the load {} ended by itself", step.workload));
  return {};
}

// Ends early, without an error, when a signal has come or the source has failed. The clocks are as before on return.
base::Result<void> take_steps(std::vector<study::LoadStep>& steps, const Bench& bench) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const double each = bench.request.step_s;
  base::Result<void> taken;
  for (std::size_t i = 0; i < steps.size() && taken && ending_signal() == 0 && !bench.source.failed(); ++i) {
    study::LoadStep& step = steps[i];
    if (terminal)
      fmt::print(stderr, "\rfarcast: {} on {} cores{}, step {} of {}, about {} left\033[K", step.workload, step.active_cores,
                 step.frequency_hz > 0.0 ? " at " + format_frequency(step.frequency_hz) : std::string(), i + 1, steps.size(),
                 base::format_time(base::Seconds(each * static_cast<double>(steps.size() - i))));
    if (bench.clocks != nullptr && (i == 0 || step.frequency_hz != steps[i - 1].frequency_hz))
      taken = bench.clocks->set(step.frequency_hz);
    if (taken) taken = take_step(step, bench);
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
  const auto back = bench.clocks == nullptr ? base::Result<void>() : bench.clocks->put_back();
  return taken ? back : taken;
}

// The processor's counters by either way, or the meter's log; none: `sentence` says what would be needed.
std::unique_ptr<PowerSource> open_source(const PowerRequest& request, std::string& sentence) {
  if (!request.meter.empty()) return meter_log(request.meter, request.meter_offset_s);
  if (auto counters = energy_counters(request.powercap)) return counters;
  auto papi = papi_energy();
  if (papi) return *std::move(papi);
  sentence =
      fmt::format("no power can be measured here: {} has no energy counter that can be read, and there is none by PAPI's "
                  "component rapl either ({}); they need a processor with RAPL, no virtual machine, and read permission on "
                  "energy_uj; with a wattmeter: --meter log.csv, lines time,watts",
                  request.powercap, papi.error().message);
  return nullptr;
}

struct Clocks { // what can be set; none: one frequency, and why
  std::optional<CoreClocks> cores;
  std::vector<double> frequencies{0.0};
  std::string note;
};

// Errors: frequencies that were asked for and cannot be set; `code` is the exit code then.
base::Result<Clocks> open_clocks(const PowerRequest& request, int& code) {
  Clocks clocks;
  auto cores = CoreClocks::open(request.cpufreq);
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
  if (auto file = base::AtomicFile::create(request.output); !file) return refuse(file.error().message, kBadInput);
  std::string sentence;
  const std::unique_ptr<PowerSource> source = open_source(request, sentence);
  if (source == nullptr) return refuse(sentence, kNothingToMeasure);
  int code = kBadInput;
  auto clocks = open_clocks(request, code);
  if (!clocks) return refuse(clocks.error().message, code);
  const std::vector<int> cores = usable_cores();
  const std::string mpi = request.mpi.empty() ? (installed_library("openmpi").empty() ? "mpich" : "openmpi") : request.mpi;
  const std::string library = installed_library(mpi);
  const std::string probe = library_path(fmt::format("farcast-load-probe-{}", mpi));
  const bool with_mpi = !library.empty() && std::filesystem::exists(probe);
  std::vector<study::LoadStep> steps = plan(static_cast<int>(cores.size()), with_mpi, clocks->frequencies);
  fmt::print("{} load steps of {} on {} cores{}, {} in all\n", steps.size(), base::format_time(base::Seconds(request.step_s)),
             cores.size(), clocks->cores ? fmt::format(" at {} frequencies", clocks->frequencies.size()) : std::string(),
             base::format_time(base::Seconds(request.step_s * static_cast<double>(steps.size()))));
  std::fflush(stdout);
  watch_signals();
  source->begin();
  const auto taken = take_steps(steps, {request, cores, probe, *source, clocks->cores ? &*clocks->cores : nullptr});
  if (ending_signal() != 0) return 128 + ending_signal();
  if (!taken) return refuse(taken.error().message, 1);
  const auto readings = source->end(steps.back().end_s);
  if (ending_signal() != 0) return 128 + ending_signal();
  if (!readings) return refuse(readings.error().message, request.meter.empty() ? kNothingToMeasure : kBadInput);
  const std::vector<std::string> astray = study::settle_frequencies(steps);
  auto calibration = study::calibrate_power(std::move(steps), *readings, static_cast<int>(cores.size()), source->name());
  if (!calibration) return refuse(calibration.error().message + "; nothing was written", 1);
  if (!with_mpi)
    calibration->notes.push_back(fmt::format("polling and probing were not measured: there is no load probe of {}", mpi));
  if (!clocks->note.empty()) calibration->notes.push_back(clocks->note);
  calibration->notes.insert(calibration->notes.end(), astray.begin(), astray.end());
  fmt::print("\n{}", study::power_table(*calibration));
  const study::Provenance provenance = provenance_of_this_run(library, 0);
  if (const auto written = base::write_file(request.output, study::power_file(*calibration, provenance)); !written)
    return refuse(written.error().message, 1);
  fmt::print("\nfarcast: power written to {}\n", request.output);
  return 0;
}

} // namespace farcast::cli
