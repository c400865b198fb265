#include "predictor/collective/algorithms.h"
#include "predictor/collective/halving.h"

namespace farcast::collective {

void rabenseifner_allreduce(Place at, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::even);
  const std::vector<Halving> halvings = reduce_by_halving(fold, bytes, out);
  // Allgather by recursive doubling: the same exchanges backwards, with the halves swapped.
  for (auto halving = halvings.rbegin(); halving != halvings.rend(); ++halving)
    exchange(out, halving->peer, halving->kept, halving->peer, halving->given);
  if (!fold.paired()) return;
  if (fold.survives())
    send(out, fold.partner(), bytes);
  else
    receive(out, fold.partner(), bytes);
}

} // namespace farcast::collective
