#include "predictor/collective/algorithms.h"
#include "predictor/collective/doubling.h"

#include <algorithm>

namespace farcast::collective {

void scatter_doubling_allgather_bcast(Place at, int root, double bytes, Schedule& out) {
  const Blocks blocks = Blocks::ceiling(bytes, at.size);
  binomial_scatter_phase(at, root, blocks, out);
  const int relative = at.around(-root);
  const auto real = [&](int rank) { return (rank + root) % at.size; };
  const auto part = [&](int first, int ranks) { return blocks.sum(first, std::min(first + ranks, at.size)); };
  for (int bit = 1; bit < at.size; bit *= 2) {
    const double own = part(relative / bit * bit, bit);
    const int other_base = relative / bit * bit ^ bit;
    const double other = other_base < at.size ? part(other_base, bit) : 0;
    doubling_round(
        relative, at.size, bit, [&](int peer) { exchange(out, real(peer), own, real(peer), other); },
        [&](int peer) { send(out, real(peer), other); }, [&](int peer) { receive(out, real(peer), other); });
  }
}

} // namespace farcast::collective
