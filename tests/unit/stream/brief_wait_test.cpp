// Waiting actively ends with what is waited for, or when its time is over.
#include "libinterpose/stream/brief_wait.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace farcast;

TEST_CASE("who waits actively sees what another thread does meanwhile") {
  std::atomic<bool> waits{false}, come{false};
  std::thread other([&] {
    while (!waits) std::this_thread::yield();
    come = true;
  });
  const auto seen = [&] {
    waits = true;
    return come.load();
  };
  const bool has_come = stream::comes_soon(seen, 60'000'000'000); // the machine may be busy
  other.join();
  CHECK(has_come);
}

TEST_CASE("who waits actively in vain looks again when the time is over, and no sooner gives up") {
  constexpr long kNs = 2'000'000;
  std::chrono::steady_clock::time_point last;
  const auto began = std::chrono::steady_clock::now();
  CHECK_FALSE(stream::comes_soon(
      [&] {
        last = std::chrono::steady_clock::now();
        return false;
      },
      kNs));
  CHECK(last - began >= std::chrono::nanoseconds(kNs));
}
