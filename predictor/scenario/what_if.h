// Many questions about one run: the axes that multiply, and the points that they span.
//
// Axes -> points, in the order of their product (the last axis changes fastest) -> scenarios. Pure
// functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"
#include "predictor/scenario/scenario.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/sites.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farcast::scenario {

struct SiteAxis {               // computation before and behind the calls at one place of the program
  std::string site;             // file:line
  std::vector<double> speedups; // how many times as fast
};

struct Axes { // an empty one has one value: the usual
  std::vector<std::string> platforms;
  std::vector<int> ranks_per_node;
  std::vector<base::Hertz> frequencies;
  std::vector<double> bandwidths; // of all links, against the platform's
  std::vector<double> latencies;
  std::vector<sim::WaitMode> waits;
  std::vector<sim::CollectivePolicy> policies;
  std::vector<SiteAxis> sites;
  std::vector<double> balances; // parts of the way to the division by speed (balance.h)
  bool even = false;            // all ranks compute equally long, beside as recorded
};

struct Point {
  std::string platform;
  int ranks_per_node = 0;               // 0: as many as the host has cores
  std::optional<base::Hertz> frequency; // unset: the platform's
  double bandwidth = 1.0;
  double latency = 1.0;
  sim::WaitMode wait = sim::WaitMode::poll;
  sim::CollectivePolicy policy = sim::CollectivePolicy::none;
  std::vector<double> speedups{}; // [Axes::sites]
  double balance = 0.0;           // 0: the work is divided as recorded
  bool even = false;              // divided so that all ranks compute equally long
};

// The values of an axis, separated by commas, each once. Errors: "found ..., expected ..." without
// the option's name.
base::Result<std::vector<int>> parse_ranks_per_node(std::string_view text);             // 1,2,6
base::Result<std::vector<base::Hertz>> parse_frequencies(std::string_view text);        // 1.2,1.8 in GHz
base::Result<std::vector<double>> parse_scales(std::string_view text);                  // x0.5,x1,x2
base::Result<std::vector<sim::WaitMode>> parse_waits(std::string_view text);            // poll,block
base::Result<std::vector<sim::CollectivePolicy>> parse_policies(std::string_view text); // none,dvfs
base::Result<SiteAxis> parse_speedup(std::string_view text);                            // file.c:12=1,2,4

// Returns: the call sites of the recording at that place. Errors: none, with the nearest that there
// are.
base::Result<std::set<trace::Frame>> frames_at(const std::string& site, const std::map<trace::Frame, std::string>& names);
// The innermost frames of the run's call sites.
struct SitesOfRun {
  std::map<trace::Frame, std::string> names;
  std::set<std::pair<trace::Frame, trace::Frame>> regions; // between which it computes
};
SitesOfRun sites_of_run(trace::Recording& recording);
// Errors: some computation begins or ends at two of the places: which of them says how fast it is?
// `frames`: [site] as of frames_at().
base::Result<void> check_apart(const std::vector<SiteAxis>& sites, const std::vector<std::set<trace::Frame>>& frames,
                               const SitesOfRun& run);

// Requires: at least one platform.
std::vector<Point> points_of(const Axes& axes);

// Returns: the point as a question: the platform as the point has it, with `ranks` ranks placed on
// it. `request`: how, but for the ranks per node; `options`: what no axis says.
// Errors: why there is no such point: too few cores, no such frequency, no figures for its policy.
base::Result<Scenario> scenario_at(const platform::Platform& platform, const Point& point, int ranks,
                                   platform::PlacementRequest request, const sim::Options& options);

} // namespace farcast::scenario
