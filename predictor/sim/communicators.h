// What the engine keeps per communicator: each member's rank in it, and how many collectives each
// member has called.
//
// The n-th collective call of every member on a communicator belongs together (MPI 4.0 section
// 6.1); calls that do not agree in kind are reported once.
// Threads: none; one owner.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/collective/closed_form.h"
#include "predictor/collective/node_layout.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace farcast::sim {

class Communicators {
public:
  struct Entry {
    std::shared_ptr<const trace::Communicator> communicator; // kept: its address is the key
    std::unordered_map<int, std::uint32_t> rank_of;          // world rank -> rank; empty when they are equal
    std::vector<std::uint32_t> calls;                        // [rank]
    std::shared_ptr<const collective::NodeLayout> nodes;     // made when a node-aware library first asks
    std::optional<collective::Wire> wire;                    // made when a closed formula first asks
  };
  enum class Agreement : std::uint8_t { agrees, disagrees, already_reported };

  Entry& of(const std::shared_ptr<const trace::Communicator>& communicator);
  // Returns: the rank of a world rank in the communicator's own group; -1 when it is no member.
  static int rank_in(const Entry& entry, std::uint32_t world_rank);
  // Notes that a member enters collective `sequence` with `kind`. Returns: whether that agrees with
  // who entered it first.
  Agreement enter(const Entry& entry, std::uint32_t sequence, trace::CollectiveKind kind);
  // Of one in which members also work (trace::Collective::works): a member enters it that spent
  // `measured_s` in the call, waiting included.
  void add_work(const Entry& entry, std::uint32_t sequence, double measured_s);
  // A member has done its part of such a call. Returns: seconds that each one worked: what the
  // member spent that waited least.
  double take_work(const Entry& entry, std::uint32_t sequence);

private:
  struct Call {
    trace::CollectiveKind kind = trace::CollectiveKind::barrier;
    std::uint32_t entered = 0;
    bool reported = false;
  };
  struct Work {
    double least_s = 0;
    std::uint32_t taken = 0; // by so many members
  };
  void drop_unused();

  std::unordered_map<const trace::Communicator*, Entry> entries_;
  std::size_t drop_at_ = 1024;
  base::FlatMap<std::uint64_t, Call> calls_; // id << 32 | sequence, until all members have entered
  base::FlatMap<std::uint64_t, Work> works_; // the same, until all have taken it
};

} // namespace farcast::sim
