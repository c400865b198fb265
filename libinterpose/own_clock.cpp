#include "libinterpose/own_clock.h"

#include "libinterpose/coupled.h"

#include <cmath>

namespace farcast::interpose {

constinit OwnClock own_clock;

void OwnClock::begin(const Decided& decided, const Thread& thread) {
  known_ = decided.pace > 0 && !thread.counting && !process.settings.cpu_clock;
  exit_ = thread.last_exit;
  now_s_ = decided.time_s;
  until_s_ = now_s_ + kLongestS;
  tick_s_ = tick_s();
  pace_ = decided.pace * tick_s_;
  poll_s_ = decided.least_poll_s;
  polls_known_ = poll_s_ < 0 || std::abs(poll_s_ - decided.poll_s * (decided.pace > 1 ? decided.pace : 1)) < 1e-9 * poll_s_;
}

bool OwnClock::is_known(const Thread& thread) const {
  return known_ && exit_ == thread.last_exit && now_s_ < until_s_ && clock_ticks() - exit_ <= process.worthwhile_ticks;
}

// As the decoder takes it (Decoder::prepare).
void OwnClock::compute(std::uint64_t ticks) {
  const std::uint64_t overhead = process.header->overhead_ticks;
  if (ticks > overhead) now_s_ += static_cast<double>(ticks - overhead) * pace_;
}

double OwnClock::look(std::uint64_t entered) {
  const std::uint64_t computed = entered - exit_;
  if (computed <= process.worthwhile_ticks)
    compute(computed);
  else
    known_ = false; // of which some may be others' time
  return told(now_s_);
}

void OwnClock::left(std::uint64_t entered, const Thread& thread) {
  const std::uint64_t lasted = thread.last_exit > entered ? thread.last_exit - entered : 1;
  if (lasted > process.worthwhile_ticks) known_ = false;
  now_s_ += static_cast<double>(lasted) * tick_s_;
  exit_ = thread.last_exit;
}

void OwnClock::left_poll(std::uint64_t computed, std::uint64_t entered, std::uint64_t in, const Thread& thread) {
  if (!known_) return;
  const std::uint64_t lasted = in > 0 ? in : 1;
  const bool only_polls = entered - computed == exit_;
  const bool is_long = computed > process.worthwhile_ticks || lasted > process.worthwhile_ticks;
  if (!polls_known_ || !only_polls || is_long) known_ = false;
  compute(computed);
  now_s_ += poll_s_ >= 0 ? poll_s_ : static_cast<double>(lasted) * tick_s_;
  exit_ = thread.last_exit;
}

} // namespace farcast::interpose
