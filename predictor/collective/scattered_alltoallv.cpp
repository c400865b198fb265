#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

void scattered_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, int throttle,
                         Schedule& out) {
  for (int first = 0; first < at.size; first += throttle) {
    const int last = std::min(first + throttle, at.size);
    const std::size_t before = out.size();
    for (int distance = std::max(first, 1); distance < last; ++distance) {
      const int from = at.around(distance);
      if (const double bytes = received[static_cast<std::size_t>(from)]; bytes > 0) ireceive(out, from, bytes);
    }
    for (int distance = std::max(first, 1); distance < last; ++distance) {
      const int to = at.around(-distance);
      if (const double bytes = sent[static_cast<std::size_t>(to)]; bytes > 0) isend(out, to, bytes);
    }
    if (out.size() > before) wait_all(out);
  }
}

} // namespace farcast::collective
