// What a collective call costs by a closed formula, instead of its messages: the second, faster
// choice (`--collectives closed-form`).
//
// In: the call as one rank sees it, the algorithm that the library would take, one wire; out:
// seconds. Each algorithm has the formula of its critical path, as Thakur, Rabenseifner and Gropp
// 2005 (Thakur05) give it, summed over the sizes of its messages, for T(n) depends on the section
// of the factors that n falls into. Their gamma, the reduction's time per byte, is 0 as in the
// engine. Ignored: contention of different ranks' messages, differences between routes, node-aware
// compositions (the library's choice for one rank per node is taken), and who within the call was
// late by how much. What the messages of one rank share, its own link, counts. Logarithms are of
// base 2, rounded up where Thakur05 says so.
// Threads: none shared; a function of its arguments.
#pragma once

#include "predictor/collective/schedule.h"
#include "predictor/platform/platform.h"

#include <optional>

namespace farcast::collective {

// An uncontended message between two members.
// T(n) = os(n) + LF(s) * latency + s / (BF(s) * bandwidth) + or(n), s = n + envelope; the overheads
// only when it is detached.
struct Wire {
  const platform::PointToPoint* p2p = nullptr;
  double latency_s = 0;
  double bandwidth = 0; // bytes per second, the TCP window's limit included

  [[nodiscard]] double message_s(double bytes) const;
  [[nodiscard]] double link_s(double bytes) const; // the term in the bandwidth alone
  [[nodiscard]] double send_s(double bytes) const; // until the sender may go on: os(n) when detached, else T(n)
};

// Who waits for whom.
enum class Flow : std::uint8_t {
  everyone,  // all end after the last has entered: barrier, all* and reduce_scatter kinds
  from_root, // all end after the root has entered: bcast, scatter
  to_root,   // the root ends after the last has entered; others do not wait: reduce, gather
  upwards,   // after all lower ranks have entered: scan, exscan
};

struct Cost {
  Flow flow = Flow::everyone;
  double seconds = 0; // from the last entry that a rank waits for to its end
  double alone = 0;   // of a rank that waits for nobody: the root of from_root, the others of to_root
};

// Requires: 0 <= rank < size. With lists of counts each rank knows its own part: the cost of the
// call is the largest of its ranks'. Returns: nothing for neighbourhood kinds, which have no
// formula.
std::optional<Cost> closed_form(const trace::Collective& collective, int rank, int size, const Context& context,
                                const Wire& wire);

} // namespace farcast::collective
