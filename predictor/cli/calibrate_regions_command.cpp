#include "predictor/cli/calibrate_regions.h"

#include "calib/instruments/child_program.h"
#include "predictor/base/format.h"
#include "predictor/base/program_image.h"
#include "predictor/cli/calibrate_options.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/refusal.h"
#include "predictor/region/slowdown_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <unistd.h>

namespace farcast::cli {

namespace {

using region::RegionSlowdown;
using region::SlowdownTable;

constexpr std::size_t kTopRegions = 20;

void print_table(const SlowdownTable& table, const std::vector<int>& counts) {
  std::vector<std::size_t> order(table.regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double first = table.regions[a].alone_s;
    const double second = table.regions[b].alone_s;
    return first != second ? first > second : a < b;
  });
  const std::size_t top = std::min(kTopRegions, order.size());
  fmt::print("Slowdown of regions beside other ranks that compute (top {} of {})\n\n{:>10} {:>10}", top, order.size(), "Visits",
             "Alone");
  for (const int corunners : counts) {
    if (corunners > 1) fmt::print(" {:>16}", fmt::format("{} co-runners", corunners));
  }
  fmt::print(" {:>8}  Region\n", "Ratio");
  for (std::size_t i = 0; i < top; ++i) {
    const RegionSlowdown& region = table.regions[order[i]];
    fmt::print("{:>10} {:>10}", region.visits, base::format_time(base::Seconds(region.alone_s)));
    for (const region::SlowdownPoint& point : region.points) {
      if (point.corunners == 1) continue;
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
    fmt::print("{} times a rank was let through although no other one stopped computing; co-runners were really counted.\n",
               table.provenance.lent);
}

int measure(const RegionsRequest& request, const std::vector<int>& counts) {
  auto folder = instruments::TemporaryFolder::create();
  if (!folder) return refuse(folder.error().message);
  const auto table = instruments::measure_regions(request.runs, counts, folder->path());
  if (instruments::ending_signal() != 0) return 128 + instruments::ending_signal();
  if (!table) {
    cli::tell("farcast: {}{}", table.error().message, table.error().message.ends_with('\n') ? "" : "\n");
    return 1;
  }
  print_table(*table, counts);
  bool written = true;
  const auto note = [&](const char* what, const std::string& path, const base::Result<void>& result) {
    written = written && result.has_value();
    if (result)
      fmt::print("farcast: {} written to {}\n", what, path);
    else
      cli::tell("farcast: no {}: {}\n", what, result.error().message);
  };
  note("slowdowns", request.runs.output, region::write_slowdowns(request.runs.output, *table));
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
int measure_at_frequencies(const RegionsRequest& request, const std::vector<int>& counts) {
  auto clocks = instruments::CoreClocks::open(request.runs.cpufreq);
  if (!clocks) return refuse("--frequencies: " + clocks.error().message, kNothingToMeasure);
  const auto chosen = clocks->choose(request.frequencies);
  if (!chosen) return refuse(chosen.error().message);
  instruments::watch_signals();
  std::string files;
  int code = 0;
  for (const double frequency : *chosen) {
    if (auto set = clocks->set(frequency); !set) return refuse(set.error().message, 1);
    RegionsRequest one = request;
    one.runs.output = at_frequency(request.runs.output, frequency);
    one.adjustments = at_frequency(request.adjustments, frequency);
    fmt::print("at {}\n", instruments::format_frequency(frequency));
    if (code = measure(one, counts); code != 0) return code;
    files += " " + one.runs.output;
  }
  if (const auto back = clocks->put_back(); !back) return refuse(back.error().message, 1);
  fmt::print("what the clock does to each region: farcast calibrate speed{}\n", files);
  return code;
}

} // namespace

int calibrate_regions_command(const RegionsRequest& request) {
  if (const base::ProgramImage image = base::inspect_program(request.runs.program[0]); !image.found)
    return refuse(fmt::format("{}: {}", request.runs.program[0], image.problem), base::exit_code_of(image));
  const int cores = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  std::vector<int> counts = request.counts.empty() ? instruments::corunner_counts(request.runs.ranks, cores) : request.counts;
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  if (counts.back() > std::min(request.runs.ranks, cores))
    return refuse(fmt::format("--co-runners {}: at most {} of {} ranks compute at a time on {} cores", counts.back(),
                              std::min(request.runs.ranks, cores), request.runs.ranks, cores));
  if (counts.front() != 1) counts.insert(counts.begin(), 1);
  if (request.runs.stack > 1 && !request.adjustments.empty())
    return refuse("--adjustments: SimGrid's comp-adjustment-file tells regions by their calls alone: leave --stack out");
  for (const std::string* file : {&request.runs.output, &request.adjustments}) {
    if (file->empty()) continue;
    const std::filesystem::path folder = std::filesystem::absolute(*file).parent_path();
    if (!std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK) != 0)
      return refuse(fmt::format("{}: the folder {} does not exist or is not writable", *file, folder.string()));
  }
  return request.frequencies.empty() ? measure(request, counts) : measure_at_frequencies(request, counts);
}

void add_calibrate_regions(CLI::App& group, std::function<int()>& action) {
  auto request = std::make_shared<RegionsRequest>();
  request->runs.output = "regions.h5";
  const auto quiet = [](const CLI::Validator& check) { return check.description(""); };
  CLI::App* command = group.add_subcommand(
      "regions", "how much longer regions take beside co-runners: farcast calibrate regions -np 4 -- program small-input");
  command->add_option("-n,--np", request->runs.ranks, "number of ranks")
      ->required()
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("N");
  command->add_option("-o,--output", request->runs.output, "file to write (default regions.h5)")->type_name("FILE.h5");
  command->add_option("--adjustments", request->adjustments, "write SimGrid's comp-adjustment-file too")->type_name("FILE.csv");
  command->add_option("--repeat", request->runs.repetitions, "runs with each number of co-runners (default 3)")
      ->check(quiet(CLI::Range(1, 1000)))
      ->type_name("R");
  command->add_option("--co-runners", request->counts, "ranks that compute at a time (default: 1, 2, 4 ... and all)")
      ->delimiter(',')
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("K,...");
  command
      ->add_option("--companies", request->counts) // the former name
      ->delimiter(',')
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->group("");
  add_clock_options(*command, request->runs.cpufreq, request->frequencies,
                    "as 1.2GHz,1800MHz: set the cores' clocks, a file for each (default:\nas they are)");
  command
      ->add_option("--skip-lib", request->runs.skip_libraries,
                   "wrapper libraries whose callers are the call sites, e.g. libblacs")
      ->type_name("NAME,...");
  command->add_option("--stack", request->runs.stack, "stack frames by which a region's calls are told (default 1)")
      ->check(quiet(CLI::Range(1, 32)))
      ->type_name("1..32");
  command->add_option("--launcher", request->runs.launcher, "mpirun to use instead")->type_name("PROGRAM");
  command->add_option("--launcher-option", request->runs.launcher_options, "hand an option to mpirun; may be given several times")
      ->type_name("OPTION")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("program", request->runs.program, "the program and its arguments, after --")->required()->type_name("");
  command->positionals_at_end();
  command->callback([request, &action] { action = [request] { return calibrate_regions_command(*request); }; });
}

} // namespace farcast::cli
