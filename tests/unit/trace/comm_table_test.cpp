#include "predictor/trace/comm_table.h"

#include <catch2/catch.hpp>

using namespace farcast::trace;
using farcast::stream::SlotKind;

namespace {
GroupDefinition members(std::uint32_t comm, std::vector<int> ranks) { return {comm, SlotKind::members, std::move(ranks)}; }
GroupDefinition remote(std::uint32_t comm, std::vector<int> ranks) { return {comm, SlotKind::remote_members, std::move(ranks)}; }
} // namespace

TEST_CASE("the registry: same groups and same ordinal, same communicator") {
  CommRegistry registry;
  const auto first = registry.intern({0, 1}, {}, {});
  CHECK(registry.intern({0, 1}, {}, {}) == first);
  CHECK(registry.intern({0, 1}, {}, {{}, 1})->id != first->id);
  CHECK(registry.intern({1, 0}, {}, {})->id != first->id); // another order is another communicator
}

TEST_CASE("the registry: both sides of an inter-communicator") {
  CommRegistry registry;
  const auto left = registry.intern({0, 1}, {2}, {});
  const auto right = registry.intern({2}, {0, 1}, {});
  CHECK(left->id == right->id);
  CHECK(left != right);
  CHECK(left->members == std::vector{0, 1});
  CHECK(right->members == std::vector{2});
  CHECK(registry.id({0, 1}, {}, {}) != left->id);
}

TEST_CASE("communicators made by a group have an order among those of one parent and tag alone") {
  using Constructor = CommTable::Constructor;
  CommRegistry registry;
  CommTable zero(registry, 0, 2);
  CommTable one(registry, 1, 2);
  for (CommTable* table : {&zero, &one}) table->define({members(0, {0, 1})});
  const auto expected = zero.next_of({0, 1}, {0, 3});
  zero.define({members(4, {0, 1})}, Constructor{0, 3});
  zero.define({members(5, {0, 1})}, Constructor{0}); // a duplicate of MPI_COMM_WORLD
  zero.define({members(6, {0, 1})}, Constructor{0, 0});
  zero.define({members(7, {0, 1})}, Constructor{5, 3});
  one.define({members(4, {0, 1})}, Constructor{0});
  CHECK(one.next_of({0, 1}, {0, 3}) == expected);
  one.define({members(5, {0, 1})}, Constructor{0, 0});
  one.define({members(7, {0, 1})}, Constructor{4, 3});
  one.define({members(6, {0, 1})}, Constructor{0, 3});
  CHECK(zero.find(4)->shared == expected);
  CHECK(one.find(6)->shared == expected);
  CHECK(one.find(4)->shared == zero.find(5)->shared);
  CHECK(one.find(5)->shared == zero.find(6)->shared);
  CHECK(one.find(7)->shared == zero.find(7)->shared);
  CHECK(zero.find(4)->shared->id != zero.find(5)->shared->id);
  CHECK(zero.find(5)->shared->id != zero.find(6)->shared->id);
  CHECK(zero.find(7)->shared->id != expected->id);
  CHECK(zero.next_of({0, 1}, {0, 3})->id != expected->id);
}

TEST_CASE("copies of different communicators of the same members have no order") {
  using Constructor = CommTable::Constructor;
  CommRegistry registry;
  CommTable zero(registry, 0, 2);
  CommTable one(registry, 1, 2);
  for (CommTable* table : {&zero, &one}) {
    table->define({members(0, {0, 1}), members(1, {0, 1})}, Constructor{0}); // the parent comes with its first call
    table->define({members(2, {0, 1})}, Constructor{0});
  }
  zero.define({members(3, {0, 1})}, Constructor{1});
  zero.define({members(4, {0, 1})}, Constructor{2});
  one.define({members(3, {0, 1})}, Constructor{2});
  one.define({members(4, {0, 1})}, Constructor{1});
  CHECK(zero.find(3)->shared == one.find(4)->shared);
  CHECK(zero.find(4)->shared == one.find(3)->shared);
  CHECK(zero.find(3)->shared->id != zero.find(4)->shared->id);
}

TEST_CASE("an inter-communicator before it is there: whole when both leaders have come, and what its members define then") {
  CommRegistry registry;
  std::vector<CommTable> tables;
  for (int rank = 0; rank < 4; ++rank) {
    tables.emplace_back(registry, rank, 4);
    tables.back().define({members(0, {0, 1, 2, 3}), members(2, rank < 2 ? std::vector{0, 1} : std::vector{2, 3})});
  }
  for (std::uint32_t round = 0; round < 2; ++round) { // the second one is another
    const auto begin = [&](int rank, int other) {
      return tables[static_cast<std::size_t>(rank)].begin_intercomm(*tables[static_cast<std::size_t>(rank)].find(2), 1, other, 9);
    };
    const auto early = begin(0, kProcNull);
    const auto left = begin(1, 3);
    CHECK(early == left);
    CHECK(left->remote.empty());
    const auto right = begin(3, 1);
    CHECK(right == begin(2, kProcNull));
    CHECK(left->id == right->id);
    CHECK((left->members == std::vector{0, 1} && left->remote == std::vector{2, 3}));
    CHECK((right->members == std::vector{2, 3} && right->remote == std::vector{0, 1}));
    for (std::size_t rank = 0; rank < 4; ++rank) {
      tables[rank].define({members(5 + round, left->members), remote(5 + round, left->remote)});
      tables[rank].define({members(7 + round, right->members), remote(7 + round, right->remote)});
      CHECK(tables[rank].find(5 + round)->shared == left);
      CHECK(tables[rank].find(7 + round)->shared == right);
    }
    CHECK((round == 0 || left->id != tables[0].find(5)->shared->id));
  }
}

TEST_CASE("messages of the model's own have a communicator that no program has") {
  CommRegistry registry;
  CommTable zero(registry, 0, 3);
  CommTable two(registry, 2, 3);
  zero.define({members(0, {0, 1, 2}), members(5, {0, 2})});
  CHECK(zero.apart({0, 2}) == two.apart({0, 2}));
  CHECK(zero.apart({0, 2})->id != zero.find(5)->shared->id);
}

TEST_CASE("a rank's numbers, in whatever order they appear") {
  CommRegistry registry;
  CommTable zero(registry, 0, 3);
  CommTable two(registry, 2, 3);
  zero.define({members(0, {0, 1, 2}), members(5, {2, 0})});
  two.define({members(0, {0, 1, 2})});
  two.define({members(9, {2, 0})});
  REQUIRE(zero.find(5) != nullptr);
  REQUIRE(two.find(9) != nullptr);
  CHECK(zero.find(5)->shared == two.find(9)->shared);
  CHECK(zero.find(5)->own_rank == 1);
  CHECK(two.find(9)->own_rank == 0);
  CHECK(zero.find(9) == nullptr);
  CHECK(CommTable::to_world(*zero.find(5), 0) == 2);
  CHECK(CommTable::to_world(*zero.find(5), 2) == kProcNull);
  CHECK(CommTable::to_world(*zero.find(5), -1) == kProcNull);
}

TEST_CASE("the remote group belongs to the definition before it") {
  CommRegistry registry;
  CommTable table(registry, 0, 4);
  table.define({members(4, {0}), remote(4, {1, 3}), members(5, {0}), remote(6, {1})});
  CHECK(table.find(4)->shared->remote == std::vector{1, 3});
  CHECK(CommTable::to_world(*table.find(4), 1) == 3);
  CHECK(table.find(5)->shared->remote.empty());
  CHECK(table.find(6) == nullptr);
}

TEST_CASE("ranks outside of the world are refused, those of another world are not") {
  CommRegistry registry;
  CommTable table(registry, 0, 2);
  table.define({members(4, {0, 2}), members(5, {0, -5}), members(6, {0}), remote(6, {-1, -1})});
  CHECK(table.find(4) == nullptr);
  CHECK(table.find(5) == nullptr);
  REQUIRE(table.find(6) != nullptr); // MPI_Comm_spawn
  CHECK(CommTable::to_world(*table.find(6), 1) == kProcNull);
}

TEST_CASE("neighbours alone make no communicator") {
  CommRegistry registry;
  CommTable table(registry, 0, 2);
  table.define({{3, SlotKind::sources, {1}}});
  CHECK(table.find(3) == nullptr);
  table.define({members(4, {0, 1}), {4, SlotKind::sources, {1}}, {4, SlotKind::destinations, {1, -1}}});
  REQUIRE(table.find(4) != nullptr);
  CHECK(*table.find(4)->sources == std::vector{1});
  CHECK(*table.find(4)->destinations == std::vector{1, -1});
}
