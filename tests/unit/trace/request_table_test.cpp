#include "predictor/trace/request_table.h"

#include <catch2/catch.hpp>
#include <map>

using namespace farcast::trace;

TEST_CASE("a handle value is a queue: the oldest request is found and completed first") {
  RequestTable table;
  const auto first = std::make_shared<Request>();
  const auto second = std::make_shared<Request>();
  table.add(7, first);
  table.add(7, second);
  CHECK(table.find(7) == first);
  first->active = true;
  CHECK(table.complete(7) == first);
  CHECK_FALSE(first->active);
  CHECK(table.complete(7) == second);
  CHECK(table.complete(7) == nullptr);
  CHECK(table.find(7) == nullptr);
}

TEST_CASE("MPI_REQUEST_NULL and unknown handles stand for nothing") {
  RequestTable table;
  table.add(0, std::make_shared<Request>());
  CHECK(table.find(0) == nullptr);
  CHECK(table.complete(42) == nullptr);
  table.remove(42);
}

TEST_CASE("a persistent request stays until it is removed") {
  RequestTable table;
  const auto request = std::make_shared<Request>();
  request->persistent = true;
  request->active = true;
  table.add(7, request);
  CHECK(table.complete(7) == request);
  CHECK_FALSE(request->active);
  CHECK(table.find(7) == request);
  table.remove(7);
  CHECK(table.find(7) == nullptr);
}

TEST_CASE("ids are never 0 and never repeat") {
  RequestTable table;
  const std::uint32_t first = table.new_id();
  CHECK(first != 0);
  CHECK(table.new_id() != first);
}

TEST_CASE("thousands of live handles are each found while others come and go") {
  RequestTable table;
  std::map<std::uint64_t, std::shared_ptr<Request>> expected;
  std::uint64_t seed = 12345;
  for (int step = 0; step < 20000; ++step) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint64_t handle = 1 + (seed >> 33) % 3000;
    if (expected.count(handle) != 0) {
      REQUIRE(table.complete(handle) == expected[handle]);
      expected.erase(handle);
    } else {
      expected[handle] = std::make_shared<Request>();
      table.add(handle, expected[handle]);
    }
  }
  for (const auto& [handle, request] : expected) REQUIRE(table.find(handle) == request);
}
