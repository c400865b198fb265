#include "predictor/collective/algorithms.h"
#include "predictor/collective/fold.h"

namespace farcast::collective {

// Windows of virtual ranks are ranges of ranks, so the blocks of a pair that was folded into one travel together.
void recursive_halving_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  const Fold fold(at, Fold::Keeps::odd);
  if (!fold.survives()) {
    send(out, fold.partner(), blocks.total());
    receive(out, fold.partner(), blocks.size(at.rank));
    return;
  }
  if (fold.paired()) {
    receive(out, fold.partner(), blocks.total());
    reduce(out, blocks.total());
  }
  const int rank = fold.virtual_rank();
  const auto part = [&](int first, int last) { return blocks.sum(fold.first_rank_of(first), fold.first_rank_of(last)); };
  int first = 0; // the window of virtual ranks whose blocks this rank still works on
  for (int half = fold.power() / 2; half > 0; half /= 2) {
    const double low = part(first, first + half);
    const double high = part(first + half, first + 2 * half);
    const bool keeps_low = (rank & half) == 0;
    const double kept = keeps_low ? low : high;
    const int peer = fold.rank_of(rank ^ half);
    exchange(out, peer, keeps_low ? high : low, peer, kept);
    reduce(out, kept);
    first += keeps_low ? 0 : half;
  }
  if (fold.paired()) send(out, fold.partner(), blocks.size(fold.partner()));
}

} // namespace farcast::collective
