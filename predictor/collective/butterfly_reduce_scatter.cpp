#include "predictor/collective/algorithms.h"
#include "predictor/collective/fold.h"

namespace farcast::collective {

namespace {

int mirrored(int number, int power) {
  int mirror = 0;
  for (int bit = 1, image = power / 2; bit < power; bit *= 2, image /= 2)
    if ((number & bit) != 0) mirror |= image;
  return mirror;
}

} // namespace

// Halving over growing distances, so that the order of the ranks is kept, leaves virtual rank v with the blocks of the virtual
// rank whose bits are v's mirrored; a last round sends them home. (Traeff 2005)
void butterfly_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  const Fold fold(at, Fold::Keeps::odd);
  const double own = blocks.size(at.rank);
  if (!fold.survives()) {
    send(out, fold.partner(), blocks.total());
    receive(out, fold.rank_of(mirrored(at.rank / 2, fold.power())), own);
    return;
  }
  if (fold.paired()) {
    receive(out, fold.partner(), blocks.total());
    reduce(out, blocks.total());
  }
  const int rank = fold.virtual_rank();
  const auto part = [&](int first, int last) { return blocks.sum(fold.first_rank_of(first), fold.first_rank_of(last)); };
  int first = 0; // the window of virtual ranks whose blocks this rank still works on
  for (int bit = 1; bit < fold.power(); bit *= 2) {
    const int half = fold.power() / bit / 2;
    const double low = part(first, first + half);
    const double high = part(first + half, first + 2 * half);
    const bool keeps_low = (rank & bit) == 0;
    const int peer = fold.rank_of(rank ^ bit);
    exchange(out, peer, keeps_low ? high : low, peer, keeps_low ? low : high);
    reduce(out, keeps_low ? low : high);
    first += keeps_low ? 0 : half;
  }
  const int home = fold.rank_of(first); // first == mirrored(rank)
  const int home_pair = fold.first_rank_of(first);
  if (home_pair != home) send(out, home_pair, blocks.size(home_pair));
  if (home != at.rank) exchange(out, home, blocks.size(home), home, own);
}

} // namespace farcast::collective
