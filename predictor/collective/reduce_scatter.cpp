// MPI_Reduce_scatter and MPI_Reduce_scatter_block: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"
#include "predictor/collective/doubling.h"
#include "predictor/collective/fold.h"

#include <algorithm>

namespace farcast::collective {

namespace {

int mirrored(int number, int power) {
  int mirror = 0;
  for (int bit = 1, image = power / 2; bit < power; bit *= 2, image /= 2)
    if ((number & bit) != 0) mirror |= image;
  return mirror;
}

// Halving among the survivors of a fold. Windows of virtual ranks are ranges of ranks, so the
// blocks of a pair that was folded into one travel together.
class BlockHalving {
public:
  BlockHalving(Place at, const Blocks& blocks, Schedule& out)
      : fold_(at, Fold::Keeps::odd), own_(blocks.size(at.rank)), blocks_(blocks), out_(out) {}

  [[nodiscard]] const Fold& fold() const { return fold_; }
  [[nodiscard]] int first() const { return first_; } // of the window of virtual ranks whose blocks this rank still works on

  // Brings the data of each pair together. `home`: who sends a rank that sits out its block.
  // Returns: this rank goes on.
  template <class Home> bool begin(Home home) {
    if (!fold_.survives()) {
      send(out_, fold_.partner(), blocks_.total());
      receive(out_, home(), own_);
      return false;
    }
    if (fold_.paired()) {
      receive(out_, fold_.partner(), blocks_.total());
      reduce(out_, blocks_.total());
    }
    return true;
  }
  // Keeps that half of the window, of `half` virtual ranks each, that the rank's `bit` names; the
  // peer gets the other one.
  void keep_half(int half, int bit) {
    const double low = part(first_, first_ + half);
    const double high = part(first_ + half, first_ + 2 * half);
    const bool keeps_low = (fold_.virtual_rank() & bit) == 0;
    const double kept = keeps_low ? low : high;
    const int peer = fold_.rank_of(fold_.virtual_rank() ^ bit);
    exchange(out_, peer, keeps_low ? high : low, peer, kept);
    reduce(out_, kept);
    first_ += keeps_low ? 0 : half;
  }

private:
  [[nodiscard]] double part(int first, int last) const {
    return blocks_.sum(fold_.first_rank_of(first), fold_.first_rank_of(last));
  }

  Fold fold_;
  double own_;
  const Blocks& blocks_;
  Schedule& out_;
  int first_ = 0;
};

} // namespace

void recursive_halving_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  BlockHalving halving(at, blocks, out);
  const Fold& fold = halving.fold();
  if (!halving.begin([&] { return fold.partner(); })) return;
  for (int half = fold.power() / 2; half > 0; half /= 2) halving.keep_half(half, half);
  if (fold.paired()) send(out, fold.partner(), blocks.size(fold.partner()));
}

void ring_reduce_scatter_phase(Place at, const Blocks& blocks, int first, Schedule& out) {
  if (at.size == 1) return;
  const int left = at.around(-1);
  const int right = at.around(1);
  const auto block = [&](int step) { return blocks.size((at.rank - first - step + 2 * at.size) % at.size); }; // sent in this step
  ireceive(out, left, block(1));
  send(out, right, block(0));
  // Double buffering: the next block comes in while this one is reduced.
  for (int step = 1; step < at.size; ++step) {
    wait_all(out);
    if (step + 1 < at.size) ireceive(out, left, block(step + 1));
    reduce(out, block(step));
    if (step + 1 < at.size) send(out, right, block(step));
  }
}

void ring_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) { ring_reduce_scatter_phase(at, blocks, 1, out); }

void linear_scatter_blocks(Place at, const Blocks& blocks, Schedule& out) {
  rooted(
      at, 0, StepKind::send, StepKind::receive, false, [&](int rank) { return blocks.size(rank); }, out);
}

void linear_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  linear_reduce(at, 0, blocks.total(), out);
  linear_scatter_blocks(at, blocks, out);
}

void pairwise_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  const double own = blocks.size(at.rank);
  for (int distance = 1; distance < at.size; ++distance) {
    exchange(out, at.around(distance), blocks.size(at.around(distance)), at.around(-distance), own);
    reduce(out, own);
  }
}

// Before the round at distance `bit` a rank holds, reduced over its subtree, the blocks of its
// subtree; it is sent the rest of what it needs: all blocks but those of the peer's subtree travel
// to the peer's peer.
void recursive_doubling_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  const auto without = [&](int first, int ranks) {
    return blocks.total() - (first < at.size ? blocks.sum(first, std::min(first + ranks, at.size)) : 0);
  };
  for (int bit = 1; bit < at.size; bit *= 2) {
    const int base = at.rank / bit * bit;
    const double own = without(base, bit);         // what this rank has no more use for after this round
    const double other = without(base ^ bit, bit); // what it is sent
    const bool got = doubling_round(
        at.rank, at.size, bit, [&](int peer) { exchange(out, peer, own, peer, other); },
        [&](int peer) { send(out, peer, other); }, [&](int peer) { receive(out, peer, other); });
    if (got) reduce(out, other);
  }
}

// Halving over growing distances, so that the order of the ranks is kept, leaves virtual rank v
// with the blocks of the virtual rank whose bits are v's mirrored; a last round sends them home.
// (Traeff 2005)
void butterfly_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  BlockHalving halving(at, blocks, out);
  const Fold& fold = halving.fold();
  if (!halving.begin([&] { return fold.rank_of(mirrored(at.rank / 2, fold.power())); })) return;
  for (int bit = 1; bit < fold.power(); bit *= 2) halving.keep_half(fold.power() / bit / 2, bit);
  const int first = halving.first(); // == mirrored(rank)
  const double own = blocks.size(at.rank);
  const int home = fold.rank_of(first);
  const int home_pair = fold.first_rank_of(first);
  if (home_pair != home) send(out, home_pair, blocks.size(home_pair));
  if (home != at.rank) exchange(out, home, blocks.size(home), home, own);
}

// Blocks lie in the order of the mirrored bits of their ranks, so that halving over growing
// distances ends with each rank's own block and keeps the order of the ranks in every reduction.
void mirrored_halving_reduce_scatter(Place at, double block, Schedule& out) {
  if (at.size > 1) copy(out, block * at.size); // put into that order
  double half = block * at.size / 2;
  for (int bit = 1; bit < at.size; bit *= 2, half /= 2) {
    exchange(out, at.rank ^ bit, half, at.rank ^ bit, half);
    reduce(out, half);
  }
}

} // namespace farcast::collective
