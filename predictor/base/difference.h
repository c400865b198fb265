// How far two figures are apart that have the same draws, and how sure that is.
//
// Members of both figures -> the interval of their ratio, member by member: what makes both as many
// times larger (a disturbed recording, a slower machine) is not in it, as it would be in that of
// their difference, and the second figure as it stands turns ratios into differences. Ratios are
// taken in logarithms, so that the ratio of the first to the second is as sure as that of the
// second to the first, and none falls below 0. Pure functions, any thread.
#pragma once

#include "predictor/base/estimate.h"

#include <optional>
#include <vector>

namespace farcast::base {

// `members`, `others`: [member] what it makes of `figure` and of `other`.
// Returns: the 90 % interval of figure - other, in their unit; holds it. Unset: too few members, or
// not as many of both, or something is not above 0.
std::optional<Interval> interval_of_difference(double figure, const std::vector<double>& members, double other,
                                               const std::vector<double>& others);

} // namespace farcast::base
