#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void ring_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) { ring_reduce_scatter_phase(at, blocks, 1, out); }

} // namespace farcast::collective
