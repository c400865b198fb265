#include "predictor/network/delay_queue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace farcast;

TEST_CASE("things come out by time, and in the order in which they came in") {
  const unsigned delays = GENERATE(1U, 4U, 500U); // 500: more than there are runs
  std::mt19937 random(5);
  network::DelayQueue<int> queue;
  std::multimap<double, int> expected; // keeps the order of equal keys
  std::set<int> shown;
  double now = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 3 != 0) {
      const double time = now + static_cast<double>(random() % delays); // many in common, and some at once
      queue.push(time, i);
      expected.emplace(time, i);
      continue;
    }
    queue.look_ahead([&](int thing) {
      REQUIRE(shown.insert(thing).second);
      REQUIRE(std::any_of(expected.begin(), expected.end(), [&](const auto& waits) { return waits.second == thing; }));
    });
    now += static_cast<double>(random() % 2);
    std::vector<int> taken;
    queue.take(now, [&](int thing) { taken.push_back(thing); });
    std::vector<int> wanted;
    for (; !expected.empty() && expected.begin()->first <= now; expected.erase(expected.begin()))
      wanted.push_back(expected.begin()->second);
    REQUIRE(taken == wanted);
    REQUIRE(queue.empty() == expected.empty());
    if (!expected.empty()) REQUIRE(queue.top_time() == expected.begin()->first);
  }
}

TEST_CASE("with one delay, everything is shown before it is taken, however much waits") {
  network::DelayQueue<int> queue;
  std::set<int> shown;
  int taken = 0;
  constexpr int kThings = 10'000;
  constexpr int kDelay = 3000;
  for (int i = 0; i < kThings + kDelay; ++i) {
    if (i < kThings) queue.push(i + kDelay, i);
    queue.look_ahead([&](int thing) { shown.insert(thing); });
    queue.take(i, [&](int thing) {
      REQUIRE(thing == taken++);
      REQUIRE(shown.count(thing) == 1);
    });
  }
  REQUIRE(taken == kThings);
  REQUIRE(shown.size() == kThings);
}
