// The clocks of a coupled program's ranks (libinterpose/stream/clocks.h): their memory, and the
// predictor's words in it.
//
// Threads: file() for who accepts ranks, poke() for any, the rest for the engine's thread; a board
// is made before and outlives both.
#pragma once

#include "libinterpose/stream/clocks.h"
#include "predictor/trace/operation.h"

namespace farcast::live {

class ClockBoard {
public:
  ClockBoard() = default;
  ClockBoard(const ClockBoard&) = delete;
  ClockBoard& operator=(const ClockBoard&) = delete;
  ~ClockBoard();

  // The first call makes the memory. Returns: its descriptor; -1: there is none.
  int file();
  // Returns: whether that many ranks have clocks.
  [[nodiscard]] bool serves(std::size_t ranks) const { return clocks_ != nullptr && ranks <= stream::kMostClocks; }
  // There is a core for each rank.
  void tell_cores() {
    if (clocks_ != nullptr) clocks_->has_cores.store(1, std::memory_order_relaxed);
  }
  // The rank asks, and is about to be told that its poll found nothing, and that others need not
  // wait for it (Answer::grows).
  void resumes(int rank);
  // Wakes the rank, if it sleeps.
  void poke(int rank);
  // Requires: serves(bounds.acts.size()).
  void share(const trace::Bounds& bounds);
  [[nodiscard]] double reached(int rank) const;
  // Returns: whether the rank has polled by itself and now asks.
  [[nodiscard]] bool asks(int rank) const;

private:
  int file_ = -1;
  stream::Clocks* clocks_ = nullptr;
};

} // namespace farcast::live
