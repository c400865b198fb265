#include "libinterpose/site_cache.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <set>

using farcast::interpose::SiteCache;

namespace {

std::unique_ptr<SiteCache<int>> empty_cache() { return std::make_unique<SiteCache<int>>(); } // all zero

} // namespace

TEST_CASE("addresses with one home keep one another's verdicts") {
  const auto cache = empty_cache();
  constexpr std::uint64_t kApart = 2048; // bytes between addresses with the same home
  for (int i = 1; i <= 8; ++i) REQUIRE(cache->add(static_cast<std::uint64_t>(i) * kApart, i) == i);
  for (int i = 1; i <= 8; ++i) {
    const int* found = cache->find(static_cast<std::uint64_t>(i) * kApart);
    REQUIRE(found != nullptr);
    REQUIRE(*found == i);
  }
  REQUIRE(cache->find(9 * kApart) == nullptr);
  cache->add(9 * kApart, 9);
  int kept = 0;
  for (int i = 1; i <= 9; ++i) kept += cache->find(static_cast<std::uint64_t>(i) * kApart) != nullptr ? 1 : 0;
  REQUIRE(kept == 8);
  REQUIRE(*cache->find(9 * kApart) == 9);
}

TEST_CASE("as many addresses as a program has are all kept, wherever it was loaded") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto cache = empty_cache();
    std::set<std::uint64_t> addresses;
    for (int object = 0; object < 5; ++object) {
      const std::uint64_t begin = 0x7f0000000000 + (random() % (1U << 20)) * 4096;
      for (int i = 0; i < 40; ++i) addresses.insert(begin + random() % 300'000);
    }
    for (const std::uint64_t address : addresses) cache->add(address, static_cast<int>(address % 97));
    for (const std::uint64_t address : addresses) {
      INFO("seed " << seed << ", address " << address);
      REQUIRE(cache->find(address) != nullptr);
      REQUIRE(*cache->find(address) == static_cast<int>(address % 97));
    }
  }
}

TEST_CASE("what was not added is not found") {
  const auto cache = empty_cache();
  REQUIRE(cache->find(0x1234) == nullptr);
  cache->add(0x1234, 5);
  REQUIRE(cache->find(0x1234 + 2048) == nullptr);
  REQUIRE(cache->find(0x1236) == nullptr);
}
