#include "predictor/sim/account.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace farcast::sim {

const char* name_of(Activity activity) {
  switch (activity) {
  case Activity::compute:
    return "compute";
  case Activity::point_to_point:
    return "point-to-point";
  case Activity::collective:
    return "collective";
  case Activity::completion:
    return "completion";
  case Activity::waiting:
    return "waiting";
  case Activity::local:
    return "local";
  case Activity::ended:
    return "ended";
  }
  return "?";
}

void Account::call(std::uint32_t rank, std::uint32_t site, double seconds, std::uint64_t called, LastCall& last) {
  SiteTimes& times = row(site)[rank];
  if (called > 0) {
    last.least_before = times.count == 0 ? std::numeric_limits<double>::infinity() : times.min.value();
    last.seconds = called > 1 ? seconds / static_cast<double>(called) : seconds;
  } else { // it was the shortest only because it was not over
    if (times.min == base::Seconds(last.seconds)) times.min = base::Seconds(last.least_before);
    last.seconds += seconds;
  }
  const base::Seconds each(last.seconds);
  times.max = std::max(times.max, each);
  times.min = called > 0 && times.count == 0 ? each : std::min(times.min, each);
  times.total += base::Seconds(seconds);
  times.count += called;
}

void Account::region(std::uint32_t region, double measured, double predicted, std::uint64_t entered) {
  RegionTimes& times = regions_[region];
  times.visits += entered;
  times.measured += base::Seconds(measured);
  times.predicted += base::Seconds(predicted);
}

void Account::report(Prediction& prediction) {
  prediction.ranks = std::move(ranks_);
  sites_.for_each([&](std::uint32_t site, std::vector<SiteTimes>& by_rank) { prediction.sites[site] = std::move(by_rank); });
  regions_.for_each([&](std::uint32_t region, const RegionTimes& times) { prediction.regions[region] = times; });
}

} // namespace farcast::sim
