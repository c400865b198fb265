#include "libinterpose/stream/gate.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace farcast::stream;

namespace {

bool never(void*) { return false; }
bool always(void*) { return true; }

struct OpenGate {
  explicit OpenGate(std::uint32_t tokens) : gate(std::make_unique<Gate>()) { open_gate(*gate, tokens); }
  bool take(std::uint32_t seat) const { return take_token(*gate, seat, never, nullptr); }
  void give(std::uint32_t seat) const { give_token_back(*gate, seat); }
  std::unique_ptr<Gate> gate;
};

// Returns: the most that ever held a token at once, when each of `ranks` threads takes one `rounds`
// times.
int most_at_once(const OpenGate& open, int ranks, int rounds) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      for (int i = 0; i < rounds; ++i) {
        if (open.take(static_cast<std::uint32_t>(rank))) ++taken;
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --inside;
        open.give(static_cast<std::uint32_t>(rank));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(taken == ranks * rounds);
  return most;
}

} // namespace

TEST_CASE("no more ranks hold a token than there are, and all get one") {
  CHECK(most_at_once(OpenGate(1), 4, 300) == 1);
  CHECK(most_at_once(OpenGate(2), 5, 300) <= 2);
}

TEST_CASE("tickets may wrap around") {
  const OpenGate open(2);
  open.gate->next = ~std::uint32_t{0} - 5;
  open.gate->admitted = ~std::uint32_t{0} - 3;
  CHECK(most_at_once(open, 4, 50) <= 2);
}

TEST_CASE("a token is handed on in the order in which it was asked for") {
  const OpenGate open(1);
  REQUIRE(open.take(0));
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int rank = 1; rank <= 3; ++rank) {
    threads.emplace_back([&, rank] {
      open.take(static_cast<std::uint32_t>(rank));
      order.push_back(rank); // the token guards it
      open.give(static_cast<std::uint32_t>(rank));
    });
    while (open.gate->next != static_cast<std::uint32_t>(rank) + 1) std::this_thread::yield();
  }
  open.give(0);
  for (std::thread& thread : threads) thread.join();
  CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("where nobody gives back, the first in the queue is lent a token; it is taken out again") {
  const OpenGate open(1);
  open.gate->lend_ms = 120;
  REQUIRE(open.take(0));
  const auto start = std::chrono::steady_clock::now();
  REQUIRE(open.take(1)); // 0 spins for something that 1 has to do
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(100));
  CHECK(open.gate->lent == 1);
  CHECK(open.gate->lend_ms == 60); // less patience from now on
  open.give(1);
  CHECK(open.gate->debt == 0);
  open.give(0);
  CHECK(most_at_once(open, 3, 50) == 1);
}

TEST_CASE("a dead rank's token goes to the next one, and only once") {
  const OpenGate open(1);
  REQUIRE(open.take(0));
  std::thread waiting([&] { CHECK(open.take(1)); });
  while (open.gate->next != 2) std::this_thread::yield();
  reclaim_seat(*open.gate, 0);
  waiting.join();
  reclaim_seat(*open.gate, 0);
  open.give(1);
  CHECK(most_at_once(open, 3, 50) == 1);
}

TEST_CASE("who gives up waiting holds nothing") {
  const OpenGate open(1);
  REQUIRE(open.take(0));
  CHECK_FALSE(take_token(*open.gate, 1, always, nullptr));
  CHECK(open.gate->occupied[1] == 0);
  open.give(0);
  CHECK(open.take(2));
}

TEST_CASE("an empty seat gives nothing back") {
  const OpenGate open(1);
  open.give(3);
  REQUIRE(open.take(0));
  std::atomic<bool> entered{false};
  std::thread second([&] {
    open.take(1);
    entered = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(entered);
  open.give(0);
  second.join();
}

TEST_CASE("a gate whose numbers one rank has spoilt keeps no other waiting") {
  const OpenGate open(1);
  SECTION("nobody could be so far behind") {
    open.gate->admitted = 0;
    open.gate->next = 1u << 30;
    CHECK_FALSE(open.take(0));
  }
  SECTION("its memory was given back, and is zero") {
    std::memset(static_cast<void*>(open.gate.get()), 0, sizeof(Gate));
    CHECK(open.take(0)); // lent at once
  }
  SECTION("patience for days") {
    CHECK(open.take(0));
    open.gate->lend_ms = ~std::uint32_t{0};
    static std::int64_t clock = 0; // a second passes whenever somebody looks
    CHECK(take_token(*open.gate, 1, never, nullptr, kSliceMs, [] { return clock += 4000; })); // never given back
    CHECK(clock <= 2 * kFirstLendMs);
    CHECK(open.gate->lend_ms <= kFirstLendMs);
  }
}

TEST_CASE("giving back ends, whatever the debt does meanwhile") {
  const OpenGate open(1);
  CHECK(open.take(0));
  std::atomic<bool> stop{false};
  std::thread other([&] {
    for (std::uint32_t i = 1; !stop; ++i) open.gate->debt = i | 1;
  });
  open.give(0);
  stop = true;
  other.join();
}
