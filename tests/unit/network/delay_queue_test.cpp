#include "predictor/network/delay_queue.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

using namespace farcast;

TEST_CASE("things come out by time, and in the order in which they came in") {
  std::mt19937 random(5);
  network::DelayQueue<int> queue;
  std::multimap<double, int> expected; // keeps the order of equal keys
  double now = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 3 != 0) {
      const double time = now + static_cast<double>(random() % 4); // many in common, and some at once
      queue.push(time, i);
      expected.emplace(time, i);
      continue;
    }
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
