// How far the computation of a recorded run may be off for what chance was in it, and other runs that
// it might as well have been.
//
// Timelines -> per timeline and region the series of its durations, in order; from its noise (base/series_noise.h) for each
// member of an ensemble a factor of all computation in that region of that timeline, for what durations have in common, and one
// of each duration, for what is new in each: ranks that wait for one another at every step wait for the slowest of many draws.
// Regions that happened too seldom to tell take what is usual in the run for computation of their length.
// Memory: at most 2 kMostEntries figures per series; of longer ones neighbours are summed up.
// Threads: built by one; noise() by any, when it is built.
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
  // The first durations, one by one.
  [[nodiscard]] const std::vector<double>& singles() const { return singles_; }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] double squares() const { return squares_; } // summed up
  [[nodiscard]] std::uint64_t durations() const { return durations_; }

private:
  std::vector<double> entries_;
  std::vector<double> singles_;
  std::uint64_t per_entry_ = 1;
  std::uint64_t in_last_ = 0; // durations in the last entry
  std::uint64_t durations_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

struct RegionNoise {
  double of_one = 0;          // standard deviation of what is new in each duration, as a share of it
  std::vector<float> factors; // [member - 1] of all durations
  std::uint64_t seed = 0;     // of what is new in each: another one in another recording
};

// What members tell: what another run takes, or how sure the recorded one is of what such runs take in the mean.
enum class Deviations : std::uint8_t { of_another_run, of_the_mean };

class RegionSpread {
public:
  // Plays nothing: reads all operations of the timelines. `members`: how many there will be; `sites`: of
  // these timelines, asked when all has been read. Another run is as far from the mean as the recorded one: both count.
  RegionSpread(trace::Timelines& timelines, const trace::SiteTable& sites, std::size_t members,
               Deviations deviations = Deviations::of_another_run);

  // A region by what it is, not by its number in one decoding.
  using Region = std::pair<std::vector<trace::Frame>, std::vector<trace::Frame>>;
  // Returns: null: no such region was seen.
  [[nodiscard]] const RegionNoise* noise(int timeline, const Region& region) const;

private:
  std::map<std::pair<int, Region>, RegionNoise> noise_;
};

// The factors of one member, for the numbers of one decoding. Threads: one owner; the sites may grow
// meanwhile, and must outlive it.
class MemberFactors {
public:
  // `member`: from 1; 0: all is as recorded.
  MemberFactors(const RegionSpread* spread, std::uint64_t member, const trace::SiteTable& sites)
      : spread_(member == 0 ? nullptr : spread), member_(member), sites_(sites) {}
  [[nodiscard]] bool any() const { return spread_ != nullptr; }
  // Returns: the factor of the next duration of that region. To be called once for each, in their order.
  [[nodiscard]] double next(int timeline, std::uint32_t region);

private:
  struct Known {
    double factor = 0;       // 0: not looked up yet
    double log_of_one = 0;   // standard deviation of the logarithm of what is new in each
    std::uint64_t draws = 0; // key of the next one's
  };
  void look_up(int timeline, std::uint32_t region, Known& known) const;

  const RegionSpread* spread_;
  std::uint64_t member_;
  const trace::SiteTable& sites_;
  std::vector<std::vector<Known>> known_; // [timeline][region]
};

} // namespace farcast::scenario
