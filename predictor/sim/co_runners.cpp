#include "predictor/sim/co_runners.h"

#include <algorithm>

namespace farcast::sim {

CoRunners::CoRunners(const platform::Platform& platform, const platform::Placement& placement, std::size_t ranks,
                     region::Slowdowns* slowdowns)
    : slowdowns_(slowdowns), threads_per_rank_(placement.cpus_per_rank), works_(ranks) {
  std::uint32_t nodes = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    node_of_.push_back(static_cast<std::uint32_t>(placement.host_of[rank]));
    nodes = std::max(nodes, node_of_.back() + 1);
  }
  computing_.resize(nodes);
  is_changed_.resize(nodes, false);
  threads_.resize(nodes, nullptr);
  for (std::uint32_t node = 0; node < nodes; ++node)
    if (const platform::ThreadFormulas* const threads = platform::threads_beyond_cores(platform.hosts[node]))
      threads_[node] = &threads->time;
}

double CoRunners::slowdown(std::uint32_t node, std::uint32_t region, int runners) const {
  const double of_region = slowdowns_ == nullptr ? 1.0 : slowdowns_->slowdown(region, runners);
  if (threads_[node] == nullptr) return of_region;
  return of_region * (model::computation_time(*threads_[node], 1.0, runners * threads_per_rank_) / threads_[node]->minimum);
}

void CoRunners::change(std::uint32_t node) {
  if (is_changed_[node]) return;
  is_changed_[node] = true;
  changed_.push_back(node);
}

void CoRunners::count(Work& work, double now) {
  if (slowdowns_ != nullptr && work.runners > 0 && now > work.counted)
    slowdowns_->count_played(work.region, work.runners, now - work.counted);
  work.counted = now;
}

void CoRunners::begin(std::uint32_t rank, std::uint32_t region, double work, double now) {
  works_[rank] = {true, region, work, now, 0.0, now, 0.0, 0, now};
  std::vector<std::uint32_t>& here = computing_[node_of_[rank]];
  here.insert(std::lower_bound(here.begin(), here.end(), rank), rank);
  change(node_of_[rank]);
}

bool CoRunners::end_at(std::uint32_t rank, double time) {
  Work& work = works_[rank];
  if (!work.computing || work.slowdown == 0 || work.end != time) return false;
  work.computing = false;
  count(work, time);
  std::vector<std::uint32_t>& here = computing_[node_of_[rank]];
  here.erase(std::lower_bound(here.begin(), here.end(), rank));
  change(node_of_[rank]);
  return true;
}

void CoRunners::settle(double now, const std::function<void(std::uint32_t, double)>& tell) {
  if (changed_.empty()) return;
  std::sort(changed_.begin(), changed_.end());
  for (const std::uint32_t node : changed_) {
    is_changed_[node] = false;
    const std::vector<std::uint32_t>& here = computing_[node];
    for (const std::uint32_t rank : here) {
      Work& work = works_[rank];
      count(work, now);
      work.runners = static_cast<int>(here.size());
      const double slowdown = this->slowdown(node, work.region, static_cast<int>(here.size()));
      if (slowdown == work.slowdown) continue;
      if (work.slowdown > 0) work.left = std::max(0.0, work.left - (now - work.since) / work.slowdown);
      work.since = now;
      work.slowdown = slowdown;
      work.end = now + work.left * slowdown;
      tell(rank, work.end);
    }
  }
  changed_.clear();
}

} // namespace farcast::sim
