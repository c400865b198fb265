#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_gatherv(Place at, int root, double own, const std::vector<double>* counts, Schedule& out) {
  if (at.rank != root) {
    send(out, root, own);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) ireceive(out, peer, counts ? (*counts)[static_cast<std::size_t>(peer)] : own);
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
