#include "libinterpose/stream/gate.h"

#include <cerrno>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::stream {

namespace {

constexpr std::int64_t kBrokenMs = 6 * std::int64_t{kFirstLendMs};

void wait_on(std::atomic<std::uint32_t>& word, std::uint32_t seen, std::int64_t milliseconds) {
  const timespec limit{static_cast<time_t>(milliseconds / 1000), static_cast<long>(milliseconds % 1000 * 1'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0); // whatever woke us: the caller looks
}

// Tickets wrap around: the order of two is the sign of their difference.
bool comes_before(std::uint32_t ticket, std::uint32_t other) { return static_cast<std::int32_t>(ticket - other) < 0; }

void admit_next(Gate& gate) {
  const std::uint32_t ticket = gate.admitted.fetch_add(1);
  if (!comes_before(ticket, gate.next.load())) return; // nobody has drawn it yet
  std::atomic<std::uint32_t>& word = gate.wake[ticket % kWakeWords];
  word.fetch_add(1);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t patience_ms(const Gate& gate) {
  const std::uint32_t said = gate.lend_ms.load();
  return said < kFirstLendMs ? said : kFirstLendMs;
}

// Returns: a lent token was taken out instead of being handed on.
bool pays_debt(Gate& gate) {
  std::uint32_t debt = gate.debt.load();
  for (std::uint32_t tries = 0; debt > 0 && tries < kGateSeats; ++tries) {
    if (gate.debt.compare_exchange_strong(debt, debt - 1)) return true;
  }
  return false;
}

void lend(Gate& gate) {
  gate.debt.fetch_add(1);
  gate.lent.fetch_add(1);
  const std::uint32_t patience = patience_ms(gate);
  gate.lend_ms.store(patience / 2 > kLeastLendMs ? patience / 2 : kLeastLendMs);
  admit_next(gate);
}

} // namespace

std::int64_t monotonic_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

void open_gate(Gate& gate, std::uint32_t tokens) {
  gate.magic = kGateMagic;
  gate.tokens = tokens;
  gate.lend_ms.store(kFirstLendMs);
  gate.admitted.store(tokens);
}

bool take_token(Gate& gate, std::uint32_t seat, GiveUp give_up, void* context, std::int64_t slice_ms, std::int64_t (*now_ms)()) {
  gate.occupied[seat].store(1);
  const std::uint32_t ticket = gate.next.fetch_add(1);
  if (comes_before(ticket, gate.admitted.load())) return true;
  const int saved = errno;
  std::uint32_t seen_admitted = gate.admitted.load();
  std::uint32_t nearest = ticket - seen_admitted; // ranks before this one
  std::int64_t since = now_ms();                  // it came nearer
  std::int64_t lent_at = since;
  for (;;) {
    std::atomic<std::uint32_t>& word = gate.wake[ticket % kWakeWords];
    const std::uint32_t seen = word.load();
    const std::uint32_t admitted = gate.admitted.load();
    if (comes_before(ticket, admitted)) break;
    const std::int64_t now = now_ms();
    const std::int64_t patience = patience_ms(gate);
    if (admitted != seen_admitted && ticket - admitted < nearest) {
      seen_admitted = admitted;
      nearest = ticket - admitted;
      since = lent_at = now;
    } else if (ticket == admitted && now - lent_at >= patience) {
      lend(gate);
      lent_at = now;
      continue;
    }
    wait_on(word, seen, patience < slice_ms ? patience : slice_ms);
    // Who is first lends itself a token within kFirstLendMs: where nobody moves for much longer,
    // the gate is out of order.
    const bool broken = nearest > kGateSeats || now - since >= kBrokenMs;
    if (broken || give_up(context)) {
      give_token_back(gate, seat);
      errno = saved;
      return false;
    }
  }
  errno = saved;
  return true;
}

void give_token_back(Gate& gate, std::uint32_t seat) {
  if (gate.occupied[seat].load() == 0) return;
  if (!pays_debt(gate)) admit_next(gate);
  gate.occupied[seat].store(0);
}

} // namespace farcast::stream
