// How far the computation of a recorded run may be off for what chance was in it, and other runs that
// it might as well have been.
//
// Timelines -> per timeline and region the series of its durations, in order; from these, by blocks
// (base/block_resampling.h), for each member of an ensemble a factor of all computation in that region
// of that timeline. Regions that happened too seldom to tell take what is usual in the run for computation of their length.
// Memory: at most kMostEntries figures per series; of longer ones neighbours are summed up, which
// keeps what resampling needs.
// Threads: built by one; factor() by any, when it is built.
#pragma once

#include "predictor/trace/operation.h"
#include "predictor/trace/sites.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace farcast::scenario {

class DurationSeries {
public:
  static constexpr std::size_t kMostEntries = 512;

  void add(double seconds);
  // Each the sum of as many durations in a row, but the last.
  [[nodiscard]] const std::vector<double>& entries() const { return entries_; }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] std::uint64_t durations() const { return durations_; }

private:
  std::vector<double> entries_;
  std::uint64_t per_entry_ = 1;
  std::uint64_t in_last_ = 0; // durations in the last entry
  std::uint64_t durations_ = 0;
  double sum_ = 0;
};

class RegionSpread {
public:
  // Plays nothing: reads all operations of the timelines. `members`: how many there will be; `sites`: of
  // these timelines, asked when all has been read.
  RegionSpread(trace::Timelines& timelines, const trace::SiteTable& sites, std::size_t members);

  // A region by what it is, not by its number in one decoding.
  using Region = std::pair<std::vector<trace::Frame>, std::vector<trace::Frame>>;
  // Returns: [member - 1] factors of a region's computation; null: no such region was seen.
  [[nodiscard]] const std::vector<float>* factors(int timeline, const Region& region) const;
  [[nodiscard]] std::size_t members() const { return members_; }

private:
  std::size_t members_;
  std::map<std::pair<int, Region>, std::vector<float>> factors_;
};

// The factors of one member, for the numbers of one decoding. Threads: one owner; the sites may grow
// meanwhile, and must outlive it.
class MemberFactors {
public:
  // `member`: from 1; 0: all is as recorded.
  MemberFactors(const RegionSpread* spread, std::uint64_t member, const trace::SiteTable& sites)
      : spread_(member == 0 ? nullptr : spread), member_(member), sites_(sites) {}
  [[nodiscard]] bool any() const { return spread_ != nullptr; }
  [[nodiscard]] double of(int timeline, std::uint32_t region);

private:
  const RegionSpread* spread_;
  std::uint64_t member_;
  const trace::SiteTable& sites_;
  std::vector<std::vector<double>> known_; // [timeline][region] 0: not looked up yet
};

} // namespace farcast::scenario
