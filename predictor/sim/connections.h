// Which pairs of processes have a connection, and what waits until they have (network/channel_protocol.h: 5).
//
// Each end of a connection is open on its own: the one that was asked as soon as it has answered, the one that asked when it has
// read that. When both ask at a time, the second one's asking is taken for the first one's (Open MPI drops one of the two).
// Threads: none; one owner.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/sim/channel_message.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::sim {

class Connections {
public:
  struct Waiting {
    Fragment fragment;
    double payload;
    bool report_left;
  };
  enum class Answer : std::uint8_t { open, wait, begin };

  // What `waiting` may do: go; wait for its end to be open; or that, and its process begins to connect.
  Answer ask(const Waiting& waiting) {
    const Fragment& fragment = waiting.fragment;
    const auto [pair, made] = pairs_.emplace(key(fragment.from, fragment.to));
    if (pair->open[end(fragment.from, fragment.to)]) return Answer::open;
    if (made) pair->waiting = static_cast<std::uint32_t>(lists_.size());
    if (made) lists_.emplace_back();
    lists_[pair->waiting].push_back(waiting);
    return made ? Answer::begin : Answer::wait;
  }
  // The process's end towards its peer is open. Returns: what has waited for that, in its order.
  std::vector<Waiting> open(std::uint32_t rank, std::uint32_t peer) {
    Pair& pair = *pairs_.find(key(rank, peer));
    pair.open[end(rank, peer)] = true;
    std::vector<Waiting>& list = lists_[pair.waiting];
    const auto others =
        std::stable_partition(list.begin(), list.end(), [rank](const Waiting& one) { return one.fragment.from != rank; });
    std::vector<Waiting> out(others, list.end());
    list.erase(others, list.end());
    return out;
  }

private:
  struct Pair {
    std::array<bool, 2> open{}; // [end]: of the lower rank, of the higher one
    std::uint32_t waiting = 0;  // index into lists_
  };
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  }
  static std::size_t end(std::uint32_t rank, std::uint32_t peer) { return rank < peer ? 0 : 1; }

  base::FlatMap<std::uint64_t, Pair> pairs_;
  std::vector<std::vector<Waiting>> lists_;
};

} // namespace farcast::sim
