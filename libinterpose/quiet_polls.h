// Polls of a coupled program that cannot find anything: the rank answers these itself.
//
// The answer to a poll that found nothing says for how long nothing can come for the rank
// (Answer::quiet_s). That time grows as other ranks get on, where they only poll, too: each says
// how far it is (stream/clocks.h). Times are the rank's own: ticks since the answer, of which a
// poll may take more on the virtual cluster than it did here (`poll_s`), and what a wait for the
// others took is none of the program's.
// Threads: the one that takes part in the coupling.
#pragma once

#include "libinterpose/clock.h"
#include "libinterpose/coupled_board.h" // IWYU pragma: export
#include "libinterpose/own_clock.h"     // IWYU pragma: export

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
  // Returns: whether such a poll, made at `now` (ticks), finds nothing. May wait a little for other
  // ranks to get on.
  [[nodiscard]] bool holds(const PolledFor& what, std::uint64_t now) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (polls_[i].what == what) return now < until_ || (grows_ && grow());
    }
    return false;
  }
  // Such a poll has been answered: `compute` ticks lay before it, `in` were spent in it, beside
  // `lost` that are none of the program's.
  void polled(std::uint64_t compute, std::uint64_t in, std::uint64_t lost) {
    until_ += lost;
    since_ += lost;
    paid();
    if (grows_) get_on(compute, in);
  }
  // A poll that is recorded by itself, and may take more on the virtual cluster.
  void paid() {
    until_ = until_ > poll_ticks_ ? until_ - poll_ticks_ : 0;
    paid_ += poll_ticks_;
  }
  // What the rank did of its own to answer such a poll, outside of that, is no time of the
  // program's. Only of one in a row, which says where it ends.
  void leave_out(Thread& thread, std::uint64_t ticks);
  void end() {
    until_ = count_ = 0;
    own_clock.end();
    stop_telling(stream::RankClock::not_polling);
  }
  // The rank asks, which is published, and stands still until it is answered.
  void asks() { stop_telling(stream::RankClock::asking); }
  // It has an answer: what it does now is no poll that it answers itself, unless the predictor has
  // said so.
  void is_answered() {
    stream::RankClock* const own = board.own();
    if (own == nullptr || own->polls.load(std::memory_order_relaxed) == stream::RankClock::resuming) return;
    own->polls.store(stream::RankClock::not_polling, std::memory_order_release);
  }
  // The predictor has answered a poll that found nothing, and took `cost` ticks.
  void begin(const PolledFor& what, const Decided& decided, std::uint64_t cost);
  // It has answered what changes nothing: what was quiet until now goes on being so.
  void go_on(const Decided& decided);

private:
  enum class Outlook : std::uint8_t { later, soon, never };
  static constexpr std::uint32_t kMost = 16;

  void stop_telling(stream::RankClock::Polls polls) {
    if (grows_) board.own()->polls.store(polls, std::memory_order_release);
    grows_ = false;
  }
  bool grow();
  [[nodiscard]] Outlook look();
  void get_on(std::uint64_t compute, std::uint64_t in);
  // Returns: virtual seconds that a tick takes at most: computation is stretched, calls are not.
  [[nodiscard]] double longest_tick_s() const;

  std::uint64_t until_ = 0; // ticks
  std::uint64_t poll_ticks_ = 0;
  std::uint32_t count_ = 0;
  bool grows_ = false;
  struct Held {
    PolledFor what;
    bool messages; // it polls for messages alone
  };
  Held polls_[kMost] = {};
  double until_s_ = 0; // virtual: what is held finds nothing before
  // What `reached` and a later `until_` come from.
  std::uint64_t since_ = 0;  // ticks of the answer
  std::uint64_t paid_ = 0;   // of polls since then, beside their own time
  std::int64_t passed_ = 0;  // ticks of the program's own since then, at least
  double answered_s_ = 0;    // virtual time of the answer
  double pace_ = 0;          // virtual seconds that a tick takes
  double least_poll_s_ = -1; // virtual: of a poll, at least; below 0: its own time
  double polls_s_ = 0;       // virtual: what those since the answer take at least
};
extern constinit QuietPolls quiet;

} // namespace farcast::interpose
