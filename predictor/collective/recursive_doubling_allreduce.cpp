#include "predictor/collective/algorithms.h"
#include "predictor/collective/fold.h"

namespace farcast::collective {

void recursive_doubling_allreduce(Place at, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::odd);
  if (!fold.survives()) {
    send(out, fold.partner(), bytes);
    receive(out, fold.partner(), bytes);
    return;
  }
  if (fold.paired()) {
    receive(out, fold.partner(), bytes);
    reduce(out, bytes);
  }
  for (int bit = 1; bit < fold.power(); bit *= 2) {
    const int peer = fold.rank_of(fold.virtual_rank() ^ bit);
    exchange(out, peer, bytes, peer, bytes);
    reduce(out, bytes);
  }
  if (fold.paired()) send(out, fold.partner(), bytes);
}

} // namespace farcast::collective
