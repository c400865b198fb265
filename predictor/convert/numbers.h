// Names of one run in formats that know less than MPI: tags without communicators, communicators as
// small numbers.
//
// In: what operations say; out: numbers that all ranks agree on. Threads: one; ranks are converted
// one after another.
#pragma once

#include "predictor/trace/operation.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace farcast::convert {

// Returns: a figure of a record that may be damaged, or 0.
inline double whole(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

// (communicator, tag) -> a tag of a format with one space of tags. Those of MPI_COMM_WORLD below
// kOwnTags stay what they are.
class TagNumbers {
public:
  static constexpr int kOwnTags = 1 << 20;
  static constexpr int kCollectiveTags = 1 << 30;
  int user(const trace::Communicator* communicator, bool world, int tag) {
    if (world && tag >= 0 && tag < kOwnTags) return tag;
    const auto [at, fresh] = numbers_.try_emplace({communicator == nullptr ? 0 : communicator->id, tag}, next_);
    if (fresh) ++next_;
    return at->second;
  }
  // Messages inside the ordinal-th collective of a communicator: calls that overlap are kept apart.
  static int collective(std::uint32_t communicator, std::uint32_t ordinal) {
    return kCollectiveTags + static_cast<int>((communicator & 0x3fffU) << 16U | (ordinal & 0xffffU));
  }

private:
  std::map<std::pair<std::uint32_t, int>, int> numbers_;
  int next_ = kOwnTags;
};

// Communicators in their order of appearance, from 1.
class CommunicatorNumbers {
public:
  explicit CommunicatorNumbers(int ranks) : ranks_(ranks) {}
  std::uint32_t number(const trace::Communicator& communicator) {
    return numbers_.try_emplace(communicator.id, static_cast<std::uint32_t>(numbers_.size()) + 1).first->second;
  }
  // Returns: whether its members are all ranks in their order.
  bool everyone(const trace::Communicator& communicator);
  // Returns: whether it is MPI_COMM_WORLD itself: the first of those.
  bool world(const trace::Communicator& communicator) {
    if (!everyone(communicator)) return false;
    if (world_ == kNone) world_ = communicator.id;
    return world_ == communicator.id;
  }

private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  int ranks_;
  std::uint32_t world_ = kNone;
  std::map<std::uint32_t, std::uint32_t> numbers_;
  std::map<const trace::Communicator*, bool> everyone_;
};

// Returns: the communicator rank of a world rank; -1: no member.
int rank_in(const std::vector<int>& members, int world_rank);

// Returns: the world rank of a peer in a collective's schedule, where ranks from the group's size on
// are the remote group's; -1: nobody.
int peer_in(const trace::Communicator& communicator, int peer);

// Returns: "0-7 9 16-30:2".
std::string ranges(const std::vector<int>& ranks);

} // namespace farcast::convert
