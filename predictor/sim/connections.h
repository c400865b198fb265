// Which pairs of processes have a connection, and what waits until they have
// (network/channel_protocol.h: 5).
//
// Each end of a connection is open on its own: the one that was asked as soon as it has answered,
// the one that asked when it has read that. When both ask at a time, the second one's asking is
// taken for the first one's (Open MPI drops one of the two).
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
  struct Held {
    Fragment fragment;
    double payload;
    bool report_left;
  };
  struct Waiting {
    std::vector<Held> fragments;         // in their order
    std::vector<std::uint32_t> requests; // of calls that wait until they are written
  };
  enum class Answer : std::uint8_t { open, wait, begin };

  // What the fragment may do: go; wait for its end to be open; or that, and its process begins to
  // connect.
  Answer ask(const Held& held) {
    const Fragment& fragment = held.fragment;
    const auto [pair, made] = pairs_.emplace(key(fragment.from, fragment.to));
    const std::size_t end = end_of(fragment.from, fragment.to);
    if (pair->open[end]) return Answer::open;
    if (made) {
      pair->ends = static_cast<std::uint32_t>(ends_.size());
      ends_.emplace_back();
    }
    ends_[pair->ends][end].fragments.push_back(held);
    return made ? Answer::begin : Answer::wait;
  }
  [[nodiscard]] bool is_open(std::uint32_t rank, std::uint32_t peer) {
    const Pair* const pair = pairs_.find(key(rank, peer));
    return pair != nullptr && pair->open[end_of(rank, peer)];
  }
  // The request waits for the process's end. Requires: a fragment waits for it too.
  void wait(std::uint32_t rank, std::uint32_t peer, std::uint32_t request) {
    ends_[pairs_.find(key(rank, peer))->ends][end_of(rank, peer)].requests.push_back(request);
  }
  // The process's end towards its peer is open. Returns: what has waited for that.
  Waiting open(std::uint32_t rank, std::uint32_t peer) {
    Pair& pair = *pairs_.find(key(rank, peer));
    pair.open[end_of(rank, peer)] = true;
    return std::exchange(ends_[pair.ends][end_of(rank, peer)], {});
  }

private:
  struct Pair { // [end]: of the lower rank, of the higher one
    std::array<bool, 2> open{};
    std::uint32_t ends = 0; // index into ends_
  };
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  }
  static std::size_t end_of(std::uint32_t rank, std::uint32_t peer) { return rank < peer ? 0 : 1; }

  base::FlatMap<std::uint64_t, Pair> pairs_;
  std::vector<std::array<Waiting, 2>> ends_;
};

} // namespace farcast::sim
