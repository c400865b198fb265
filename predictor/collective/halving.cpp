#include "predictor/collective/halving.h"

#include <cmath>

namespace farcast::collective {

std::vector<Halving> reduce_by_halving(const Fold& fold, double bytes, Schedule& out) {
  if (fold.paired()) {
    const int partner = fold.partner();
    const double left = std::floor(bytes / 2);
    const double right = bytes - left;
    if (!fold.survives()) {
      exchange(out, partner, left, partner, right);
      reduce(out, right);
      send(out, partner, right);
      return {};
    }
    exchange(out, partner, right, partner, left);
    reduce(out, left);
    receive(out, partner, right);
  }
  std::vector<Halving> halvings;
  double window = bytes;
  const int rank = fold.virtual_rank();
  for (int bit = 1; bit < fold.power(); bit *= 2) {
    const double left = std::floor(window / 2);
    const double right = window - left;
    const bool keeps_left = (rank & bit) == 0;
    const Halving halving{fold.rank_of(rank ^ bit), keeps_left ? left : right, keeps_left ? right : left};
    exchange(out, halving.peer, halving.given, halving.peer, halving.kept);
    reduce(out, halving.kept);
    window = halving.kept;
    halvings.push_back(halving);
  }
  return halvings;
}

} // namespace farcast::collective
