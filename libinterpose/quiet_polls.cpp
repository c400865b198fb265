#include "libinterpose/quiet_polls.h"

#include "libinterpose/coupled.h"
#include "libinterpose/pushed_aside.h"

#include <sched.h>

namespace farcast::interpose {

constinit QuietPolls quiet;

namespace {

constexpr int kLongestWait = 2000;     // looks at the others' clocks before the predictor is asked after all
constexpr int kLooksBeforeYield = 500; // others may need the core; who yields beside other programs is away for milliseconds
constexpr int kLooksPerYield = 16;
constexpr double kLongestWaitS = 200e-6; // the same by the clock
constexpr double kMarginS = 1e-9;        // sums of many times are not exact

// What the next poll is taken to last: it looks at its end, which is to be before anything comes.
constinit std::uint64_t one_poll = 0; // ticks

std::uint64_t ticks_of(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9 * process.ticks_per_ns); }

// Returns: whether the last call was a fruitless poll without a record of its own: the rows that
// stand for it say where they end, so that what comes then counts from there.
bool in_a_row(const Thread& thread) {
  for (std::uint32_t i = 0; i < thread.open_polls; ++i) {
    if (thread.polls[i].calls > 0) return true;
  }
  return false;
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

} // namespace

void QuietPolls::begin(const PolledFor& what, const Decided& decided, std::uint64_t cost) {
  // One that was interrupted says nothing of the next ones: while none fits into what is quiet,
  // none would correct it.
  if (one_poll > 2 * cost) one_poll = 2 * cost;
  if (one_poll < cost && cost <= process.worthwhile_ticks) one_poll = cost;
  go_on(decided);
  // What is quiet for messages is not so for what comes by itself.
  if (decided.messages) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (polls_[i].messages) polls_[kept++] = polls_[i];
    }
    count_ = kept;
  }
  const std::uint32_t place = count_ < kMost ? count_++ : kMost - 1;
  polls_[place] = {what, decided.messages};
}

double QuietPolls::longest_tick_s() const { return pace_ > tick_s() ? pace_ : tick_s(); }

void QuietPolls::go_on(const Decided& decided) {
  const std::uint64_t now = clock_ticks();
  if (now >= until_ || decided.time_s >= until_s_) count_ = 0;
  poll_ticks_ = ticks_of(decided.poll_s);
  if (one_poll < poll_ticks_) one_poll = poll_ticks_;
  const std::uint64_t quiet_for = ticks_of(decided.quiet_s);
  until_ = quiet_for > one_poll ? now + quiet_for - one_poll : now;
  pace_ = decided.pace * tick_s();
  until_s_ = decided.time_s + static_cast<double>(quiet_for) * longest_tick_s();
  grows_ = decided.grows && board.own() != nullptr;
  if (!grows_) return;
  since_ = now;
  paid_ = 0;
  passed_ = 0;
  answered_s_ = decided.time_s;
  least_poll_s_ = decided.least_poll_s;
  polls_s_ = 0;
  stream::RankClock& own = *board.own();
  own.reached.store(answered_s_ - kMarginS, std::memory_order_release);
  own.polls.store(stream::RankClock::polling, std::memory_order_release);
}

void QuietPolls::leave_out(Thread& thread, std::uint64_t ticks) {
  thread.last_exit += ticks;
  own_clock.waited(ticks);
  since_ += ticks;
  until_ += ticks;
}

// Says how far the rank is now. What may be taken out of its times later does not count.
void QuietPolls::get_on(std::uint64_t compute, std::uint64_t in) {
  if (in <= process.worthwhile_ticks) one_poll = in > poll_ticks_ ? in : poll_ticks_;
  if (compute <= process.worthwhile_ticks) passed_ += static_cast<std::int64_t>(compute);
  passed_ -= static_cast<std::int64_t>(process.header->overhead_ticks);
  if (least_poll_s_ >= 0)
    polls_s_ += least_poll_s_;
  else if (in <= process.worthwhile_ticks)
    polls_s_ += static_cast<double>(in) * tick_s();
  const double reached = answered_s_ + static_cast<double>(passed_) * pace_ + polls_s_ - kMarginS;
  std::atomic<double>& own = board.own()->reached;
  if (reached > own.load(std::memory_order_relaxed)) own.store(reached, std::memory_order_release);
}

// Who asks stands still until it is let on beside a rank that asks, too, once all are near: if the last
// of them went on for as long as nothing can come from who stands, these two would wait in turn.
// Returns: later: nothing comes until a later time, `until_`; soon: others that get on bind it;
// never: nobody does.
QuietPolls::Outlook QuietPolls::look() {
  stream::Clocks& all = *board.clocks();
  const std::uint32_t changes = all.changes.load(std::memory_order_acquire);
  const double delay = all.delay.load(std::memory_order_acquire);
  const double beside = all.beside.load(std::memory_order_acquire);
  const double due = all.events.load(std::memory_order_acquire);
  const double comes = all.comes[board.rank()].load(std::memory_order_acquire);
  const double events = comes < due ? comes : due;
  double limit = events;
  bool moves = false;
  double slowest = events;
  double stands = events; // where the first of those that ask is
  double until = events;
  for (std::uint32_t rank = 0; rank < board.ranks(); ++rank) {
    if (rank == board.rank()) continue;
    const stream::RankClock& clock = all.clocks[rank];
    const std::uint32_t state = clock.polls.load(std::memory_order_acquire);
    const double reached = clock.reached.load(std::memory_order_acquire);
    const double acts = all.acts[rank].load(std::memory_order_acquire);
    const double known = reached > acts ? reached : acts;
    if (known < slowest) slowest = known;
    if (state == stream::RankClock::asking && reached < stands) {
      stands = reached;
      until = acts + delay > reached - beside ? acts + delay : reached - beside;
    }
    if (known + delay >= limit) continue;
    limit = known + delay;
    moves = state == stream::RankClock::polling || state == stream::RankClock::resuming;
  }
  if (stands - beside <= slowest && until < limit) {
    limit = until;
    moves = false;
  }
  if ((changes & 1) != 0 || all.changes.load(std::memory_order_relaxed) != changes) return Outlook::soon;
  const double reach = limit < events ? limit : events;
  const double ticks = (reach - answered_s_) / longest_tick_s() - kMarginS * 1e9 * process.ticks_per_ns;
  const std::uint64_t own = clock_ticks() - since_ + paid_ + one_poll;
  if (ticks <= static_cast<double>(own)) return moves ? Outlook::soon : Outlook::never;
  until_s_ = reach;
  until_ = clock_ticks() + static_cast<std::uint64_t>((ticks < 1e18 ? ticks : 1e18) - static_cast<double>(own));
  return Outlook::later;
}

bool QuietPolls::grow() {
  Thread& thread = *current;
  const std::uint64_t began = clock_ticks();
  const int longest = in_a_row(thread) ? kLongestWait : 1;
  Outlook outlook = look();
  const std::uint64_t latest = began + ticks_of(kLongestWaitS);
  for (int looks = 1; outlook == Outlook::soon && looks < longest && clock_ticks() <= latest; ++looks) {
    if (looks > kLooksBeforeYield && looks % kLooksPerYield == 0)
      sched_yield();
    else
      relax();
    outlook = look();
  }
  if (longest > 1) { // the wait is no time of the program's
    const std::uint64_t waited = clock_ticks() - began;
    leave_out(thread, waited);
    if (outlook == Outlook::later) until_ -= waited; // which look() has reckoned from now on
    if (waited > process.worthwhile_ticks) read_aside(thread.aside);
  }
  return outlook == Outlook::later;
}

} // namespace farcast::interpose
