#include "predictor/sim/locks.h"

#include <catch2/catch.hpp>

namespace locks_test {

using namespace farcast;
using sim::Locks;
using trace::Lock;
using Granted = std::vector<std::uint32_t>;

namespace {

constexpr Locks::Window kWindow{2, 0};

} // namespace

TEST_CASE("locks of a target are granted in the order in which they are asked for") {
  Locks locks;
  CHECK(locks.ask(kWindow, 5, Lock::shared, 1));
  CHECK(locks.ask(kWindow, 5, Lock::shared, 2));
  CHECK_FALSE(locks.ask(kWindow, 5, Lock::exclusive, 3));
  CHECK_FALSE(locks.ask(kWindow, 5, Lock::shared, 4)); // behind the exclusive one
  CHECK_FALSE(locks.ask(kWindow, 5, Lock::shared, 5));
  CHECK_FALSE(locks.ask(kWindow, 5, Lock::exclusive, 6));
  CHECK(locks.release(kWindow, 5, Lock::shared).empty());
  CHECK(locks.release(kWindow, 5, Lock::shared) == Granted{3});
  CHECK(locks.release(kWindow, 5, Lock::exclusive) == Granted{4, 5});
  CHECK(locks.release(kWindow, 5, Lock::shared).empty());
  CHECK(locks.release(kWindow, 5, Lock::shared) == Granted{6});
}

TEST_CASE("targets and windows have locks of their own") {
  Locks locks;
  CHECK(locks.ask(kWindow, 5, Lock::exclusive, 1));
  CHECK(locks.ask(kWindow, 6, Lock::exclusive, 2));
  CHECK(locks.ask({2, 1}, 5, Lock::exclusive, 3));
  CHECK(locks.ask({4, 0}, 5, Lock::exclusive, 4));
}

TEST_CASE("a lock of all targets waits for exclusive ones, and they for it once it is granted") {
  Locks locks;
  CHECK(locks.ask(kWindow, 5, Lock::exclusive, 1));
  CHECK_FALSE(locks.ask(kWindow, 0, Lock::all, 2));
  CHECK(locks.ask(kWindow, 6, Lock::exclusive, 3)); // whoever holds the first may need it
  CHECK(locks.ask(kWindow, 8, Lock::shared, 4));
  CHECK(locks.release(kWindow, 5, Lock::exclusive).empty());
  CHECK(locks.release(kWindow, 6, Lock::exclusive) == Granted{2});
  CHECK(locks.ask(kWindow, 0, Lock::all, 5));
  CHECK_FALSE(locks.ask(kWindow, 7, Lock::exclusive, 6));
  CHECK_FALSE(locks.ask(kWindow, 7, Lock::shared, 7)); // behind it
  CHECK(locks.release(kWindow, 0, Lock::all).empty());
  CHECK(locks.release(kWindow, 0, Lock::all) == Granted{6});
  CHECK(locks.release(kWindow, 7, Lock::exclusive) == Granted{7});
}

TEST_CASE("a lock that nobody holds cannot be given up") {
  Locks locks;
  for (const Lock kind : {Lock::shared, Lock::exclusive, Lock::all}) CHECK(locks.release(kWindow, 5, kind).empty());
  CHECK(locks.ask(kWindow, 5, Lock::exclusive, 1));
  CHECK_FALSE(locks.ask(kWindow, 5, Lock::exclusive, 2));
}

} // namespace locks_test
