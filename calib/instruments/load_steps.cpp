#include "calib/instruments/load_steps.h"

#include "calib/instruments/child_program.h"
#include "calib/instruments/core_loads.h"
#include "predictor/base/format.h"
#include "predictor/base/progress_line.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::instruments {

namespace {

constexpr double kCheck = 0.25;       // seconds between checks whether the source still tells
constexpr int kAllNumbersOfCores = 8; // up to here each number of cores is measured; then powers of two and all

// Errors: a clock that could not be set, a load that could not be made, or ended; a source that ended.
base::Result<void> take_step(study::LoadStep& step, const Bench& bench) {
  CoreLoads loads;
  if (const auto started = loads.start(step.workload, step.active_cores, bench.cores, bench.probe); !started) return started;
  step.begin_s = seconds_since_1970();
  const double end = step.begin_s + bench.step_s;
  for (double left = bench.step_s; left > 0.0; left = end - seconds_since_1970()) {
    if (!sleep_unless_ended(std::min(left, kCheck)) || bench.source.failed()) return {}; // the source says why
  }
  step.running_hz = running_frequency(bench.cpufreq, bench.cores.front());
  step.end_s = seconds_since_1970();
  if (!loads.running()) return base::fail(fmt::format("the load {} ended by itself", step.workload));
  return {};
}

} // namespace

std::vector<int> numbers_of_cores(int cores) {
  std::vector<int> numbers;
  for (int count = 1; count <= cores; count = cores <= kAllNumbersOfCores ? count + 1 : count * 2) numbers.push_back(count);
  if (cores > 0 && numbers.back() != cores) numbers.push_back(cores);
  return numbers;
}

std::vector<study::LoadStep> plan_steps(int cores, bool with_mpi, const std::vector<double>& frequencies) {
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

base::Result<void> take_steps(std::vector<study::LoadStep>& steps, const Bench& bench) {
  base::ProgressLine line = base::ProgressLine::on_stderr();
  const double each = bench.step_s;
  base::Result<void> taken;
  for (std::size_t i = 0; i < steps.size() && taken && ending_signal() == 0 && !bench.source.failed(); ++i) {
    study::LoadStep& step = steps[i];
    if (line.due())
      line.show(fmt::format("{} on {} cores{}, step {} of {}, about {} left", step.workload, step.active_cores,
                            step.frequency_hz > 0.0 ? " at " + format_frequency(step.frequency_hz) : std::string(), i + 1,
                            steps.size(), base::format_time(base::Seconds(each * static_cast<double>(steps.size() - i)))));
    if (bench.clocks != nullptr && (i == 0 || step.frequency_hz != steps[i - 1].frequency_hz))
      taken = bench.clocks->set(step.frequency_hz);
    if (taken) taken = take_step(step, bench);
  }
  line.erase();
  const auto back = bench.clocks == nullptr ? base::Result<void>() : bench.clocks->put_back();
  return taken ? back : taken;
}

} // namespace farcast::instruments
