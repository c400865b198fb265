// Writes the figures of many predictions, one file each, with every number as a hexadecimal float:
// two builds can be compared to the last bit (tests/dump/dump_predictions makes the cases and
// compares).
//
//   dump_predictions CASES FOLDER
//
// Each line of CASES is one prediction, as words KEY=VALUE in any order:
//   name=FILE                the file in FOLDER that it is written to
//   trace=FILE | run=FILE    a SimGrid TI trace, or a recorded run
//   platform=NAME_OR_FILE    and the options ppn= map=node p2p= progress= seed= speed= collectives= (as those of farcast)
//   regions=made             run only: each region has a slowdown that depends on its place among the sorted regions
// Exit code: 0; 1 with a sentence on stderr.
#include "predictor/platform/builtin.h"
#include "predictor/region/slowdowns.h"
#include "predictor/report/sentences.h"
#include "predictor/sim/predict.h"
#include "predictor/trace/recorded_timelines.h"
#include "predictor/trace/run_file.h"
#include "predictor/trace/ti_trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

using namespace farcast;

namespace {

using Case = std::map<std::string, std::string>;
using Names = std::vector<std::string>;

struct Figures {
  sim::Prediction prediction;
  Names sites;         // [number]: names that do not depend on who came first
  Names regions;       // [number]
  std::string error{}; // the trace could not be read to its end
};

template <class Value> Value good(base::Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::string word(const Case& which, const std::string& key) {
  const auto found = which.find(key);
  return found == which.end() ? "" : found->second;
}

sim::Options options_of(const Case& which) {
  sim::Options options;
  if (const std::string p2p = word(which, "p2p"); !p2p.empty())
    options.p2p = p2p == "smpi" ? sim::MessageModel::smpi : sim::MessageModel::channel;
  if (const std::string progress = word(which, "progress"); !progress.empty())
    options.progress = progress == "async" ? sim::ProgressRule::async : sim::ProgressRule::in_call;
  if (const std::string seed = word(which, "seed"); !seed.empty()) options.seed = std::stoull(seed);
  if (const std::string speed = word(which, "speed"); !speed.empty()) options.relative_speed = std::stod(speed);
  if (const std::string text = word(which, "collectives"); !text.empty())
    options.collectives = good(collective::parse_selection(text));
  return options;
}

platform::Placement place(const Case& which, const platform::Platform& platform, int ranks) {
  platform::PlacementRequest request;
  if (const std::string ppn = word(which, "ppn"); !ppn.empty()) request.ranks_per_node = std::stoi(ppn);
  request.round_robin = word(which, "map") == "node";
  return good(platform::place(platform, ranks, request));
}

// As `farcast replay` plays it.
Figures play_trace(const Case& which, platform::Platform platform) {
  const trace::TiTraceFiles files = good(trace::find_ti_trace(which.at("trace")));
  const platform::Placement placement = place(which, platform, files.ranks);
  if (!platform.p2p.test_cost) platform.p2p.test_cost = platform::kSimGridPoll;
  std::vector<double> speeds;
  for (const platform::HostId host : placement.host_of) speeds.push_back(platform.hosts[host].speed.value());
  trace::TiTimelines timelines(files, std::move(speeds), *platform.p2p.test_cost);
  sim::Options options = options_of(which);
  options.speed_of_trace = true;
  if (!options.p2p) options.p2p = sim::MessageModel::smpi;
  options.self_over_links = true;
  Figures out{sim::predict(timelines, platform, placement, options), timelines.sites(), {}, {}};
  out.error = timelines.error();
  for (const auto& [from, to] : timelines.regions()) out.regions.push_back(out.sites[from] + " -> " + out.sites[to]);
  return out;
}

Names names_of(const trace::SiteTable& table) {
  Names out;
  for (const trace::Site& site : table.sites()) {
    std::string& name = out.emplace_back(fmt::format("{}", site.function));
    for (const trace::Frame& frame : site.frames)
      name += fmt::format(" {}+{:x}", frame.build_id.empty() ? frame.path : frame.build_id, frame.offset);
  }
  return out;
}

// Slowdowns of all regions that the recording has, with curves that differ from each other.
region::SlowdownTable made_slowdowns(trace::Recording& recording) {
  trace::RecordedTimelines timelines(recording);
  trace::Operation operation;
  for (int i = 0; i < timelines.timelines(); ++i) {
    while (timelines.next(i, operation)) {
    }
  }
  const trace::SiteTable& found = timelines.sites();
  const trace::CanonicalOrder order = trace::canonical_order(found);
  region::SlowdownTable table;
  table.source = "made";
  for (const trace::Site& site : found.sites()) {
    trace::ResolvedSite& out = table.sites.emplace_back();
    out.module = site.frames.front().path;
    out.build_id = site.frames.front().build_id;
    out.offset = site.frames.front().offset;
  }
  for (std::size_t i = 0; i < found.regions().size(); ++i) {
    const auto& [from, to] = found.regions()[i];
    if (order.region[i] % 4 == 3) continue; // takes its neighbours' curve
    const double step = 0.05 * (1 + order.region[i] % 5);
    table.regions.push_back({from, to, 1, 1.0, {{1, 1.0, 0, 1}, {2, 1.0 + step, 0, 1}, {3, 1.0 + 3 * step, 0, 1}}, {}});
  }
  return table;
}

// As `farcast predict` plays it.
Figures play_run(const Case& which, const platform::Platform& platform) {
  const auto recording = good(trace::read_run_file(which.at("run")));
  if (const auto complete = trace::check_complete(*recording); !complete) throw std::runtime_error(complete.error().message);
  const platform::Placement placement = place(which, platform, recording->world_size);
  sim::Options options = options_of(which);
  if (!options.collectives.library) options.collectives.library = collective::library_named(recording->mpi_library);
  trace::RecordedTimelines timelines(*recording);
  region::SlowdownTable table;
  std::optional<region::Slowdowns> slowdowns;
  if (word(which, "regions") == "made") {
    table = made_slowdowns(*recording);
    slowdowns.emplace(table, timelines.sites(), recording->resolved);
    timelines.correct_with(*slowdowns);
    options.slowdowns = &*slowdowns;
  }
  Figures out{sim::predict(timelines, platform, placement, options), {}, {}, {}};
  out.sites = names_of(timelines.sites());
  for (const auto& [from, to] : timelines.sites().regions()) out.regions.push_back(out.sites[from] + " -> " + out.sites[to]);
  return out;
}

void append_ranks(const sim::Prediction& p, std::string& out) {
  for (std::size_t rank = 0; rank < p.ranks.size(); ++rank) {
    const sim::RankTimes& times = p.ranks[rank];
    out += fmt::format("rank {} sent {:a} messages {}", rank, times.sent.value(), times.messages);
    for (std::size_t i = 0; i < times.in.size(); ++i)
      out += fmt::format(" {} {:a}", sim::name_of(static_cast<sim::Activity>(i)), times.in[i].value());
    out += fmt::format(" polls {:a} {:a}\n", times.given_polls[0].value(), times.given_polls[1].value());
  }
}

std::string text_of(const Figures& figures) {
  const sim::Prediction& p = figures.prediction;
  std::string out = fmt::format("platform {}\nplacement {}\ntransport {}\ncomplete {}\nnodes {}\ntime {:a}\n", p.platform,
                                p.placement, report::transport_text(p.transport), p.complete, p.nodes_used, p.time.value());
  if (p.energy) out += fmt::format("energy {:a}\n", p.energy->value());
  out += fmt::format("energy_parts {:a} {:a} {:a} {:a}\n", p.energy_parts.baseline.value(), p.energy_parts.computing.value(),
                     p.energy_parts.polling.value(), p.energy_parts.probing.value());
  for (const sim::NodeEnergy& node : p.nodes)
    out += fmt::format("node {} energy {:a} idle {:a}\n", node.host, node.total.value(), node.idle.value());
  append_ranks(p, out);
  Names lines;
  for (const auto& [site, ranks] : p.sites) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const sim::SiteTimes& times = ranks[rank];
      if (times.count > 0)
        lines.push_back(fmt::format("site {} rank {} calls {} total {:a} max {:a} min {:a}\n", figures.sites[site], rank,
                                    times.count, times.total.value(), times.max.value(), times.min.value()));
    }
  }
  for (const auto& [number, region] : p.regions)
    lines.push_back(fmt::format("region {} visits {} measured {:a} predicted {:a}\n", figures.regions[number], region.visits,
                                region.measured.value(), region.predicted.value()));
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) out += line;
  for (const sim::Assumption& assumption : p.assumptions)
    out += fmt::format("assumed {}\n", report::assumption_sentence(assumption));
  for (const sim::Problem& problem : p.problems) {
    const bool stands = problem.kind == sim::ProblemKind::blocked && problem.site;
    out += fmt::format("problem {}{}\n", report::problem_text(problem), stands ? ", at " + figures.sites[*problem.site] : "");
  }
  if (!figures.error.empty()) out += fmt::format("problem {}\n", figures.error);
  return out;
}

void write_one(const Case& which, const std::string& folder) {
  platform::Platform platform = good(platform::find_platform(which.at("platform")));
  const Figures figures = which.contains("trace") ? play_trace(which, std::move(platform)) : play_run(which, platform);
  std::ofstream out(folder + "/" + which.at("name"));
  out << text_of(figures);
  if (!out.flush()) throw std::runtime_error(folder + ": cannot be written to");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: dump_predictions CASES FOLDER\n");
    return 1;
  }
  std::ifstream cases(argv[1]);
  for (std::string line; std::getline(cases, line);) {
    Case which;
    std::istringstream words(line);
    for (std::string text; words >> text;) which[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    try {
      write_one(which, argv[2]);
    } catch (const std::exception& error) {
      fmt::print(stderr, "dump_predictions: {}: {}\n", line, error.what());
      return 1;
    }
  }
  return 0;
}
