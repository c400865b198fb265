#include "libinterpose/coupled_waits.h"

#include "libinterpose/coupled.h"
#include "libinterpose/coupled_board.h"
#include "libinterpose/stream/brief_wait.h"

#include <ctime>
#include <sched.h>
#include <unistd.h>

namespace farcast::interpose {

namespace {

constexpr long kLongestNs = 1'000'000;             // of a nap, of each rank of a core
constexpr std::int64_t kLooksApartNs = 64'000'000; // of looks after the predictor
constexpr std::uint32_t kFirstPoke = 16;           // looks in vain; then at each power of two
constexpr std::uint32_t kNeedsAll = 128;           // looks from which on all that wait for answers look, too
constexpr std::uint32_t kLastPoke = 1 << 16;

constinit long longest_ns = kLongestNs;
constinit std::int64_t looked_at_ns = 0;

} // namespace

void Turn::give() { given_back_ = begin_waiting(*current); }

void Turn::take() { end_waiting(*current); }

void Naps::share_cores(int ranks) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 0 && ranks > cores) longest_ns = kLongestNs * (ranks / cores);
}

void Naps::nap(std::uint32_t pokes, std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  using Clock = stream::RankClock;
  if (board.is_accessed()) {
    sched_yield();
    return;
  }
  const bool owes = any_sent();
  if (none() && board.poked_soon(pokes, owes ? pause_ns_ : stream::kBriefNs)) return;
  const long ns = owes || brief_ ? pause_ns_ : longest_ns;
  if (pause_ns_ < longest_ns) pause_ns_ *= 2;
  napped_ = true;
  board.sleep(pokes, owes ? Clock::sleeping_owing : brief_ ? Clock::sleeping_ahead : Clock::sleeping, word, seen, ns);
  if (board.pokes() != pokes) pause_ns_ = kFirstNs;
}

bool is_time_to_look() {
  const std::int64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
  if (now_ns - looked_at_ns < kLooksApartNs) return false;
  looked_at_ns = now_ns;
  return true;
}

RealWait::~RealWait() { board.end_access(); }

void RealWait::look_again() {
  ++looks_;
  if (looks_ == kFirstPoke) turn_.give_back();
  if (looks_ == kNeedsAll) board.begin_access(Board::kOfAll, false);
  if (looks_ >= kFirstPoke && (looks_ & (looks_ - 1)) == 0) board.poke(looks_ >= kNeedsAll);
  if (looks_ >= kLastPoke) { // somebody computes for long, who may want the cores: from now on one look of each at a time
    board.end_access();
    looks_ = kLastPoke / 2;
  }
  sched_yield();
}

} // namespace farcast::interpose
