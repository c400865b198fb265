// Polls of a coupled program that cannot find anything: the rank answers these itself.
//
// The answer to a poll that found nothing says for how long nothing can come for the rank (Answer::quiet_s). That time
// grows as other ranks get on, where they only poll, too: each says how far it is (stream/clocks.h).
// Times are the rank's own: ticks since the answer, of which a poll may take more on the virtual cluster than it did
// here (`poll_s`), and what a wait for the others took is none of the program's.
// Threads: the one that takes part in the coupling.
#pragma once

#include "libinterpose/clock.h"
#include "libinterpose/stream/clocks.h"

#include <cstdint>

namespace farcast::interpose {

struct Decided;
struct Thread;

struct PolledFor { // what a poll asks for, as a repetition of it is told (Call::begin_poll)
  std::uint16_t function;
  std::uint64_t key;
  std::int32_t peer;
  std::int32_t tag;
  bool operator==(const PolledFor&) const = default;
};

// Any call but polls, MPI_Wtime and local ones ends it.
class QuietPolls {
public:
  // The predictor's answer to a hello; without it nothing grows. Returns: it has come.
  bool join(int socket);
  // The rank starts its part of a collective apart, which some leave before all have entered it: as that rank of that many.
  void starts_apart(std::int64_t rank, std::int64_t size) {
    if (clocks_ != nullptr) clocks_->apart.fetch_add(rank == 0 ? 1 - size : 1, std::memory_order_seq_cst);
  }
  // Returns: whether such a collective is under way.
  [[nodiscard]] bool any_apart() const { return clocks_ == nullptr || clocks_->apart.load(std::memory_order_seq_cst) != 0; }
  // Returns: whether this rank is the first to say why the coupling is over; without clocks, whether it is the node's first.
  [[nodiscard]] bool first_to_say();
  void end_saying();
  // Returns: whether another rank is about to.
  [[nodiscard]] bool is_being_said() const;
  // Returns: whether this rank is to print the predictor's text of that number.
  [[nodiscard]] bool first_to_print(std::uint32_t number);
  // After MPI_Init.
  void begin_rank(std::uint32_t rank, std::uint32_t ranks);

  // Returns: whether such a poll finds nothing. May wait a little for other ranks to get on.
  [[nodiscard]] bool holds(const PolledFor& what) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (polls_[i] == what) return clock_ticks() < until_ || (grows_ && grow());
    }
    return false;
  }
  // Such a poll has been answered: `compute` ticks lay before it, `in` were spent in it.
  void polled(std::uint64_t compute, std::uint64_t in) {
    until_ = until_ > poll_ticks_ ? until_ - poll_ticks_ : 0;
    paid_ += poll_ticks_;
    if (grows_) get_on(compute, in);
  }
  void end() {
    until_ = count_ = 0;
    stop_telling(stream::RankClock::not_polling);
  }
  // The rank asks, which is published, and stands still until it is answered.
  void asks() { stop_telling(stream::RankClock::asking); }
  // It has an answer: what it does now is no poll that it answers itself, unless one of those below says so.
  void is_answered() {
    if (own_ != nullptr) own_->polls.store(stream::RankClock::not_polling, std::memory_order_release);
  }
  // The predictor has answered a poll that found nothing, and took `cost` ticks.
  void begin(const PolledFor& what, const Decided& decided, std::uint64_t cost);
  // It has answered what changes nothing: what was quiet until now goes on being so.
  void go_on(const Decided& decided);

private:
  enum class Outlook : std::uint8_t { later, soon, never };
  static constexpr std::uint32_t kMost = 16;

  void stop_telling(stream::RankClock::Polls polls) {
    if (grows_) own_->polls.store(polls, std::memory_order_release);
    grows_ = false;
  }
  bool grow();
  [[nodiscard]] Outlook look();
  void get_on(std::uint64_t compute, std::uint64_t in);

  std::uint64_t until_ = 0; // ticks
  std::uint64_t poll_ticks_ = 0;
  std::uint32_t count_ = 0;
  bool grows_ = false;
  PolledFor polls_[kMost] = {};
  // What `reached` and a later `until_` come from.
  std::uint64_t since_ = 0;  // ticks of the answer
  std::uint64_t paid_ = 0;   // of polls since then, beside their own time
  std::int64_t passed_ = 0;  // ticks of the program's own since then, at least
  double answered_s_ = 0;    // virtual time of the answer
  double pace_ = 0;          // virtual seconds that a tick takes
  double least_poll_s_ = -1; // virtual: of a poll, at least; below 0: its own time
  double least_polls_s_ = 0; // of those since the answer
  stream::Clocks* clocks_ = nullptr;
  stream::RankClock* own_ = nullptr;
  std::uint32_t rank_ = 0;
  std::uint32_t ranks_ = 0;
};
extern constinit QuietPolls quiet;

} // namespace farcast::interpose
