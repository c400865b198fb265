#include "calib/instruments/region_runs.h"

#include "calib/instruments/child_program.h"
#include "calib/instruments/this_run.h"
#include "predictor/base/process_info.h"
#include "predictor/base/progress_line.h"
#include "predictor/base/version.h"
#include "predictor/region/frame_names.h"
#include "predictor/region/slowdown_fit.h"
#include "predictor/trace/run_file.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

namespace farcast::instruments {

namespace {

using region::SlowdownTable;

std::string corunner_text(int corunners, int ranks) {
  if (corunners == 1) return "each rank alone";
  return corunners == ranks ? "all ranks together" : fmt::format("{} ranks at a time", corunners);
}

class Calibration {
public:
  Calibration(const RegionRuns& request, std::vector<int> counts, std::string folder)
      : request_(request), counts_(std::move(counts)), folder_(std::move(folder)),
        count_(counts_.size() * static_cast<std::size_t>(request.repetitions)) {}

  // Numbers of co-runners take turns, so that a machine that grows warm or busy does not pass for a
  // slowdown.
  base::Result<SlowdownTable> measure() {
    for (int repetition = 0; repetition < request_.repetitions; ++repetition) {
      for (std::size_t i = 0; i < counts_.size(); ++i) {
        const std::size_t at = repetition % 2 == 0 ? i : counts_.size() - 1 - i;
        if (auto run = run_once(counts_[at], repetition); !run) return tl::unexpected(run.error());
      }
    }
    line_.erase();
    SlowdownTable table = region::fit_slowdowns(runs_, [this](const trace::Frame& frame) { return names_->of(frame); });
    if (table.regions.empty()) return base::fail("no region of the program took any time: nothing to calibrate");
    table.source = request_.output;
    table.provenance = provenance_;
    return table;
  }

private:
  ChildProgram child_of(int corunners, const std::string& file) const {
    ChildProgram child;
    std::error_code error;
    child.command = {std::filesystem::read_symlink("/proc/self/exe", error).string(),
                     "run",
                     "--no-predict",
                     "--no-progress",
                     "-o",
                     file,
                     "--np",
                     std::to_string(request_.ranks)};
    // The real-life run is as the program always runs.
    if (corunners < request_.ranks) child.command.insert(child.command.end(), {"--isolate", std::to_string(corunners)});
    if (!request_.launcher.empty()) child.command.insert(child.command.end(), {"--launcher", request_.launcher});
    for (const std::string& option : request_.launcher_options) child.command.push_back("--launcher-option=" + option);
    if (!request_.skip_libraries.empty()) child.command.insert(child.command.end(), {"--skip-lib", request_.skip_libraries});
    if (request_.stack > 1) child.command.insert(child.command.end(), {"--stack", std::to_string(request_.stack)});
    child.command.emplace_back("--");
    child.command.insert(child.command.end(), request_.program.begin(), request_.program.end());
    child.environment = {{"FARCAST_CPU_CLOCK", "1"}};
    child.output = folder_ + "/output";
    return child;
  }

  void show(const std::string& what) {
    if (!line_.due()) return;
    std::string left;
    if (done_ > 0) {
      const double spent = std::chrono::duration<double>(base::ProgressLine::Clock::now() - start_).count();
      left = fmt::format(", about {:.0f} s left", spent / static_cast<double>(done_) * static_cast<double>(count_ - done_));
    }
    line_.show(fmt::format("run {} of {}: {}{}", done_ + 1, count_, what, left));
  }

  base::Result<void> run_once(int corunners, int repetition) {
    const std::string what = fmt::format("{}, repetition {}", corunner_text(corunners, request_.ranks), repetition + 1);
    const std::string file = folder_ + "/run.h5";
    show(what);
    const ChildProgram child = child_of(corunners, file);
    const int code = run_to_end(child);
    if (ending_signal() != 0) return base::fail("");
    if (code != 0) {
      line_.erase();
      return base::fail(fmt::format("the program ended with code {} ({}); its last lines:\n{}", code, what,
                                    last_lines(child.output, 20, "  ")));
    }
    auto recording = trace::read_run_file(file);
    if (!recording) {
      line_.erase();
      return base::fail(
          fmt::format("nothing was recorded ({}); the program's last lines:\n{}", what, last_lines(child.output, 20, "  ")));
    }
    std::filesystem::remove(file);
    if (auto fit = take(**recording, corunners); !fit) return fit;
    ++done_;
    return {};
  }

  base::Result<void> take(trace::Recording& recording, int corunners) {
    if (recording.world_size != request_.ranks || static_cast<int>(recording.ranks.size()) < recording.world_size)
      return base::fail(
          fmt::format("{} of {} ranks were recorded on this node: regions are calibrated on one node with all ranks",
                      recording.ranks.size(), request_.ranks));
    for (const auto& rank : recording.ranks) {
      if (rank->refused > 0 || rank->end != trace::RankEnd::finalized)
        return base::fail(fmt::format("rank {} did not record all of its calls: the regions would be wrong", rank->rank));
      if (corunners < request_.ranks && rank->isolation != corunners)
        return base::fail(fmt::format("rank {} could not be isolated", rank->rank));
    }
    if (runs_.empty()) describe(recording);
    provenance_.lent += recording.lent;
    runs_.push_back(region::sample_run(recording, corunners));
    return {};
  }

  void describe(const trace::Recording& recording) {
    names_.emplace(recording.resolved);
    provenance_.farcast_version = base::version();
    provenance_.program = recording.program;
    provenance_.executable = recording.executable;
    provenance_.command = base::command_line(getpid());
    provenance_.host = base::host_name();
    provenance_.cpu_model = cpu_model();
    provenance_.mpi_library = recording.mpi_library;
    provenance_.mpi_version = recording.mpi_version;
    provenance_.date = recording.start_date;
    provenance_.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    provenance_.ranks = request_.ranks;
    provenance_.repetitions = request_.repetitions;
    const std::vector<int> cores = base::usable_cores();
    if (!cores.empty()) provenance_.frequency_hz = fixed_frequency(request_.cpufreq, cores.front());
  }

  const RegionRuns& request_;
  std::vector<int> counts_;
  std::string folder_;
  std::size_t count_; // of runs
  std::size_t done_ = 0;
  base::ProgressLine line_ = base::ProgressLine::on_stderr();
  base::ProgressLine::Clock::time_point start_ = base::ProgressLine::Clock::now();
  std::vector<region::RunSample> runs_;
  std::optional<region::FrameNames> names_; // once a run has told what it knows
  region::SlowdownProvenance provenance_;
};

} // namespace

std::vector<int> corunner_counts(int ranks, int cores) {
  const int full = std::max(1, std::min(ranks, cores));
  std::vector<int> out;
  for (int corunners = 1; corunners < full; corunners *= 2) out.push_back(corunners);
  out.push_back(full);
  return out;
}

base::Result<SlowdownTable> measure_regions(const RegionRuns& runs, const std::vector<int>& counts, const std::string& folder) {
  return Calibration(runs, counts, folder).measure();
}

} // namespace farcast::instruments
