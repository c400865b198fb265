#include "predictor/region/speedups.h"

namespace farcast::region {

double Speedups::of(std::uint32_t region) {
  if (region >= known_.size()) known_.resize(region + 1, 0.0);
  double& factor = known_[region];
  if (factor > 0.0) return factor;
  const auto [from, to] = sites_.stacks_of(region);
  factor = 1.0;
  for (const Speedup& one : speedups_) {
    if (one.at.contains(from.front()) || one.at.contains(to.front())) factor *= one.factor;
  }
  return factor;
}

} // namespace farcast::region
