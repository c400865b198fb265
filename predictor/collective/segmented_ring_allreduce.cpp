#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// As the ring, but the reduce-scatter goes round once per segment, so that large blocks are reduced in pieces that fit a cache.
// The pieces of a block are equal to a byte, as in Open MPI; `segment` bounds their size.
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

} // namespace farcast::collective
