#include "predictor/collective/halving.h"

#include "predictor/collective/blocks.h"

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

std::vector<Halving> reduce_folded(const Fold& fold, double bytes, Schedule& out) {
  if (fold.paired()) {
    if (!fold.survives()) {
      send(out, fold.partner(), bytes);
      return {};
    }
    receive(out, fold.partner(), bytes);
    reduce(out, bytes);
  }
  const Blocks blocks = Blocks::even(bytes, fold.power());
  std::vector<Halving> halvings;
  int first = 0;
  for (int bit = 1; bit < fold.power(); bit *= 2) {
    const int half = fold.power() / bit / 2;
    const double low = blocks.sum(first, first + half);
    const double high = blocks.sum(first + half, first + 2 * half);
    const bool keeps_low = (fold.virtual_rank() & bit) == 0;
    const Halving halving{fold.rank_of(fold.virtual_rank() ^ bit), keeps_low ? low : high, keeps_low ? high : low};
    exchange(out, halving.peer, halving.given, halving.peer, halving.kept);
    reduce(out, halving.kept);
    halvings.push_back(halving);
    first += keeps_low ? 0 : half;
  }
  return halvings;
}

} // namespace farcast::collective
