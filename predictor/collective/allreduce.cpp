// MPI_Allreduce: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"
#include "predictor/collective/fold.h"
#include "predictor/collective/halving.h"

namespace farcast::collective {

namespace {

// Allgather by recursive doubling: the exchanges of the halving backwards, with the halves swapped;
// then those that sat out are sent the result.
void gather_halves(const Fold& fold, const std::vector<Halving>& halvings, double bytes, Schedule& out) {
  for (auto halving = halvings.rbegin(); halving != halvings.rend(); ++halving)
    exchange(out, halving->peer, halving->kept, halving->peer, halving->given);
  if (!fold.paired()) return;
  if (fold.survives())
    send(out, fold.partner(), bytes);
  else
    receive(out, fold.partner(), bytes);
}

} // namespace

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

void ring_allreduce(Place at, double bytes, Schedule& out) {
  const Blocks blocks = Blocks::even(bytes, at.size);
  ring_reduce_scatter_phase(at, blocks, 0, out);
  ring_allgather_phase(at, blocks, 1, out);
}

// As the ring, but the reduce-scatter goes round once per segment, so that large blocks are reduced
// in pieces that fit a cache. The pieces of a block are equal to a byte, as in Open MPI; `segment`
// bounds their size.
void segmented_ring_allreduce(Place at, double bytes, double segment, Schedule& out) {
  const Blocks blocks = Blocks::even(bytes, at.size);
  const int phases = Blocks::segments(blocks.size(0), segment).count();
  for (int phase = 0; phase < phases; ++phase) {
    std::vector<double> pieces;
    pieces.reserve(static_cast<std::size_t>(at.size));
    for (int block = 0; block < at.size; ++block) pieces.push_back(Blocks::even(blocks.size(block), phases).size(phase));
    ring_reduce_scatter_phase(at, Blocks::listed(pieces), 0, out);
  }
  ring_allgather_phase(at, blocks, 1, out);
}

void rabenseifner_allreduce(Place at, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::even);
  gather_halves(fold, reduce_by_halving(fold, bytes, out), bytes, out);
}

void folded_rabenseifner_allreduce(Place at, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::odd);
  gather_halves(fold, reduce_folded(fold, bytes, out), bytes, out);
}

} // namespace farcast::collective
