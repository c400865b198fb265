#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_scatterv(Place at, int root, double own, const std::vector<double>* counts, Schedule& out) {
  if (at.rank != root) {
    receive(out, root, own);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) send(out, peer, counts ? (*counts)[static_cast<std::size_t>(peer)] : own);
}

} // namespace farcast::collective
