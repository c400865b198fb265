// Names of communicators, tags and groups of ranks.
#include "predictor/convert/numbers.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::convert;

namespace {

trace::Communicator communicator(std::uint32_t id, std::vector<int> members) {
  trace::Communicator out;
  out.id = id;
  out.members = std::move(members);
  return out;
}

} // namespace

TEST_CASE("groups as ranges") {
  CHECK(ranges({}).empty());
  CHECK(ranges({3}) == "3");
  CHECK(ranges({0, 1, 2, 3}) == "0-3");
  CHECK(ranges({0, 2, 4, 6, 7}) == "0-6:2 7");
  CHECK(ranges({5, 4, 1, 0}) == "5 4 1 0");
  CHECK(ranges({0, 1, 4, 5}) == "0 1 4 5");
  CHECK(ranges({1, 1}) == "1 1");
}

TEST_CASE("tags of the world stay; others get one each, the same whoever asks") {
  TagNumbers tags;
  const trace::Communicator pair = communicator(4, {1, 0});
  CHECK(tags.user(nullptr, true, 17) == 17);
  const int first = tags.user(&pair, false, 17);
  CHECK(first >= TagNumbers::kOwnTags);
  CHECK(tags.user(&pair, false, 18) != first);
  CHECK(tags.user(&pair, false, 17) == first);
  CHECK(tags.user(&pair, true, TagNumbers::kOwnTags) != first); // too large to stay
  CHECK(TagNumbers::collective(4, 0) != TagNumbers::collective(4, 1));
  CHECK(TagNumbers::collective(4, 0) > first);
}

TEST_CASE("the world is the first communicator with all ranks in order") {
  CommunicatorNumbers numbers(3);
  const trace::Communicator turned = communicator(0, {2, 1, 0});
  const trace::Communicator world = communicator(1, {0, 1, 2});
  const trace::Communicator copy = communicator(2, {0, 1, 2});
  CHECK_FALSE(numbers.everyone(turned));
  CHECK(numbers.world(world));
  CHECK_FALSE(numbers.world(copy));
  CHECK(numbers.everyone(copy));
  CHECK(numbers.number(copy) == 1);
  CHECK(numbers.number(turned) == 2);
  CHECK(numbers.number(copy) == 1);
  CHECK(rank_in({2, 1, 0}, 2) == 0);
  CHECK(rank_in({2, 1, 0}, 1) == 1);
  CHECK(rank_in({2, 1, 0}, 7) == -1);
}
