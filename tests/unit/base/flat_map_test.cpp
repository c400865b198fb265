#include "predictor/base/flat_map.h"

#include <catch2/catch.hpp>
#include <random>
#include <unordered_map>

using farcast::base::FlatMap;

namespace {

struct Crowded { // many keys per slot: probing and erasing have to cope
  std::uint64_t operator()(std::uint64_t key) const { return key % 7; }
};

template <class Hash> void compare_with_standard_map(std::uint64_t keys) {
  std::mt19937 random(7);
  FlatMap<std::uint64_t, int, Hash> ours;
  std::unordered_map<std::uint64_t, int> theirs;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t key = random() % keys;
    if (random() % 2 == 0) {
      const auto [value, made] = ours.emplace(key);
      REQUIRE(made == theirs.emplace(key, 0).second);
      *value = theirs[key] = i;
    } else {
      REQUIRE(ours.erase(key) == (theirs.erase(key) == 1));
    }
    REQUIRE(ours.size() == theirs.size());
    const std::uint64_t asked = random() % keys;
    const int* found = ours.find(asked);
    REQUIRE((found != nullptr) == (theirs.count(asked) == 1));
    if (found != nullptr) REQUIRE(*found == theirs[asked]);
  }
}

} // namespace

TEST_CASE("a flat map behaves like the standard one") {
  compare_with_standard_map<farcast::base::MixHash>(500);
  compare_with_standard_map<Crowded>(60);
}
