#include "calib/study/power_calibration.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/calibration_provenance.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/load_steps.h"
#include "predictor/cli/power_source.h"
#include "predictor/cli/process_info.h"
#include "predictor/cli/program_image.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace farcast::cli {

namespace {

constexpr int kNothingToMeasure = 3;
constexpr int kAllNumbersOfCores = 8; // up to here each number of cores is measured; then powers of two and all

int refuse(const std::string& message, int code) {
  fmt::print(stderr, "farcast: {}\n", message);
  return code;
}

std::vector<int> numbers_of_cores(int cores) {
  std::vector<int> numbers;
  for (int count = 1; count <= cores; count = cores <= kAllNumbersOfCores ? count + 1 : count * 2) numbers.push_back(count);
  if (numbers.back() != cores) numbers.push_back(cores);
  return numbers;
}

// Returns: of the first core, in Hz; 1 GHz where the kernel does not tell: one frequency is like another then.
double present_frequency(int core) {
  std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", core));
  double kilohertz = 0.0;
  return file >> kilohertz && kilohertz > 0.0 ? kilohertz * 1e3 : 1e9;
}

std::vector<study::LoadStep> plan(int cores, bool with_mpi) {
  std::vector<study::LoadStep> steps;
  study::LoadStep idle;
  idle.workload = "idle";
  steps.push_back(idle);
  std::vector<std::string> workloads{"compute", "memory"};
  if (with_mpi) workloads.insert(workloads.end(), {"polling", "probing"});
  for (const std::string& workload : workloads) {
    for (const int count : numbers_of_cores(cores)) {
      study::LoadStep step;
      step.workload = workload;
      step.active_cores = count;
      steps.push_back(step);
    }
  }
  return steps;
}

// Errors: a load that could not be made, or ended.
base::Result<void> take_steps(std::vector<study::LoadStep>& steps, const std::vector<int>& cores, const std::string& probe,
                              double seconds_each) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    study::LoadStep& step = steps[i];
    if (terminal)
      fmt::print(stderr, "\rfarcast: {} on {} cores, step {} of {}, about {} left\033[K", step.workload, step.active_cores, i + 1,
                 steps.size(), base::format_time(base::Seconds(seconds_each * static_cast<double>(steps.size() - i))));
    CoreLoads loads;
    if (const auto started = loads.start(step.workload, step.active_cores, cores, probe); !started) return started;
    step.begin_s = seconds_since_1970();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_each));
    step.frequency_hz = present_frequency(cores.front());
    step.end_s = seconds_since_1970();
    if (!loads.running()) return base::fail(fmt::format("the load {} ended by itself", step.workload));
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
  // Clocks that are not set wander a little: what is within a tenth is one setting.
  const double highest = std::max_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
                           return a.frequency_hz < b.frequency_hz;
                         })->frequency_hz;
  for (study::LoadStep& step : steps) step.frequency_hz = highest;
  return {};
}

} // namespace

int calibrate_power_command(const PowerRequest& request) {
  if (auto file = base::AtomicFile::create(request.output); !file) return refuse(file.error().message, kBadInput);
  const std::unique_ptr<PowerSource> source =
      request.meter.empty() ? energy_counters(request.powercap) : meter_log(request.meter, request.meter_offset_s);
  if (source == nullptr)
    return refuse(
        fmt::format("no power can be measured here: {} has no energy counter that can be read (they need a processor with "
                    "RAPL, no virtual machine, and read permission on energy_uj); with a wattmeter: --meter log.csv, lines "
                    "time,watts",
                    request.powercap),
        kNothingToMeasure);
  const std::vector<int> cores = usable_cores();
  const std::string mpi = request.mpi.empty() ? (installed_library("openmpi").empty() ? "mpich" : "openmpi") : request.mpi;
  const std::string library = installed_library(mpi);
  const std::string probe = library_path(fmt::format("farcast-load-probe-{}", mpi));
  const bool with_mpi = !library.empty() && std::filesystem::exists(probe);
  std::vector<study::LoadStep> steps = plan(static_cast<int>(cores.size()), with_mpi);
  fmt::print("{} load steps of {} on {} cores, {} in all\n", steps.size(), base::format_time(base::Seconds(request.step_s)),
             cores.size(), base::format_time(base::Seconds(request.step_s * static_cast<double>(steps.size()))));
  std::fflush(stdout);
  source->begin();
  if (const auto taken = take_steps(steps, cores, probe, request.step_s); !taken) return refuse(taken.error().message, 1);
  const auto readings = source->end(steps.back().end_s);
  if (!readings) return refuse(readings.error().message, kBadInput);
  auto calibration = study::calibrate_power(std::move(steps), *readings, static_cast<int>(cores.size()), source->name());
  if (!calibration) return refuse(calibration.error().message + "; nothing was written", 1);
  if (!with_mpi)
    calibration->notes.push_back(fmt::format("polling and probing were not measured: there is no load probe of {}", mpi));
  calibration->notes.emplace_back("at the frequencies that the system chose: they were not set");
  fmt::print("\n{}", study::power_table(*calibration));
  const study::Provenance provenance = provenance_of_this_run(library, 0);
  if (const auto written = base::write_file(request.output, study::power_file(*calibration, provenance)); !written)
    return refuse(written.error().message, 1);
  fmt::print("\nfarcast: power written to {}\n", request.output);
  return 0;
}

} // namespace farcast::cli
