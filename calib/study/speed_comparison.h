// The relative computing power R_P of one node against another, from times of the same work on both.
//
//   R_P(work) = time there / time here: how many times as fast "here" is (Soares16: measured by
//   running the same program, or a benchmark, on each processor).
// Times of kernels or of a program's regions -> R_P of each with its confidence interval, and one
// for all. What a prediction takes is the speed of the virtual cores against those of the recording
// machine: for runs recorded here and a platform of cores as there, 1 / R_P. Invariants: 1. What
// only one of the two has is left out and counted. 2. The interval of the inverse is the inverse.
// Threads: pure functions.
#pragma once

#include "calib/fit/frequency_law.h"
#include "calib/fit/statistics.h"
#include "calib/study/speed_record.h"
#include "predictor/base/result.h"

#include <span>
#include <string>
#include <vector>

namespace farcast::study {

struct Timed {
  std::string key;   // the same on both nodes
  std::string name;  // for people
  std::string group; // kernels: what bounds them
  fit::Estimate seconds;
  std::size_t samples = 0;    // repetitions behind it
  std::vector<double> runs{}; // seconds of each repetition, in which all items were near each other in time; empty: not known
};

struct RelativePower {
  std::string name;
  std::string group;
  fit::Estimate power; // R_P; its interval is 0 to infinity where the repetitions do not tell an error
  double seconds_here = 0.0;
};

struct SpeedComparison {
  std::vector<RelativePower> items;  // in the order of `here`
  std::vector<RelativePower> groups; // of kernels
  fit::Estimate overall;
  double lowest = 0.0; // of the items
  double highest = 0.0;
  std::size_t left_out = 0; // that only one of both has
};

// Work of equal weight: a group is the geometric mean of its items, and overall that of the groups,
// so that neither the machine that is called `here` nor the number of sizes matters. Errors:
// nothing in common.
base::Result<SpeedComparison> compare_kernels(std::span<const Timed> here, std::span<const Timed> there);
// Parts of one program: overall is the ratio of the times of all parts in common. Errors: nothing
// in common.
base::Result<SpeedComparison> compare_parts(std::span<const Timed> here, std::span<const Timed> there);

// What of a record is compared, at its highest frequency: one core alone, or each of all cores of
// the node.
enum class Corunners { alone, full };
std::vector<Timed> times_of(const SpeedRecord& record, Corunners corunners);
// Errors: kernels of different versions, which do different work.
base::Result<void> check_comparable(const SpeedRecord& here, const std::string& here_name, const SpeedRecord& there,
                                    const std::string& there_name);

// The share b of a part's time that the clock rules, from its times at several frequencies, one
// Estimate each. An estimate counts as two samples, a standard error to either side: as far apart
// as its repetitions say. Errors: those of fit::fit_frequency_law.
struct TimeAt {
  double frequency_hz = 0.0;
  fit::Estimate seconds;
};
base::Result<fit::FrequencyLaw> law_of(std::span<const TimeAt> times);

struct FrequencyUse {
  std::string name;
  fit::FrequencyLaw law;
};
// b with its interval, and the speed at each frequency against the highest. Empty without laws.
std::string use_table(std::span<const FrequencyUse> uses, const std::vector<double>& frequencies);

// Returns: "1.234 (1.2 to 1.27)"; "1.234 (interval unknown)".
std::string power_text(const fit::Estimate& power);
// Returns: of the speed of cores "there" against "here", what --relative-speed takes:
// "0.8104:0.7874:0.8333", or without the interval.
std::string option_text(const fit::Estimate& power);
fit::Estimate inverse(const fit::Estimate& power);

} // namespace farcast::study
