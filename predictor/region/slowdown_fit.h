// Runs of one program with different numbers of co-runners -> the slowdown curve of each of its
// regions.
//
// In: per run and region the number of visits, their time, and how much of it passed with how many
// co-runners (trace/corunners.h). A visit is the same work in every run: W = sum over numbers of
// co-runners of t(co-runners) / slowdown(co-runners). The isolated runs give W, runs with more
// co-runners each the next point of the curve, in between straight. So a real-life run whose ranks
// compute together only now and then gives the slowdown with all of them, not a mixture. The median
// over the repetitions is taken: one that another program disturbed moves nothing. Pure functions
// but sample_run, which reads a recording. Source: Heinrich17 V-A2 (isolated against real-life
// run).
#pragma once

#include "predictor/region/slowdown_table.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/sites.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace farcast::region {

struct RegionSample { // one region in one run, all ranks
  std::uint64_t visits = 0;
  double seconds = 0;
  std::vector<double> with_corunners; // seconds with index + 1 co-runners; the sum is `seconds`
};

using Stack = std::vector<trace::Frame>; // of a call site, innermost first; at least one
using RegionKey = std::pair<Stack, Stack>;

struct RunSample {
  int corunners = 1; // that it was meant to have
  std::map<RegionKey, RegionSample> regions;
};

// Requires: the recording is complete.
RunSample sample_run(trace::Recording& recording, int corunners);

// Returns: the curve at the numbers of co-runners of `runs`, ascending; empty when no run alone
// visited the region.
std::vector<SlowdownPoint> fit_region(const std::vector<std::pair<int, RegionSample>>& runs, double& alone_s);

// Fills in sites and regions of a table; those with no time at all are left out. `name` gives the
// names of a frame.
template <class Name> SlowdownTable fit_slowdowns(const std::vector<RunSample>& runs, Name name) {
  SlowdownTable table;
  std::map<Stack, std::uint32_t> numbers;
  const auto number = [&](const Stack& stack) {
    const auto [at, fresh] = numbers.try_emplace(stack, static_cast<std::uint32_t>(table.sites.size()));
    if (!fresh) return at->second;
    trace::ResolvedSite site = name(stack.front());
    for (std::size_t i = 1; i < stack.size(); ++i) {
      table.callers.resize(table.sites.size() + 1);
      table.callers.back().push_back(key_of_place(stack[i].build_id, stack[i].path, stack[i].offset));
      site.text += " < " + name(stack[i]).text;
    }
    table.sites.push_back(std::move(site));
    return at->second;
  };
  std::map<RegionKey, std::vector<std::pair<int, RegionSample>>> by_region;
  for (const RunSample& run : runs) {
    for (const auto& [key, sample] : run.regions) by_region[key].emplace_back(run.corunners, sample);
  }
  for (const auto& [key, samples] : by_region) {
    RegionSlowdown region;
    region.points = fit_region(samples, region.alone_s);
    if (region.points.empty()) continue;
    for (const auto& [corunners, sample] : samples) {
      if (corunners == 1) region.visits = sample.visits;
    }
    region.from = number(key.first);
    region.to = number(key.second);
    table.regions.push_back(std::move(region));
  }
  if (!table.callers.empty()) table.callers.resize(table.sites.size());
  return table;
}

} // namespace farcast::region
