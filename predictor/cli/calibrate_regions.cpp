#include "predictor/cli/calibrate_regions.h"

#include "predictor/base/format.h"
#include "predictor/cli/calibrate_options.h"
#include "predictor/cli/calibration_provenance.h"
#include "predictor/cli/child_program.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/load_steps.h"
#include "predictor/cli/process_info.h"
#include "predictor/cli/program_image.h"
#include "predictor/region/frame_names.h"
#include "predictor/region/slowdown_file.h"
#include "predictor/region/slowdown_fit.h"
#include "predictor/trace/run_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>
#include <unistd.h>

#ifndef FARCAST_VERSION
#define FARCAST_VERSION "unknown"
#endif

namespace farcast::cli {

namespace {

using Clock = std::chrono::steady_clock;
using region::RegionSlowdown;
using region::SlowdownTable;

constexpr std::size_t kTopRegions = 20;

// The line that a user at a terminal sees while it runs.
class Steps {
public:
  explicit Steps(std::size_t count) : count_(count), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~Steps() { erase(); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  void begin(const std::string& what) {
    if (!terminal_) return;
    std::string left;
    if (done_ > 0) {
      const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
      left = fmt::format(", about {:.0f} s left", spent / static_cast<double>(done_) * static_cast<double>(count_ - done_));
    }
    fmt::print(stderr, "\r\033[Kfarcast: run {} of {}: {}{}", done_ + 1, count_, what, left);
    std::fflush(stderr);
    shown_ = true;
  }
  void end() { ++done_; }
  void erase() {
    if (shown_) fmt::print(stderr, "\r\033[K");
    shown_ = false;
  }

private:
  std::size_t count_;
  std::size_t done_ = 0;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
};

std::string company_text(int company, int ranks) {
  if (company == 1) return "each rank alone";
  return company == ranks ? "all ranks together" : fmt::format("{} ranks at a time", company);
}

class Calibration {
public:
  Calibration(const RegionsRequest& request, std::vector<int> companies, std::string folder)
      : request_(request), companies_(std::move(companies)), folder_(std::move(folder)),
        steps_(companies_.size() * static_cast<std::size_t>(request.repetitions)) {}

  // Companies take turns, so that a machine that grows warm or busy does not pass for a slowdown.
  base::Result<SlowdownTable> measure() {
    for (int repetition = 0; repetition < request_.repetitions; ++repetition) {
      for (std::size_t i = 0; i < companies_.size(); ++i) {
        const std::size_t at = repetition % 2 == 0 ? i : companies_.size() - 1 - i;
        if (auto run = run_once(companies_[at], repetition); !run) return tl::unexpected(run.error());
      }
    }
    steps_.erase();
    SlowdownTable table = region::fit_slowdowns(runs_, [this](const trace::Frame& frame) { return names_->of(frame); });
    if (table.regions.empty()) return base::fail("no region of the program took any time: nothing to calibrate");
    table.source = request_.output;
    table.provenance = provenance_;
    return table;
  }

private:
  ChildProgram child_of(int company, const std::string& file) const {
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
    if (company < request_.ranks) child.command.insert(child.command.end(), {"--isolate", std::to_string(company)});
    if (!request_.launcher.empty()) child.command.insert(child.command.end(), {"--launcher", request_.launcher});
    for (const std::string& option : request_.launcher_options) child.command.push_back("--launcher-option=" + option);
    if (!request_.skip_libraries.empty()) child.command.insert(child.command.end(), {"--skip-lib", request_.skip_libraries});
    child.command.emplace_back("--");
    child.command.insert(child.command.end(), request_.program.begin(), request_.program.end());
    child.environment = {{"FARCAST_CPU_CLOCK", "1"}};
    child.output = folder_ + "/output";
    return child;
  }

  base::Result<void> run_once(int company, int repetition) {
    const std::string what = fmt::format("{}, repetition {}", company_text(company, request_.ranks), repetition + 1);
    const std::string file = folder_ + "/run.h5";
    steps_.begin(what);
    const ChildProgram child = child_of(company, file);
    const int code = run_to_end(child);
    if (ending_signal() != 0) return base::fail("");
    if (code != 0) {
      steps_.erase();
      return base::fail(fmt::format("the program ended with code {} ({}); its last lines:\n{}", code, what,
                                    last_lines(child.output, 20, "  ")));
    }
    auto recording = trace::read_run_file(file);
    if (!recording) {
      steps_.erase();
      return base::fail(
          fmt::format("nothing was recorded ({}); the program's last lines:\n{}", what, last_lines(child.output, 20, "  ")));
    }
    std::filesystem::remove(file);
    if (auto fit = take(**recording, company); !fit) return fit;
    steps_.end();
    return {};
  }

  base::Result<void> take(trace::Recording& recording, int company) {
    if (recording.world_size != request_.ranks || static_cast<int>(recording.ranks.size()) < recording.world_size)
      return base::fail(
          fmt::format("{} of {} ranks were recorded on this node: regions are calibrated on one node with all ranks",
                      recording.ranks.size(), request_.ranks));
    for (const auto& rank : recording.ranks) {
      if (rank->refused > 0 || rank->end != trace::RankEnd::finalized)
        return base::fail(fmt::format("rank {} did not record all of its calls: the regions would be wrong", rank->rank));
      if (company < request_.ranks && rank->isolation != company)
        return base::fail(fmt::format("rank {} could not be isolated", rank->rank));
    }
    if (runs_.empty()) describe(recording);
    provenance_.lent += recording.lent;
    runs_.push_back(region::sample_run(recording, company));
    return {};
  }

  void describe(const trace::Recording& recording) {
    names_.emplace(recording.resolved);
    provenance_.farcast_version = FARCAST_VERSION;
    provenance_.program = recording.program;
    provenance_.executable = recording.executable;
    provenance_.command = command_line(getpid());
    provenance_.host = host_name();
    provenance_.cpu_model = cpu_model();
    provenance_.mpi_library = recording.mpi_library;
    provenance_.mpi_version = recording.mpi_version;
    provenance_.date = recording.start_date;
    provenance_.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    provenance_.ranks = request_.ranks;
    provenance_.repetitions = request_.repetitions;
    const std::vector<int> cores = usable_cores();
    if (!cores.empty()) provenance_.frequency_hz = fixed_frequency(request_.cpufreq, cores.front());
  }

  const RegionsRequest& request_;
  std::vector<int> companies_;
  std::string folder_;
  Steps steps_;
  std::vector<region::RunSample> runs_;
  std::optional<region::FrameNames> names_; // once a run has told what it knows
  region::SlowdownProvenance provenance_;
};

void print_table(const SlowdownTable& table, const std::vector<int>& companies) {
  std::vector<std::size_t> order(table.regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double first = table.regions[a].alone_s;
    const double second = table.regions[b].alone_s;
    return first != second ? first > second : a < b;
  });
  const std::size_t top = std::min(kTopRegions, order.size());
  fmt::print("Slowdown of regions in company of ranks that compute (top {} of {})\n\n{:>10} {:>10}", top, order.size(), "Visits",
             "Alone");
  for (const int company : companies) {
    if (company > 1) fmt::print(" {:>16}", fmt::format("company {}", company));
  }
  fmt::print(" {:>8}  Region\n", "Ratio");
  for (std::size_t i = 0; i < top; ++i) {
    const RegionSlowdown& region = table.regions[order[i]];
    fmt::print("{:>10} {:>10}", region.visits, base::format_time(base::Seconds(region.alone_s)));
    for (const region::SlowdownPoint& point : region.points) {
      if (point.company == 1) continue;
      fmt::print(" {:>16}", point.samples == 0 ? std::string("not seen")
                                               : fmt::format("{:.4f} +- {:.1f} %", point.slowdown, 100 * point.spread));
    }
    fmt::print(" {:>8.4f}  {} -> {}\n", region::simgrid_ratio(region), table.sites[region.from].text,
               table.sites[region.to].text);
  }
  double whole = 0;
  double steady = 0;
  constexpr double kSteady = 0.05;
  for (const RegionSlowdown& region : table.regions) {
    whole += region.alone_s;
    if (region.points.back().samples > 0 && region.points.back().spread <= kSteady) steady += region.alone_s;
  }
  fmt::print("\n{} of the computation lies in regions whose slowdown repeats within 5 % ({} repetitions).\n",
             base::format_share(steady, whole), table.provenance.repetitions);
  if (table.provenance.lent > 0)
    fmt::print("{} times a rank was let through although no other one stopped computing; the company was really counted.\n",
               table.provenance.lent);
}

int measure(const RegionsRequest& request, const std::vector<int>& companies) {
  auto folder = TemporaryFolder::create();
  if (!folder) return refuse(folder.error().message);
  Calibration calibration(request, companies, folder->path());
  const auto table = calibration.measure();
  if (ending_signal() != 0) return 128 + ending_signal();
  if (!table) {
    fmt::print(stderr, "farcast: {}{}", table.error().message, table.error().message.ends_with('\n') ? "" : "\n");
    return 1;
  }
  print_table(*table, companies);
  bool written = true;
  const auto note = [&](const char* what, const std::string& path, const base::Result<void>& result) {
    written = written && result.has_value();
    if (result)
      fmt::print("farcast: {} written to {}\n", what, path);
    else
      fmt::print(stderr, "farcast: no {}: {}\n", what, result.error().message);
  };
  note("slowdowns", request.output, region::write_slowdowns(request.output, *table));
  if (!request.adjustments.empty())
    note("comp-adjustment-file", request.adjustments, region::write_adjustments(request.adjustments, *table));
  return written ? 0 : 1;
}

// "regions.h5" -> "regions-1.2GHz.h5"; an empty name stays empty.
std::string at_frequency(const std::string& path, double hz) {
  if (path.empty()) return path;
  const std::filesystem::path name(path);
  return (name.parent_path() / fmt::format("{}-{:.4g}GHz{}", name.stem().string(), hz / 1e9, name.extension().string())).string();
}

// One file after the other. The clocks are as before on return.
int measure_at_frequencies(const RegionsRequest& request, const std::vector<int>& companies) {
  auto clocks = CoreClocks::open(request.cpufreq);
  if (!clocks) return refuse("--frequencies: " + clocks.error().message, kNothingToMeasure);
  const auto chosen = clocks->choose(request.frequencies);
  if (!chosen) return refuse(chosen.error().message);
  watch_signals();
  std::string files;
  int code = 0;
  for (const double frequency : *chosen) {
    if (auto set = clocks->set(frequency); !set) return refuse(set.error().message, 1);
    RegionsRequest one = request;
    one.output = at_frequency(request.output, frequency);
    one.adjustments = at_frequency(request.adjustments, frequency);
    fmt::print("at {}\n", format_frequency(frequency));
    if (code = measure(one, companies); code != 0) return code;
    files += " " + one.output;
  }
  if (const auto back = clocks->put_back(); !back) return refuse(back.error().message, 1);
  fmt::print("what the clock does to each region: farcast calibrate speed{}\n", files);
  return code;
}

} // namespace

std::vector<int> companies_of(int ranks, int cores) {
  const int full = std::max(1, std::min(ranks, cores));
  std::vector<int> out;
  for (int company = 1; company < full; company *= 2) out.push_back(company);
  out.push_back(full);
  return out;
}

int calibrate_regions_command(const RegionsRequest& request) {
  if (const ProgramImage image = inspect_program(request.program[0]); !image.found)
    return refuse(fmt::format("{}: {}", request.program[0], image.problem), exit_code_of(image));
  const int cores = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  std::vector<int> companies = request.companies.empty() ? companies_of(request.ranks, cores) : request.companies;
  std::sort(companies.begin(), companies.end());
  companies.erase(std::unique(companies.begin(), companies.end()), companies.end());
  if (companies.back() > std::min(request.ranks, cores))
    return refuse(fmt::format("--companies {}: at most {} of {} ranks compute at a time on {} cores", companies.back(),
                              std::min(request.ranks, cores), request.ranks, cores));
  if (companies.front() != 1) companies.insert(companies.begin(), 1);
  for (const std::string* file : {&request.output, &request.adjustments}) {
    if (file->empty()) continue;
    const std::filesystem::path folder = std::filesystem::absolute(*file).parent_path();
    if (!std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK) != 0)
      return refuse(fmt::format("{}: the folder {} does not exist or is not writable", *file, folder.string()));
  }
  return request.frequencies.empty() ? measure(request, companies) : measure_at_frequencies(request, companies);
}

void add_calibrate_regions(CLI::App& group, std::function<int()>& action) {
  auto request = std::make_shared<RegionsRequest>();
  const auto quiet = [](const CLI::Validator& check) { return check.description(""); };
  CLI::App* command = group.add_subcommand(
      "regions", "how much longer regions take in company: farcast calibrate regions -np 4 -- program small-input");
  command->add_option("-n,--np", request->ranks, "number of ranks")
      ->required()
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("N");
  command->add_option("-o,--output", request->output, "file to write (default regions.h5)")->type_name("FILE.h5");
  command->add_option("--adjustments", request->adjustments, "write SimGrid's comp-adjustment-file too")->type_name("FILE.csv");
  command->add_option("--repeat", request->repetitions, "runs in each company (default 3)")
      ->check(quiet(CLI::Range(1, 1000)))
      ->type_name("R");
  command->add_option("--companies", request->companies, "ranks that compute at a time (default: 1, 2, 4 ... and all)")
      ->delimiter(',')
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("K,...");
  add_clock_options(*command, request->cpufreq, request->frequencies,
                    "as 1.2GHz,1800MHz: set the cores' clocks, a file for each (default:\nas they are)");
  command->add_option("--skip-lib", request->skip_libraries, "wrapper libraries whose callers are the call sites, e.g. libblacs")
      ->type_name("NAME,...");
  command->add_option("--launcher", request->launcher, "mpirun to use instead")->type_name("PROGRAM");
  command->add_option("--launcher-option", request->launcher_options, "hand an option to mpirun; may be given several times")
      ->type_name("OPTION")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("program", request->program, "the program and its arguments, after --")->required()->type_name("");
  command->positionals_at_end();
  command->callback([request, &action] { action = [request] { return calibrate_regions_command(*request); }; });
}

} // namespace farcast::cli
