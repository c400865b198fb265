// MPI_Alltoallv and MPI_Alltoallw: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

void pairwise_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out) {
  for (int distance = 1; distance < at.size; ++distance) {
    const int to = at.around(distance);
    const int from = at.around(-distance);
    exchange(out, to, sent[static_cast<std::size_t>(to)], from, received[static_cast<std::size_t>(from)]);
  }
}

void linear_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out) {
  const std::size_t before = out.size();
  const auto given = [&](int peer, const std::vector<double>& blocks) {
    return peer == at.rank ? 0 : blocks[static_cast<std::size_t>(peer)];
  };
  for (int from = 0; from < at.size; ++from)
    if (const double bytes = given(from, received); bytes > 0) ireceive(out, from, bytes);
  for (int to = 0; to < at.size; ++to)
    if (const double bytes = given(to, sent); bytes > 0) isend(out, to, bytes);
  if (out.size() > before) wait_all(out);
}

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

void replacing_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out) {
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != at.rank)
      exchange(out, peer, sent[static_cast<std::size_t>(peer)], peer, received[static_cast<std::size_t>(peer)]);
}

void in_place_alltoallv(Place at, const std::vector<double>& blocks, bool left_first, Schedule& out) {
  const auto block = [&](int peer) { return blocks[static_cast<std::size_t>(peer)]; };
  for (int distance = 1; distance <= at.size / 2; ++distance) {
    const int right = at.around(distance);
    const int left = at.around(-distance);
    copy(out, block(right));
    const int first = left_first ? left : right;
    const int second = left_first ? right : left;
    exchange(out, first, block(first), second, block(second));
    if (left != right) exchange(out, second, block(second), first, block(first));
  }
}

} // namespace farcast::collective
