// the neighbourhood collectives: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_neighbor_exchange(int rank, const Neighborhood& neighborhood, Schedule& out) {
  const std::size_t before = out.size();
  const auto bytes = [](const std::vector<double>* counts, std::size_t i, double block) { return counts ? (*counts)[i] : block; };
  double own = 0;
  for (std::size_t i = 0; i < neighborhood.sources.size(); ++i)
    if (const int source = neighborhood.sources[i]; source >= 0 && source != rank)
      ireceive(out, source, bytes(neighborhood.received, i, neighborhood.received_block));
  for (std::size_t i = 0; i < neighborhood.destinations.size(); ++i) {
    const int destination = neighborhood.destinations[i];
    if (destination < 0) continue;
    const double amount = bytes(neighborhood.sent, i, neighborhood.sent_block);
    if (destination == rank)
      own += amount;
    else
      isend(out, destination, amount);
  }
  if (out.size() > before) wait_all(out);
  copy(out, own);
}

} // namespace farcast::collective
