#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out) {
  const std::size_t before = out.size();
  for (int distance = 1; distance < at.size; ++distance) {
    const int from = at.around(distance);
    if (const double bytes = received[static_cast<std::size_t>(from)]; bytes > 0) ireceive(out, from, bytes);
  }
  for (int distance = 1; distance < at.size; ++distance) {
    const int to = at.around(-distance);
    if (const double bytes = sent[static_cast<std::size_t>(to)]; bytes > 0) isend(out, to, bytes);
  }
  if (out.size() > before) wait_all(out);
}

} // namespace farcast::collective
