#include "predictor/scenario/balance.h"

#include "predictor/host/compute.h"
#include "predictor/model/processors.h"
#include "predictor/trace/recorded_timelines.h"

#include <functional>
#include <map>
#include <set>

namespace farcast::scenario {

std::vector<double> parts_to_play() {
  constexpr int kSteps = 8;
  std::vector<double> out;
  for (int step = 0; step <= kSteps; ++step) out.push_back(static_cast<double>(step) / kSteps);
  return out;
}

std::vector<base::Seconds> computation_of(trace::Recording& recording) {
  trace::RecordedTimelines timelines(recording);
  std::vector<base::Seconds> out(static_cast<std::size_t>(timelines.ranks()));
  trace::Operation operation;
  for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
    base::Seconds& of_rank = out[static_cast<std::size_t>(timelines.rank_of(timeline))];
    while (timelines.next(timeline, operation)) of_rank += operation.compute;
  }
  return out;
}

std::vector<double> speeds_of(const PlacedPlatform& placed, const sim::Options& options) {
  const host::Speeds speeds(placed.platform, options.asked_speed());
  std::vector<double> out;
  for (const platform::HostId host : placed.placement.host_of) out.push_back(speeds.of(placed.platform.hosts[host]));
  return out;
}

Balance balance_of(const PlacedPlatform& placed, std::span<const double> speeds, std::span<const base::Seconds> computation,
                   std::span<const double> factors) {
  struct Sum {
    std::set<platform::HostId> hosts;
    int ranks = 0;
    base::Seconds recorded, divided;
  };
  std::map<double, Sum, std::greater<>> sums; // by speed
  base::Seconds all;
  std::vector<model::Worker> workers;
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    Sum& sum = sums[speeds[rank]];
    sum.hosts.insert(placed.placement.host_of[rank]);
    ++sum.ranks;
    sum.recorded += computation[rank];
    sum.divided += computation[rank] * (factors.empty() ? 1.0 : factors[rank]);
    all += computation[rank];
    workers.push_back({speeds[rank], base::Seconds(0)});
  }
  const auto share = [all](base::Seconds part) { return all > base::Seconds(0) ? part / all : 0.0; };
  Balance out;
  if (const auto divided = model::best_division(all, workers)) out.computation_gain = divided->gain();
  for (const auto& [speed, sum] : sums)
    out.kinds.push_back({placed.platform.hosts[*sum.hosts.begin()].name, placed.platform.hosts[*sum.hosts.rbegin()].name,
                         static_cast<int>(sum.hosts.size()), sum.ranks, speed, share(sum.recorded), share(sum.divided)});
  return out;
}

} // namespace farcast::scenario
