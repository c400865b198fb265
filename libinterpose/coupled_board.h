// What the ranks of a coupled program share with one another and with their predictor
// (stream/clocks.h), as one rank uses it: who says why the coupling is over, which collectives are
// under way that some have left, and who sleeps.
//
// A rank that waits for an answer sleeps; the answer wakes it. It may owe the library progress
// meanwhile: a message of its own that waits for its receiver leaves only while its sender is in
// the library. So a rank that waits there for what is over in virtual time pokes those that sleep
// and owe; after a while it needs the progress of all, for the library has messages of its own
// (non-blocking collectives). Who is in a call on a window needs that of its target, or of all. Who
// is needed does not sleep for longer than it takes to see that.
// Threads: the one that takes part in the coupling.
#pragma once

#include "libinterpose/stream/clocks.h"

#include <atomic>
#include <cstdint>

namespace farcast::interpose {

class Board {
public:
  // The predictor's answer to a hello; without it nothing below is shared. Returns: it has come.
  bool join(int socket);
  // After MPI_Init.
  void begin_rank(std::uint32_t rank, std::uint32_t ranks);
  // Returns: of all ranks; of this one. Null: they are not shared.
  [[nodiscard]] stream::Clocks* clocks() const { return clocks_; }
  [[nodiscard]] stream::RankClock* own() const { return own_; }
  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }

  // The rank starts its part of a collective apart, which some leave before all have entered it: as
  // that rank of that many.
  void starts_apart(std::int64_t rank, std::int64_t size) {
    if (clocks_ != nullptr) clocks_->apart.fetch_add(rank == 0 ? 1 - size : 1, std::memory_order_seq_cst);
  }
  // Returns: whether such a collective is under way.
  [[nodiscard]] bool any_apart() const { return clocks_ == nullptr || clocks_->apart.load(std::memory_order_seq_cst) != 0; }

  // From now on this rank's call may need the progress of a rank that waits for an answer, one round of
  // it for each element of a window: of `target`, or of all ranks. `waits`: it does not return without.
  static constexpr int kOfAll = -1;
  static constexpr int kNone = -2;
  void begin_access(int target, bool waits);
  // It has returned; also one that was left by a jump, of which nobody has told.
  void end_access() {
    if (__builtin_expect(accessed_ != kNone, 0)) end_access_begun();
  }
  // Returns: whether somebody may need this rank's progress.
  [[nodiscard]] bool is_accessed() const {
    return clocks_ != nullptr && (clocks_->needs_all.load(std::memory_order_relaxed) != 0 ||
                                  (own_ != nullptr && own_->accessed.load(std::memory_order_relaxed) != 0));
  }

  // Returns: whether this rank is the first to say why the coupling is over, and with `ends` the
  // program; without clocks, whether it is the node's first.
  [[nodiscard]] bool first_to_say(bool ends);
  void end_saying(bool ends);
  // Returns: whether another rank is about to.
  [[nodiscard]] bool is_being_said() const;
  // Returns: whether this rank is to print the predictor's text of that number.
  [[nodiscard]] bool first_to_print(std::uint32_t number);

  // Returns: what sleep() is to be told, from before it was looked for what is waited for.
  [[nodiscard]] std::uint32_t pokes() const { return own_ == nullptr ? 0 : own_->pokes.load(std::memory_order_seq_cst); }
  // Waits actively for at most `ns`, where there is a core for each rank. Returns: it was poked.
  [[nodiscard]] bool poked_soon(std::uint32_t seen, long ns) const;
  // Sleeps `so` until poked, for at most `ns`. Where nothing is shared, until `word` is not
  // `seen_word` any more.
  void sleep(std::uint32_t seen, stream::RankClock::Sleeps so, std::atomic<std::uint32_t>& word, std::uint32_t seen_word,
             long ns) const;
  // Wakes the ranks that sleep and owe; `all`: that sleep.
  void poke(bool all) const;
  // Wakes that rank if it may be waiting for a message.
  void wake(int rank) const;

private:
  void end_access_begun();

  stream::Clocks* clocks_ = nullptr;
  stream::RankClock* own_ = nullptr;
  std::uint32_t rank_ = 0;
  std::uint32_t ranks_ = 0;
  int accessed_ = kNone; // by this rank's call
};
extern constinit Board board;

// A real call on a window, as long as it lives.
class Access {
public:
  // `target`: in MPI_COMM_WORLD, or one of Board's.
  Access(int target, bool waits) {
    if (__builtin_expect(target != Board::kNone, 0)) board.begin_access(target, waits);
  }
  ~Access() { board.end_access(); }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
};

} // namespace farcast::interpose
