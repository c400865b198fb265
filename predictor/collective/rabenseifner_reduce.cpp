#include "predictor/collective/algorithms.h"
#include "predictor/collective/halving.h"

namespace farcast::collective {

// The gather runs towards the virtual rank of the root: across each bit, the rank on the root's side receives. A root that sat
// out is sent the result by its partner. (Open MPI lets the root change places with its partner; the messages are as many, and as
// large but for that last one.)
void rabenseifner_reduce(Place at, int root, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::even);
  const Fold root_fold(Place{root, at.size}, Fold::Keeps::even);
  const int top = root_fold.survives() ? root : root_fold.partner();
  const int top_virtual = Fold(Place{top, at.size}, Fold::Keeps::even).virtual_rank();
  std::vector<Halving> halvings = reduce_by_halving(fold, bytes, out);
  for (; !halvings.empty(); halvings.pop_back()) {
    const Halving& halving = halvings.back();
    const int bit = 1 << (halvings.size() - 1);
    if (((fold.virtual_rank() ^ top_virtual) & bit) != 0) {
      send(out, halving.peer, halving.kept);
      break;
    }
    receive(out, halving.peer, halving.given);
  }
  if (top == root) return;
  if (at.rank == top)
    send(out, root, bytes);
  else if (at.rank == root)
    receive(out, top, bytes);
}

} // namespace farcast::collective
