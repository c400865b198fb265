#include "predictor/base/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace farcast::base {

namespace {

// Requires: in order, at least one. Returns: the point at (N + 1) p, between its neighbours in a
// straight line.
double point_at(const std::vector<double>& ordered, double p) {
  const double last = static_cast<double>(ordered.size() - 1);
  const double place = std::clamp((static_cast<double>(ordered.size()) + 1) * p - 1, 0.0, last);
  const double below = std::floor(place);
  const auto index = static_cast<std::size_t>(below);
  if (index + 1 >= ordered.size()) return ordered.back();
  return ordered[index] + (place - below) * (ordered[index + 1] - ordered[index]);
}

} // namespace

Estimate estimate_of(double value, std::vector<double> members) {
  Estimate out;
  out.value = value;
  out.samples = members.size();
  if (members.size() < kFewestMembers) return out;
  std::sort(members.begin(), members.end());
  const double middle = std::accumulate(members.begin(), members.end(), 0.0) / static_cast<double>(members.size());
  out.ninety = Interval{std::min(value, value + point_at(members, 0.05) - middle),
                        std::max(value, value + point_at(members, 0.95) - middle)};
  return out;
}

} // namespace farcast::base
