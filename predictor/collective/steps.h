// The vocabulary in which the algorithms are written: append one step, or one exchange, to a rank's
// schedule.
//
// Threads: no shared state; every function appends to the schedule it is given.
#pragma once

#include "predictor/collective/schedule.h"

#include <bit>
#include <cstddef>
#include <vector>

namespace farcast::collective {

// Where a schedule's rank stands in its communicator. Invariant: 0 <= rank < size.
struct Place {
  int rank;
  int size;

  // The rank `distance` places further round the ring; distance may be negative, |distance| <= size.
  [[nodiscard]] int around(int distance) const { return (rank + distance + size) % size; }
};

inline void send(Schedule& out, int peer, double bytes) { out.push_back({StepKind::send, peer, bytes}); }
inline void receive(Schedule& out, int peer, double bytes) { out.push_back({StepKind::receive, peer, bytes}); }
inline void isend(Schedule& out, int peer, double bytes) { out.push_back({StepKind::isend, peer, bytes}); }
inline void ireceive(Schedule& out, int peer, double bytes) { out.push_back({StepKind::ireceive, peer, bytes}); }
inline void wait_all(Schedule& out) { out.push_back({StepKind::wait_all, -1, 0}); }
inline void wait_earlier(Schedule& out) { out.push_back({StepKind::wait_earlier, -1, 0}); }
inline void wait_second(Schedule& out) { out.push_back({StepKind::wait_second, -1, 0}); }
inline void rest(Schedule& out) { out.push_back({StepKind::rest, -1, 0}); }
inline void work(Schedule& out) { out.push_back({StepKind::work, -1, 0}); }

// Local work on nothing takes no time, so it is no step.
inline void reduce(Schedule& out, double bytes) {
  if (bytes > 0) out.push_back({StepKind::reduce, -1, bytes});
}
inline void copy(Schedule& out, double bytes) {
  if (bytes > 0) out.push_back({StepKind::copy, -1, bytes});
}

// A send-receive as Open MPI and MPICH do it: the receive is posted first, so two ranks that
// exchange never block each other.
inline void exchange(Schedule& out, int to, double sent, int from, double received) {
  ireceive(out, from, received);
  send(out, to, sent);
  wait_all(out);
}

// One message between the root and each other rank, in the order 0, 1, ...: the step `at_root` there,
// `elsewhere` at the others. The root waits for what it has only started. `block(rank)`: bytes of
// that rank's message; without `with_empty` there is none of 0.
template <class Block>
void rooted(Place at, int root, StepKind at_root, StepKind elsewhere, bool with_empty, const Block& block, Schedule& out) {
  const std::size_t before = out.size();
  const auto add = [&](StepKind kind, int peer, double bytes) {
    if (with_empty || bytes > 0) out.push_back({kind, peer, bytes});
  };
  if (at.rank != root) return add(elsewhere, root, block(at.rank));
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) add(at_root, peer, block(peer));
  const bool started = at_root == StepKind::isend || at_root == StepKind::ireceive;
  if (started && out.size() > before) wait_all(out);
}

// The bytes of each rank's message where the root alone has the list of them, if anybody.
inline auto listed_or_own(const std::vector<double>* counts, double own) {
  return [counts, own](int rank) { return counts != nullptr ? (*counts)[static_cast<std::size_t>(rank)] : own; };
}

inline int floor_power_of_two(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }
inline bool is_power_of_two(int n) { return std::has_single_bit(static_cast<unsigned>(n)); }

} // namespace farcast::collective
