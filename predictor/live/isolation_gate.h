// The gate of `--isolate K` on this node: its memory, and who has which seat. The waiting is
// libinterpose/stream/gate.h.
//
// Threads: one owner. Invariant: a seat is given once in the life of a gate.
#pragma once

#include "libinterpose/stream/gate.h"

#include <cstdint>
#include <optional>

namespace farcast::live {

class IsolationGate {
public:
  IsolationGate() = default;
  IsolationGate(const IsolationGate&) = delete;
  IsolationGate& operator=(const IsolationGate&) = delete;
  ~IsolationGate();

  // The first call makes the gate, with that many tokens. Returns: a seat; nothing when there is no
  // memory or no seat left.
  std::optional<std::uint32_t> seat(std::uint32_t tokens);
  // Requires: a seat was given. Returns: the descriptor of the memory.
  [[nodiscard]] int file() const { return file_; }
  // The owner of the seat is dead.
  void reclaim(std::uint32_t seat);
  [[nodiscard]] std::uint32_t lent() const;

private:
  int file_ = -1;
  stream::Gate* gate_ = nullptr;
  std::uint32_t next_ = 0;
};

} // namespace farcast::live
