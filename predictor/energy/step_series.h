// A quantity over time as steps, from changes in any order, in bounded memory.
//
// (time, by how much) ... -> steps from 0 to an end.
// 1. While at most `most` instants have changes, steps stand where the changes are.
// 2. Beyond that, time is cut into at most `most` slices of equal length, twice as long whenever
//    time outgrows them, and each slice has its mean: a change inside a slice counts there for the
//    share of it that is left. The integral over each slice stays what it was, but for rounding.
// Threads: none; one owner.
#pragma once

#include <cstddef>
#include <vector>

namespace farcast::energy {

struct Step { // until the next one's begin
  double begin = 0;
  double value = 0;
};

class StepSeries {
public:
  // Requires: most >= 2; an odd number counts as the even one below.
  explicit StepSeries(std::size_t most);

  // From `time` (s, >= 0) on the quantity is `change` more. Before the first change it is 0.
  void add(double time, double change);

  // Returns: at most `most` steps that cover 0 to `end`, ascending; neighbours differ. Empty where
  // end is not above 0. Changes at the end or later are left out. Requires, once there are slices: no
  // change lies after `end` by more than rounding; otherwise the last step is off.
  [[nodiscard]] std::vector<Step> steps(double end) const;

private:
  struct Change {
    double time;
    double by;
  };
  static std::vector<Change> in_order(std::vector<Change> changes);
  void compact();
  void add_to_slices(Change change);
  void double_slices();
  [[nodiscard]] std::vector<Step> of_changes(double end) const;
  [[nodiscard]] std::vector<Step> of_slices(double end) const;

  std::size_t most_;
  std::vector<Change> changes_; // while they are few
  double slice_s_ = 0;          // 0: there are no slices yet
  std::vector<double> slices_;  // [slice] by how much its mean is above that of the one before; one more than there are
  double sum_ = 0;              // of all changes, and of their times' products with them: the integral until an
  double moment_ = 0;           // end inside a slice is end * sum_ - moment_
};

// Returns: the integral of the steps from 0 to `end`.
double integral_of(const std::vector<Step>& steps, double end);

} // namespace farcast::energy
