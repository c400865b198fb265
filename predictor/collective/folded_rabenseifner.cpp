#include "predictor/collective/algorithms.h"
#include "predictor/collective/fold.h"
#include "predictor/collective/halving.h"

namespace farcast::collective {

namespace {

// Whole buffers of each extra pair become one; then halving over growing distances in blocks of one survivor.
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

} // namespace

void folded_rabenseifner_allreduce(Place at, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::odd);
  const std::vector<Halving> halvings = reduce_folded(fold, bytes, out);
  for (auto halving = halvings.rbegin(); halving != halvings.rend(); ++halving)
    exchange(out, halving->peer, halving->kept, halving->peer, halving->given);
  if (!fold.paired()) return;
  if (fold.survives())
    send(out, fold.partner(), bytes);
  else
    receive(out, fold.partner(), bytes);
}

// A root that sat out takes the place of rank 0, which hands it its block before the gather.
void folded_rabenseifner_reduce(Place at, int root, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::even);
  const Fold root_fold(Place{root, at.size}, Fold::Keeps::even);
  const bool swapped = !root_fold.survives();
  const int top = swapped ? 0 : root_fold.virtual_rank();
  std::vector<Halving> halvings = reduce_folded(fold, bytes, out);
  int rank = fold.survives() ? fold.virtual_rank() : -1;
  if (swapped && (at.rank == 0 || at.rank == root)) {
    const Fold first(Place{0, at.size}, Fold::Keeps::even);
    const double block = Blocks::even(bytes, fold.power()).size(0);
    if (at.rank == 0) return send(out, root, block);
    receive(out, 0, block);
    rank = 0;
    // Rank 0 always kept the low half.
    const Blocks blocks = Blocks::even(bytes, fold.power());
    for (int bit = 1; bit < fold.power(); bit *= 2) {
      const int half = fold.power() / bit / 2;
      halvings.push_back({first.rank_of(bit), blocks.sum(0, half), blocks.sum(half, 2 * half)});
    }
  }
  for (; !halvings.empty(); halvings.pop_back()) {
    const Halving& halving = halvings.back();
    const int bit = 1 << (halvings.size() - 1);
    const int peer = swapped && (rank ^ bit) == 0 ? root : halving.peer;
    if (((rank ^ top) & bit) != 0) return send(out, peer, halving.kept);
    receive(out, peer, halving.given);
  }
}

} // namespace farcast::collective
