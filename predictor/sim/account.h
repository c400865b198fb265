// Where each rank's virtual time goes, by activity, call site and region.
//
// In: intervals and calls as the engine plays them; out: the tables of a Prediction. Of a rank's
// threads only the main one fills RankTimes, so that each instant of a rank belongs to one
// activity; sites and regions count all threads.
// Threads: none; one owner.
#pragma once

#include "predictor/sim/prediction.h"

#include <cstdint>
#include <map>
#include <vector>

namespace farcast::sim {

// A table by index, dense for the small indexes that recorders hand out, a map for odd ones.
template <class Entry> class IndexTable {
public:
  Entry& operator[](std::uint32_t index) {
    if (index >= dense_.size()) {
      if (index >= kDense) return sparse_[index];
      dense_.resize(index + 1);
      used_.resize(index + 1, 0);
    }
    used_[index] = 1;
    return dense_[index];
  }
  // Returns: null when it was not asked for, or is odd.
  [[nodiscard]] const Entry* find_dense(std::uint32_t index) const { return index < dense_.size() ? &dense_[index] : nullptr; }
  // Calls visit(index, entry) for each index that was asked for, ascending.
  template <class Visit> void for_each(Visit visit) {
    for (std::uint32_t i = 0; i < dense_.size(); ++i) {
      if (used_[i] != 0) visit(i, dense_[i]);
    }
    for (auto& [index, entry] : sparse_) visit(index, entry);
  }

private:
  static constexpr std::uint32_t kDense = 1u << 16;
  std::vector<Entry> dense_;
  std::vector<std::uint8_t> used_; // [index] 1: it was asked for
  std::map<std::uint32_t, Entry> sparse_;
};

// The last call of a strand: an operation that goes on with it (Operation::times is 0) belongs to it.
struct LastCall {
  double seconds = 0;
  double least_before = 0; // of the calls of its site and rank
};

class Account {
public:
  explicit Account(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  void spend(std::uint32_t rank, Activity activity, double seconds) {
    ranks_[rank].in[static_cast<std::size_t>(activity)] += base::Seconds(seconds);
  }
  void message(std::uint32_t rank, double bytes) {
    ranks_[rank].sent += base::Bytes(bytes);
    ++ranks_[rank].messages;
  }
  void given_poll(std::uint32_t rank, bool probes, double seconds) {
    ranks_[rank].given_polls[probes ? 0 : 1] += base::Seconds(seconds);
  }
  [[nodiscard]] const std::vector<RankTimes>& ranks() const { return ranks_; }
  // `times` calls that took so long together; 0: `last` took so much longer. (Where another thread's
  // call of the site and rank was the shortest meanwhile, that is forgotten.)
  void call(std::uint32_t rank, std::uint32_t site, double seconds, std::uint64_t times, LastCall& last);
  void region(std::uint32_t region, double measured, double predicted, std::uint64_t times);
  void call_energy(std::uint32_t rank, std::uint32_t site, double joules) {
    row(site)[rank].energy += base::Joules(joules);
    ranks_[rank].energy += base::Joules(joules);
  }
  void region_energy(std::uint32_t rank, std::uint32_t region, double joules) {
    regions_[region].energy += base::Joules(joules);
    ranks_[rank].energy += base::Joules(joules);
  }
  // Fetches a rank's figures, and those of a call site on it, into the cache.
  void fetch(std::uint32_t rank, std::uint32_t site) const {
    const std::vector<SiteTimes>* const by_rank = sites_.find_dense(site);
    if (by_rank != nullptr && !by_rank->empty()) __builtin_prefetch(&(*by_rank)[rank], 1);
    __builtin_prefetch(&ranks_[rank], 1);
    __builtin_prefetch(&ranks_[rank].messages, 1);
  }
  // Moves the tables into `prediction`.
  void report(Prediction& prediction);

private:
  std::vector<SiteTimes>& row(std::uint32_t site) {
    std::vector<SiteTimes>& by_rank = sites_[site];
    if (by_rank.empty()) by_rank.resize(ranks_.size());
    return by_rank;
  }

  std::vector<RankTimes> ranks_;
  IndexTable<std::vector<SiteTimes>> sites_; // [site][rank]
  IndexTable<RegionTimes> regions_;
};

} // namespace farcast::sim
