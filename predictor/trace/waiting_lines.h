// Lines of a trace that all ranks share, read before their rank wanted them.
//
// In: lines with their numbers, by rank; out: each rank's in the order in which they came. They lie
// in pieces of a cache line that are used again, the last one given back first: a trace whose ranks
// take turns allocates nothing once it is under way.
// Threads: one owner.
#pragma once

#include "predictor/base/slots.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::trace {

class WaitingLines {
public:
  explicit WaitingLines(std::size_t ranks = 0) : queues_(ranks) {}

  [[nodiscard]] bool empty(std::size_t rank) const { return queues_[rank].first == kNone; }
  void fetch(std::size_t rank) const { __builtin_prefetch(&queues_[rank]); }
  void push(std::size_t rank, std::uint64_t number, std::string_view text) {
    do {
      const std::uint32_t index = take_piece();
      Piece& piece = pieces_[index];
      const std::size_t size = std::min(text.size(), sizeof(piece.text));
      piece.number = number;
      piece.next = kNone;
      piece.size = static_cast<std::uint8_t>(size);
      piece.goes_on = size < text.size();
      std::memcpy(piece.text, text.data(), size);
      text.remove_prefix(size);
      Queue& queue = queues_[rank];
      (queue.first == kNone ? queue.first : pieces_[queue.last].next) = index;
      queue.last = index;
    } while (!text.empty());
  }
  // Puts the oldest line of a rank into `line`. Returns: its number. Requires: not empty.
  std::uint64_t take(std::size_t rank, std::string& line) {
    line.clear();
    for (;;) {
      const std::uint32_t index = queues_[rank].first;
      const Piece& piece = pieces_[index];
      line.append(piece.text, piece.size);
      queues_[rank].first = piece.next;
      free_.push_back(index);
      if (!piece.goes_on) return piece.number;
    }
  }

private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Piece {
    std::uint64_t number;
    std::uint32_t next;
    std::uint8_t size;
    bool goes_on; // in the next piece
    char text[50];
  };
  static_assert(sizeof(Piece) == 64);
  struct Queue {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  std::uint32_t take_piece() { return base::take_slot(pieces_, free_); }

  std::vector<Queue> queues_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> free_;
};

} // namespace farcast::trace
