#include "predictor/sim/account.h"

#include <catch2/catch.hpp>

namespace account_test {

using namespace farcast::sim;

TEST_CASE("what goes on with a call belongs to it: the shortest and the longest are whole calls") {
  Account account(1);
  LastCall one;
  LastCall other; // another thread's
  account.call(0, 7, 3, 1, one);
  account.call(0, 7, 1, 1, one);
  account.call(0, 7, 2, 1, other);
  account.call(0, 7, 9, 0, one);
  account.call(0, 7, 0.5, 0, other);
  account.call(0, 8, 0, 1, one);
  account.call(0, 8, 4, 0, one);
  account.call(0, 8, 2, 0, one);
  account.call(0, 9, 6, 3, one); // a row of three
  Prediction prediction;
  account.report(prediction);
  const SiteTimes& shared = prediction.sites.at(7)[0];
  CHECK(shared.count == 3);
  CHECK(shared.total.value() == 15.5);
  CHECK(shared.max.value() == 10);
  CHECK(shared.min.value() == 2.5);
  const SiteTimes& alone = prediction.sites.at(8)[0];
  CHECK(alone.count == 1);
  CHECK(alone.max.value() == 6);
  CHECK(alone.min.value() == 6);
  CHECK(prediction.sites.at(9)[0].min.value() == 2);
}

} // namespace account_test
