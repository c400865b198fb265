#include "predictor/base/difference.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace farcast::base {

std::optional<Interval> interval_of_difference(double figure, const std::vector<double>& members, double other,
                                               const std::vector<double>& others) {
  if (members.size() != others.size() || !(figure > 0) || !(other > 0)) return {};
  std::vector<double> ratios;
  ratios.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!(members[i] > 0) || !(others[i] > 0) || !std::isfinite(members[i]) || !std::isfinite(others[i])) return {};
    ratios.push_back(std::log(members[i] / others[i]));
  }
  const std::optional<Interval> ninety = estimate_of(std::log(figure / other), std::move(ratios)).ninety;
  if (!ninety) return {};
  const double difference = figure - other;
  return Interval{std::min(difference, other * std::expm1(ninety->low)), std::max(difference, other * std::expm1(ninety->high))};
}

} // namespace farcast::base
