#include "predictor/sim/account.h"

#include <algorithm>
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

void Account::call(std::uint32_t rank, std::uint32_t site, double seconds, std::uint64_t called) {
  std::vector<SiteTimes>& by_rank = sites_[site];
  if (by_rank.empty()) {
    by_rank.resize(ranks_.size());
    ++site_tables_;
  }
  SiteTimes& times = by_rank[rank];
  const base::Seconds each(called > 1 ? seconds / static_cast<double>(called) : seconds);
  times.max = std::max(times.max, each);
  times.min = times.count == 0 ? each : std::min(times.min, each);
  times.total += base::Seconds(seconds);
  times.count += called;
}

void Account::region(std::uint32_t region, double measured, double predicted, std::uint64_t entered) {
  RegionTimes& times = regions_[region];
  times.visits += entered;
  times.measured += base::Seconds(measured);
  times.predicted += base::Seconds(predicted);
}

// The shortest and the longest call of a site are among those booked already.
void Account::repeat(Account& before, double times) {
  const auto more = [times](auto& now, auto then) { now += (now - then) * times; };
  const auto count = static_cast<std::uint64_t>(times);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    RankTimes& now = ranks_[rank];
    const RankTimes& then = before.ranks_[rank];
    for (std::size_t activity = 0; activity < now.in.size(); ++activity) more(now.in[activity], then.in[activity]);
    more(now.sent, then.sent);
    for (std::size_t kind = 0; kind < now.given_polls.size(); ++kind) more(now.given_polls[kind], then.given_polls[kind]);
    now.messages += (now.messages - then.messages) * count;
  }
  sites_.for_each([&](std::uint32_t site, std::vector<SiteTimes>& by_rank) {
    std::vector<SiteTimes>& earlier = before.sites_[site];
    earlier.resize(by_rank.size());
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      more(by_rank[rank].total, earlier[rank].total);
      by_rank[rank].count += (by_rank[rank].count - earlier[rank].count) * count;
    }
  });
  regions_.for_each([&](std::uint32_t region, RegionTimes& now) {
    const RegionTimes& then = before.regions_[region];
    more(now.measured, then.measured);
    more(now.predicted, then.predicted);
    now.visits += (now.visits - then.visits) * count;
  });
}

void Account::report(Prediction& prediction) {
  prediction.ranks = std::move(ranks_);
  sites_.for_each([&](std::uint32_t site, std::vector<SiteTimes>& by_rank) { prediction.sites[site] = std::move(by_rank); });
  regions_.for_each([&](std::uint32_t region, const RegionTimes& times) { prediction.regions[region] = times; });
}

} // namespace farcast::sim
