// A figure and how sure it is.
//
// An ensemble plays the same question with other draws of what is not known. The figure itself is not
// one of them: it stays what it is, and they tell how far it may be off. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace farcast::base {

struct Interval { // in the unit of the figure
  double low = 0.0;
  double high = 0.0;
};

// Invariant: the interval holds the value.
struct Estimate {
  double value = 0.0;
  std::optional<Interval> ninety; // holds in 90 % of cases what the figure is of; unset: too few members to say
  std::size_t samples = 0;        // members that it rests on
};

inline constexpr std::size_t kFewestMembers = 20; // for an interval: below, its ends hang on single draws

// `members`: the figure by each member of the ensemble. Returns: the value with the 5 % and 95 % points
// of what members are off their mean, put around the value: at (N + 1) p of N in order, which holds
// the next one with that probability whatever the distribution (David and Nagaraja, Order Statistics,
// 2003, 2.5).
Estimate estimate_of(double value, std::vector<double> members);

} // namespace farcast::base
