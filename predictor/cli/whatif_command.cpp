#include "predictor/cli/whatif_command.h"

#include "predictor/base/atomic_file.h"
#include "predictor/base/program_image.h"
#include "predictor/base/progress_line.h"
#include "predictor/base/version.h"
#include "predictor/cli/help.h"
#include "predictor/cli/list_options.h"
#include "predictor/cli/memory_bound.h"
#include "predictor/cli/read_run.h"
#include "predictor/cli/recorded_platforms.h"
#include "predictor/cli/refusal.h"
#include "predictor/cli/whatif_balance.h"
#include "predictor/cli/whatif_gains.h"
#include "predictor/cli/whatif_remarks.h"
#include "predictor/live/asked.h"
#include "predictor/report/what_if_sure.h"
#include "predictor/scenario/sweep.h"
#include "predictor/trace/rank_threads.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace farcast::cli {

namespace {

constexpr int kInterrupted = 130; // 128 + SIGINT, as shells have it
constexpr std::size_t kMostPoints = 100000;

volatile std::sig_atomic_t interrupted = 0;

// Returns: rows of the table that fit the terminal; of a file, as many as people read.
std::size_t rows_to_show() {
  constexpr std::size_t kAround = 12; // lines above and below the table
  constexpr std::size_t kLeast = 8;
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 40;
  return size.ws_row > kAround + kLeast ? size.ws_row - kAround : kLeast;
}

// The points that can be played, as scenarios, and which point each is.
struct Asked {
  std::vector<scenario::Scenario> scenarios;
  std::vector<std::size_t> point_of; // [scenario]
};

// Returns: [site axis] the call sites that it means. Errors: the run has none there;
// two of them mean the same computation.
base::Result<std::vector<std::set<trace::Frame>>> frames_of(const std::vector<scenario::SiteAxis>& sites,
                                                            trace::Recording& recording) {
  std::vector<std::set<trace::Frame>> out;
  if (sites.empty()) return out;
  const scenario::SitesOfRun run = scenario::sites_of_run(recording);
  for (const scenario::SiteAxis& one : sites) {
    auto frames = scenario::frames_at(one.site, run.names);
    if (!frames) return base::fail(fmt::format("--speedup: {}", frames.error().message));
    out.push_back(std::move(*frames));
  }
  if (const auto apart = scenario::check_apart(sites, out, run); !apart)
    return base::fail(fmt::format("--speedup: {}", apart.error().message));
  return out;
}

// Returns: what differs from the run as it was recorded.
std::vector<region::Speedup> speedups_of(const scenario::Point& point, const std::vector<std::set<trace::Frame>>& frames) {
  std::vector<region::Speedup> out;
  for (std::size_t site = 0; site < frames.size(); ++site) {
    if (point.speedups[site] != 1.0) out.push_back({frames[site], point.speedups[site]});
  }
  return out;
}

// Puts why a point is impossible into it. Errors: no such platform or call site, too many points,
// all are impossible.
base::Result<Asked> scenarios_of(const live::Settings& settings, scenario::Axes axes, const sim::Options& options,
                                 trace::Recording& recording, report::WhatIf& what) {
  axes.platforms = settings.platforms;
  if (axes.platforms.empty()) axes.platforms.emplace_back(live::kDefaultPlatform);
  const auto platforms = platforms_by_name(settings, axes.platforms);
  if (!platforms) return tl::make_unexpected(platforms.error());
  std::size_t count = platforms->size();
  for (const std::size_t values : {axes.ranks_per_node.size(), axes.frequencies.size(), axes.bandwidths.size(),
                                   axes.latencies.size(), axes.waits.size(), axes.policies.size(), axes.balances.size()})
    count *= std::max<std::size_t>(1, values);
  for (const scenario::SiteAxis& site : axes.sites) {
    count *= site.speedups.size();
    what.sites.push_back(site.site);
  }
  if (count > kMostPoints) return base::fail(fmt::format("the axes span {} points, expected at most {}", count, kMostPoints));
  const auto frames = frames_of(axes.sites, recording);
  if (!frames) return tl::make_unexpected(frames.error());
  const auto memory_bound = memory_bound_in(recording, settings);
  if (!memory_bound) return tl::make_unexpected(memory_bound.error());
  platform::PlacementRequest request = settings.placement;
  request.cpus_seen = trace::cores_per_rank(recording);
  const Divider divider(axes, recording);
  Asked out;
  for (const scenario::Point& point : scenario::points_of(axes)) {
    report::PointOutcome& outcome = what.points.emplace_back();
    outcome.point = point;
    auto scenario = scenario::scenario_at(platforms->at(point.platform), point, what.ranks, request, options);
    if (!scenario) {
      outcome.impossible = scenario.error().message;
      continue;
    }
    scenario->speedups = speedups_of(point, *frames);
    scenario->memory_bound = *memory_bound;
    out.point_of.push_back(what.points.size() - 1);
    out.scenarios.push_back(std::move(*scenario));
    divider.divide(out.scenarios.back(), outcome, what.payloads_divided);
  }
  if (out.scenarios.empty()) return base::fail(what.points.front().impossible);
  return out;
}

// Under a launcher, the points are divided among its processes.
scenario::Share share_of_job() {
  if (base::launcher_size() < 2 || base::launcher_rank() < 0) return {};
  return {base::launcher_rank(), base::launcher_size()};
}

// Returns: the folder that keeps what is known while the sweep runs; empty: none does.
std::string folder_of(const WhatIfRequest& request, const std::string& json_file, const scenario::Share& share) {
  const std::string& file = request.csv_file.empty() ? json_file : request.csv_file;
  if (file.empty()) return share.size > 1 ? "farcast-whatif.parts" : "";
  return file + ".parts";
}

// Returns: one line that another command, or other files of the same names, would not have.
std::string name_of_sweep(const WhatIfRequest& request) {
  report::Json files = report::Json::array();
  const auto add = [&](const std::string& name) {
    struct stat file {};
    if (stat(name.c_str(), &file) == 0 && S_ISREG(file.st_mode))
      files.push_back({name, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec});
  };
  for (const std::string& word : request.command) {
    add(word);
    if (const auto equals = word.find('='); equals != std::string::npos) add(word.substr(equals + 1)); // --platform=FILE
    if (word.size() > 2 && word[0] == '-' && word[1] != '-') add(word.substr(2));                      // -pFILE
  }
  return report::Json{{"farcast", base::version()}, {"command", request.command}, {"files", std::move(files)}}.dump();
}

base::Result<std::optional<scenario::SweepStore>> open_store(const WhatIfRequest& request, const std::string& json_file,
                                                             const scenario::Share& share) {
  const std::string folder = folder_of(request, json_file, share);
  if (folder.empty()) return std::nullopt;
  auto store = scenario::SweepStore::open(folder, name_of_sweep(request), share.rank);
  if (!store) return tl::make_unexpected(store.error());
  return std::optional<scenario::SweepStore>(std::move(*store));
}

using Nodes = std::vector<scenario::UsedNodes>; // [scenario], where failures are asked for

report::PointFigures figures_of(const report::WhatIf& what, const Nodes& nodes, std::size_t scenario,
                                const scenario::SweepAnswer& answer) {
  report::PointFigures out = report::figures_of(answer);
  if (what.checkpointing)
    out.expected = report::expected_figures(out.time, out.all_energy(), nodes[scenario], *what.checkpointing);
  return out;
}

void add_members(const report::WhatIf& what, const Nodes& nodes, std::size_t scenario, scenario::MemberValues members,
                 report::PointFigures& figures) {
  for (std::size_t i = 0; what.checkpointing && i < members.time_s.size(); ++i) {
    std::optional<base::Joules> energy;
    if (!members.energy_j.empty()) energy = base::Joules(members.energy_j[i]);
    const auto with = report::expected_figures(base::Seconds(members.time_s[i]), energy, nodes[scenario], *what.checkpointing);
    figures.expected_members.time_s.push_back(with.time.value());
    if (with.energy) figures.expected_members.energy_j.push_back(with.energy->value());
  }
  figures.members = std::move(members);
}

// Where not all points can have an ensemble, the best have.
void rank(scenario::Sweep& sweep, const report::WhatIf& what, const Asked& asked, const Nodes& nodes) {
  const auto base = std::find(asked.point_of.begin(), asked.point_of.end(), report::base_point(what).value_or(0));
  sweep.rank_by(static_cast<std::size_t>(base - asked.point_of.begin()),
                [&what, &nodes](std::size_t scenario, const scenario::SweepAnswer& answer) {
                  return report::cost_of(figures_of(what, nodes, scenario, answer), what.goal);
                });
}

// Of all points that are answered.
void take_answers(report::WhatIf& what, const scenario::Sweep& sweep, const Asked& asked, const Nodes& nodes,
                  const region::SlowdownTable* slowdowns, trace::Recording& recording) {
  what.lacks_members = sweep.lacks_members();
  for (std::size_t i = 0; i < asked.point_of.size(); ++i) {
    const auto answer = sweep.answer(i);
    if (!answer) continue;
    const std::size_t point = asked.point_of[i];
    what.points[point].figures = figures_of(what, nodes, i, *answer);
    if (auto members = sweep.member_values(i)) add_members(what, nodes, i, std::move(*members), *what.points[point].figures);
    add_remarks(what, point, *answer, sweep.realisations(i));
    add_doubts(what, point, *asked.scenarios[i].where, slowdowns, recording);
  }
}

// Until all points are played, or the user has enough. Errors: what is known cannot be kept; other
// processes of the job are not seen.
base::Result<void> wait_for(scenario::Sweep& sweep, const scenario::Share& share, const std::string& folder) {
  constexpr std::chrono::milliseconds kBetween(20);
  constexpr std::chrono::seconds kUntilAllBegin(60);
  const auto begun = std::chrono::steady_clock::now();
  base::ProgressLine line = base::ProgressLine::on_stderr();
  while (interrupted == 0) {
    const auto finished = sweep.finished();
    if (!finished) return tl::make_unexpected(finished.error());
    if (*finished) break;
    if (share.rank == 0) line.show(fmt::format("{} of {} predictions", sweep.answered(), sweep.asked()));
    if (sweep.processes() < share.size && std::chrono::steady_clock::now() - begun > kUntilAllBegin && sweep.waits_for_others())
      return base::fail(fmt::format("{}: found the parts of {} processes, expected those of all {}: nodes that do not share the "
                                    "folder? (--csv FILE puts it beside that file)",
                                    folder, sweep.processes(), share.size));
    std::this_thread::sleep_for(kBetween);
  }
  return {};
}

// Threads may still play points that nobody wants any more.
[[noreturn]] void leave(int code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

// Returns: whether all files could be written; otherwise it has said why not.
bool write_files(const report::WhatIf& what, const std::string& csv_file, const std::string& json_file) {
  bool written = true;
  const auto write = [&](const std::string& path, const std::string& text) {
    if (path.empty()) return;
    const auto done = base::write_file(path, text);
    if (!done) tell("farcast: {}\n", done.error().message);
    written = written && done.has_value();
  };
  if (!csv_file.empty()) write(csv_file, report::what_if_csv(what));
  if (!json_file.empty()) write(json_file, report::to_text(report::what_if_json(what)) + "\n");
  return written;
}

// An option whose text one of scenario's parsers reads.
template <class Values, class Parse>
void add_list(CLI::App& command, const char* name, Values& values, Parse parse, const char* help, const char* type) {
  command
      .add_option_function<std::string>(
          name,
          [&values, parse, name](const std::string& text) {
            auto read = parse(text);
            if (!read) throw CLI::ValidationError(name, read.error().message);
            values = std::move(*read);
          },
          help)
      ->type_name(type);
}

int ask_model(const live::Settings& settings, const WhatIfRequest& request) {
  ModelRequest model = request.model;
  model.axes.frequencies = request.axes.frequencies;
  model.ranks_per_node = request.axes.ranks_per_node;
  return model_command(settings, model, {request.goal, rows_to_show(), request.csv_file, settings.json_file});
}

} // namespace

void add_axes(CLI::App& command, WhatIfRequest& request) {
  scenario::Axes& axes = request.axes;
  add_list(command, "--ppn", axes.ranks_per_node, scenario::parse_ranks_per_node,
           "ranks per virtual node (default: as many as it has cores for)", "K,...");
  add_list(command, "--frequency", axes.frequencies, scenario::parse_frequencies,
           "clocks of the platform's hosts, of their farcast:frequencies", "GHZ,...");
  add_list(command, "--bandwidth", axes.bandwidths, scenario::parse_scales, "bandwidth of all links, against the platform's",
           "xF,...");
  add_list(command, "--latency", axes.latencies, scenario::parse_scales, "latency of all links, against the platform's",
           "xF,...");
  add_list(command, "--mpi-wait", axes.waits, scenario::parse_waits,
           "how MPI calls wait: poll (default), or block: without their core", "poll,block");
  add_list(command, "--policy", axes.policies, scenario::parse_policies,
           "what collectives do to save power: none (default), dvfs, throttle,\ncore-throttle (Kandalla et al. 2010)",
           "NAME,...");
  command
      .add_option_function<std::vector<std::string>>(
          "--speedup",
          [&axes](const std::vector<std::string>& texts) {
            add_named_lists("--speedup", texts, scenario::parse_speedup, &scenario::SiteAxis::site, axes.sites);
          },
          "computation that begins or ends at that call site, so many times as fast;\nmay be given several times")
      ->type_name("FILE:LINE=F,...")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option_function<std::string>(
          "--best",
          [&request](const std::string& goal) {
            request.goal = goal == "time" ? report::Goal::time : goal == "energy" ? report::Goal::energy : report::Goal::edp;
          },
          "what the table is sorted by (default: time)")
      ->check(one_of({"time", "energy", "edp"}))
      ->type_name("time|energy|edp");
  add_balance(command, axes, request.payloads_divided);
  add_failures(command, request.failures);
  add_model(command, request.model);
  command.add_option("--csv", request.csv_file, "write all points as CSV")->type_name("FILE");
  add_gains(command, request);
}

int whatif_command(const live::Settings& settings, const WhatIfRequest& request, const std::vector<std::string>& run_files) {
  if (!request.model.model.empty()) return ask_model(settings, request);
  if (request.gains > 0) return gains_command(settings, request, run_files);
  const auto run = read_run(run_files);
  if (!run) return refuse(run.error().message);
  trace::Recording& recording = **run;
  report::WhatIf what;
  what.program = recording.program;
  what.ranks = recording.world_size;
  what.goal = request.goal;
  what.balanced = !request.axes.balances.empty();
  what.payloads_divided = request.payloads_divided;
  what.even = request.axes.even;
  sim::Options options = live::options_of(settings);
  if (!options.collectives.library) options.collectives.library = collective::library_named(recording.mpi_library);
  const auto asked = scenarios_of(settings, request.axes, options, recording, what);
  if (!asked) return refuse(asked.error().message);
  what.checkpointing = request.failures.checkpointing();
  const auto nodes = nodes_of(what.checkpointing, asked->scenarios); // [scenario], where failures are asked for
  if (!nodes) return refuse(nodes.error().message);
  auto slowdowns = live::load_slowdowns(settings);
  if (!slowdowns) return refuse(slowdowns.error().message);
  if (const auto same = live::check_slowdowns(*slowdowns, recording); !same) return refuse(same.error().message);
  scenario::RecordedSource source(recording, *slowdowns);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const scenario::Share share = share_of_job();
  auto store = open_store(request, settings.json_file, share);
  if (!store) return refuse(store.error().message);
  scenario::SweepStore* const kept = *store ? &**store : nullptr;
  scenario::Sweep sweep(source, asked->scenarios, live::draws_with_members(settings), kept, share, engine_remarks);
  rank(sweep, what, *asked, *nodes);
  RunCautions of_run(share.rank == 0 ? &recording : nullptr);
  if (share.rank == 0 && kept != nullptr && kept->goes_on() && sweep.found() > 0)
    tell("farcast: {} predictions are in {} already: goes on from there\n", sweep.found(), kept->folder());
  const auto waited = wait_for(sweep, share, kept == nullptr ? "" : kept->folder());
  if (share.rank > 0) leave(waited.has_value() && interrupted == 0 ? 0 : 1);
  take_answers(what, sweep, *asked, *nodes, slowdowns->get(), recording);
  of_run.say(what);
  fmt::print("{}", report::what_if_text(what, rows_to_show()));
  const bool written = write_files(what, request.csv_file, settings.json_file);
  if (!waited) tell("farcast: {}\n", waited.error().message);
  if (what.interrupted() || (what.lacks_members && interrupted != 0)) {
    if (kept != nullptr) tell("farcast: what is finished is kept in {}: the same command goes on from there\n", kept->folder());
    leave(waited ? kInterrupted : 1);
  }
  if (kept != nullptr && written && waited) kept->remove();
  return written && waited ? 0 : 1;
}

} // namespace farcast::cli
