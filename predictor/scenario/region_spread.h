// How far the computation of a recorded run may be off for what chance was in it, and other runs that
// it might as well have been.
//
// Timelines -> per timeline and region the series of its durations, in order; its noise
// (base/series_noise.h); and from that for each member of an ensemble the durations of another run:
// their level, which follows the recorded ones without their noise, and noise drawn anew, which
// remembers as much as the recorded one does. Noise drawn on top of the recorded one would count it
// twice where ranks wait for one another: the slowest of many is more above the mean the more they
// scatter. Ranks that run a region equally often are replicates of one another (replicates.h): of
// short series, and where what ranks have in common at a step is by far most of what varies, noise
// is told from what is left; and where ranks differ by no more than noise, levels are those of all
// of them. Regions that happened too seldom to tell even so take what is usual in the run for
// computation of their length. Level: the straight line through the last durations (Morrison,
// Introduction to sequential smoothing and prediction, 1969: the expanding memory filter, which
// stops to expand), that begins anew where one is off by more than noise. Memory: at most 2
// kMostEntries figures per series; of longer ones neighbours are summed up. Threads: built by one;
// noise() by any, when it is built.
#pragma once

#include "predictor/trace/operation.h"
#include "predictor/trace/sites.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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
  [[nodiscard]] std::uint64_t per_entry() const { return per_entry_; }

private:
  std::vector<double> entries_;
  std::vector<double> singles_;
  std::uint64_t per_entry_ = 1;
  std::uint64_t in_last_ = 0; // durations in the last entry
  std::uint64_t durations_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

// Of one region on one timeline; standard deviations, as shares of the level.
struct RegionNoise {
  double of_one = 0;   // of each duration in another run
  double recorded = 0; // of each duration that was recorded
  double memory = 0;   // correlation of two in a row
  double of_block = 0; // of what `block` durations in a row have in common besides
  std::uint64_t block = 1;
  double level = 1;    // over the recorded one: ranks that differ by no more than noise are alike
  double of_level = 1; // durations that the level rests on
  // [duration] level of all ranks that are alike, and this one's over it; null: the level follows
  // the rank's own durations
  std::shared_ptr<const std::vector<double>> steps;
  double of_rank = 1;
  std::uint64_t seed = 0; // another one in another recording
};

// What members tell: what another run takes, or how sure the recorded one is of what such runs take
// in the mean.
enum class Deviations : std::uint8_t { of_another_run, of_the_mean };

class RegionSpread {
public:
  // Plays nothing: reads all operations of the timelines. `sites`: of these timelines, asked when
  // all has been read. Another run is as far from the mean as the recorded one: both count.
  RegionSpread(trace::Timelines& timelines, const trace::SiteTable& sites, Deviations deviations = Deviations::of_another_run);

  // A region by what it is, not by its number in one decoding.
  using Region = std::pair<std::vector<trace::Frame>, std::vector<trace::Frame>>;
  // Returns: null: no such region was seen.
  [[nodiscard]] const RegionNoise* noise(int timeline, const Region& region) const;

private:
  std::map<std::pair<int, Region>, RegionNoise> noise_;
};

// The durations of one member, for the numbers of one decoding. Threads: one owner; the sites may grow
// meanwhile, and must outlive it.
class MemberFactors {
public:
  // `member`: from 1; 0: all is as recorded.
  MemberFactors(const RegionSpread* spread, std::uint64_t member, const trace::SiteTable& sites)
      : spread_(member == 0 ? nullptr : spread), member_(member), sites_(sites) {}
  [[nodiscard]] bool any() const { return spread_ != nullptr; }
  // Returns: the member's duration over the recorded one, more than 0. To be called once for each,
  // in their order.
  // Requires: seconds > 0.
  [[nodiscard]] double next(int timeline, std::uint32_t region, double seconds);
  // The same of the sum of so many durations that are alike.
  [[nodiscard]] double next(int timeline, std::uint32_t region, double seconds, std::uint64_t durations);

private:
  // A straight line through the last durations.
  class Level {
  public:
    double after(double seconds, double scatter, double most);

  private:
    double value_ = 0;
    double slope_ = 0; // per duration
    double durations_ = 0;
  };
  struct Known {
    bool looked_up = false;
    RegionNoise noise{};
    Level level;
    std::uint64_t key = 0;   // of the draws
    std::uint64_t count = 0; // durations so far
    double state = 0;        // standard normal, of the last one
    double in_common = 1;    // factor of the block
  };
  void look_up(int timeline, std::uint32_t region, Known& known) const;

  const RegionSpread* spread_;
  std::uint64_t member_;
  const trace::SiteTable& sites_;
  std::vector<std::vector<Known>> known_; // [timeline][region]
};

} // namespace farcast::scenario
