#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void ring_allgather(Place at, const Blocks& blocks, Schedule& out) { ring_allgather_phase(at, blocks, 0, out); }

} // namespace farcast::collective
