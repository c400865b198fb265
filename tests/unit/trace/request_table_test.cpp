#include "predictor/trace/request_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>

using namespace farcast::trace;

namespace {

// Returns: the request, which the table owns.
Request* add(RequestTable& table, std::uint64_t handle) {
  auto request = std::make_unique<Request>();
  Request* const added = request.get();
  table.add(handle, std::move(request));
  return added;
}

} // namespace

TEST_CASE("a handle value is a queue: the oldest request is found and completed first") {
  RequestTable table;
  Request* const first = add(table, 7);
  Request* const second = add(table, 7);
  CHECK(table.find(7) == first);
  table.complete(7);
  CHECK(table.find(7) == second);
  table.complete(7);
  CHECK(table.find(7) == nullptr);
}

TEST_CASE("MPI_REQUEST_NULL and unknown handles stand for nothing") {
  RequestTable table;
  table.add(0, std::make_unique<Request>());
  CHECK(table.find(0) == nullptr);
  table.complete(42);
  table.remove(42);
}

TEST_CASE("a persistent request stays until it is removed") {
  RequestTable table;
  Request* const request = add(table, 7);
  request->persistent = true;
  request->active = true;
  table.complete(7);
  CHECK_FALSE(request->active);
  CHECK(table.find(7) == request);
  table.remove(7);
  CHECK(table.find(7) == nullptr);
}

TEST_CASE("a request goes on under another handle") {
  RequestTable table;
  Request* const first = add(table, 7);
  Request* const second = add(table, 7);
  table.rename(7, 9);
  CHECK(table.find(9) == first);
  CHECK(table.find(7) == second);
  table.rename(8, 10);
  CHECK(table.find(10) == nullptr);
}

TEST_CASE("a plain request is its id, and a request like others as soon as somebody asks for it") {
  RequestTable table;
  table.add(7, 11U);
  table.add(7, 12U);
  Request* const third = add(table, 7);
  CHECK(table.take_plain(7) == 11);
  const Request* const second = table.find(7);
  REQUIRE(second != nullptr);
  CHECK(second->active);
  CHECK(second->id_count == 1);
  CHECK(second->ids[0] == 12);
  CHECK(table.take_plain(7) == 0); // it may be cancelled by now
  table.complete(7);
  CHECK(table.find(7) == third);
  CHECK(table.take_plain(7) == 0);
  table.complete(7);
  CHECK(table.take_plain(7) == 0);
  table.add(9, 13U);
  table.rename(9, 10);
  CHECK(table.find(9) == nullptr);
  CHECK(table.find(10)->ids[0] == 13);
  table.add(0, 14U);
  CHECK(table.take_plain(0) == 0);
}

TEST_CASE("ids are never 0 and never repeat") {
  RequestTable table;
  const std::uint32_t first = table.new_id();
  CHECK(first != 0);
  CHECK(table.new_id() != first);
}

TEST_CASE("thousands of live handles are each found while others come and go") {
  RequestTable table;
  std::map<std::uint64_t, const Request*> expected;
  std::uint64_t seed = 12345;
  for (int step = 0; step < 20000; ++step) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint64_t handle = 1 + (seed >> 33) % 3000;
    if (expected.count(handle) != 0) {
      REQUIRE(table.find(handle) == expected[handle]);
      table.complete(handle);
      expected.erase(handle);
    } else {
      expected[handle] = add(table, handle);
    }
  }
  for (const auto& [handle, request] : expected) REQUIRE(table.find(handle) == request);
}
