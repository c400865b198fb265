// What kept ranks from their end, or a call from being played as the program meant it, as data.
// report/sentences.h makes words.
#pragma once

#include "predictor/trace/operation.h"

#include <compare>
#include <cstdint>
#include <optional>

namespace farcast::sim {

enum class ProblemKind : std::uint8_t {
  deadlock,        // nothing is in flight, and ranks wait: at_s, count of them, threads
  no_bandwidth,    // ranks wait for messages that no link carries: count of them, threads
  blocked,         // one of them: rank, at_s since when, operation, its peers or requests, site
  unfinished,      // the timeline of rank ends at at_s without MPI_Finalize
  no_such_rank,    // a call names peer, as role, and there is no such rank: it was played without it
  bare_collective, // a collective without communicator or arguments: it was played as a local call
  not_a_member,    // a collective of a communicator that the rank is no member of
  mismatch,        // it is another collective than what other members of the communicator call as their count-th
  no_such_member,  // a collective of the communicator names member peer, which is no rank of this run
  more,            // count more of all these, not kept
};

enum class PeerRole : std::uint8_t { destination, source, target };

struct Problem {
  ProblemKind kind{};
  int rank = -1;                       // that it is about; -1: about none, or several
  std::optional<std::uint32_t> site{}; // of the rank's call
  std::uint16_t function = 0;          // of no_such_rank, bare_collective, not_a_member, mismatch: of trace::function_infos()
  trace::OperationKind operation{};    // of blocked
  PeerRole role{};                     // of no_such_rank
  int peer = -1;                       // trace::kUnknownPeer: a source that was never seen
  int receive_peer = -1;               // of a blocked send_receive, whose peer is the destination
  int tag = 0;                         // of blocked
  std::optional<std::uint32_t> communicator{};
  std::uint64_t count = 0; // of a blocked wait: its requests
  std::uint64_t threads = 0;
  int ranks = 0; // of the run
  double at_s = 0.0;

  auto operator<=>(const Problem&) const = default;
};

} // namespace farcast::sim
