#include "predictor/sim/named_requests.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <utility>

namespace named_requests_test {

using namespace farcast;
using sim::kNone;

namespace {

// The same calls to a map and to the table. `spread`: ids are multiples of it, so that many want
// one place.
void compare_with_map(unsigned seed, std::uint32_t spread) {
  std::mt19937 engine(seed);
  const auto below = [&engine](std::uint32_t end) { return static_cast<std::uint32_t>(engine() % end); };
  sim::NamedRequests named;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  std::uint32_t next = 1;
  for (std::uint32_t request = 0; request < 20'000; ++request) {
    const std::uint32_t rank = below(3);
    const std::uint32_t id = (below(4) == 0 ? next - below(50) : next++) * spread;
    const auto found = known.find({rank, id});
    const std::uint32_t expected = found == known.end() ? kNone : found->second;
    INFO("seed " << seed << ", request " << request);
    REQUIRE(named.find(rank, id) == expected);
    if (below(3) == 0) {
      REQUIRE(named.take(rank, id) == expected);
      if (found != known.end()) known.erase(found);
      REQUIRE(named.find(rank, id) == kNone);
    } else {
      REQUIRE(named.name(rank, id, request) == expected);
      known[{rank, id}] = request;
    }
  }
  for (const auto& [key, request] : known) REQUIRE(named.take(key.first, key.second) == request);
  for (const auto& [key, request] : known) REQUIRE(named.find(key.first, key.second) == kNone);
}

} // namespace

TEST_CASE("open requests have the names that they were given") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    compare_with_map(seed, 1);
    compare_with_map(seed, 64);
    compare_with_map(seed, 8192); // all want the same place
  }
}

} // namespace named_requests_test
