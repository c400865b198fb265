// How a rank of a coupled program waits: for an answer, for a message, in the library.
//
// Who is poked looks at once (coupled_board.h); naps are for what nobody pokes for. With --isolate
// who waits gives its turn back, and has it again before the program goes on.
// Threads: the one that takes part in the coupling.
#pragma once

#include "libinterpose/isolation.h"

#include <atomic>
#include <cstdint>

namespace farcast::interpose {

// The rank's turn to compute (--isolate): given back at most once, and taken again in the end, by the
// outermost of these that has given it back.
class Turn {
public:
  Turn() = default;
  ~Turn() {
    if (given_back_) take();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  void give_back() {
    if (!given_back_ && waits_apart()) give();
  }

private:
  void give();
  static void take();

  bool given_back_ = false;
};

// Sleeps of one wait, between rounds of the library's progress.
class Naps {
public:
  // `brief`: what is waited for comes without a poke at times.
  explicit Naps(bool brief = false) : brief_(brief) {}
  // That many ranks share the node's cores, which naps cost the same however many these are.
  static void share_cores(int ranks);
  // `word`: changes with what is waited for. `pokes`: Board::pokes(), from before `seen` was read
  // from it.
  void nap(std::uint32_t pokes, std::atomic<std::uint32_t>& word, std::uint32_t seen);
  // Returns: there was none yet.
  [[nodiscard]] bool none() const { return !napped_; }

private:
  bool brief_;
  bool napped_ = false;
  long pause_ns_ = kFirstNs;

  static constexpr long kFirstNs = 50'000; // where a message has not left, or is waited for; then twice as long each time
};

// Returns: whether it is time to look after the predictor again.
bool is_time_to_look();

// A wait in the library for what is over in virtual time, between its looks.
class RealWait {
public:
  RealWait() = default;
  ~RealWait();
  RealWait(const RealWait&) = delete;
  RealWait& operator=(const RealWait&) = delete;
  // The last look was in vain: lets others go on.
  void look_again();

private:
  Turn turn_;
  std::uint32_t looks_ = 0;
};

} // namespace farcast::interpose
