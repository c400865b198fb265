#include "predictor/network/finish_queue.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

using farcast::network::FinishQueue;

TEST_CASE("the top is always the smallest time, then the smallest index") {
  std::mt19937 random(11);
  FinishQueue queue;
  std::map<std::uint32_t, double> times;
  std::set<std::pair<double, std::uint32_t>> ordered;
  for (int i = 0; i < 30000; ++i) {
    const auto index = static_cast<std::uint32_t>(random() % 100);
    const auto found = times.find(index);
    if (found != times.end()) {
      ordered.erase({found->second, index});
      times.erase(found);
    }
    if (random() % 3 == 0) {
      queue.erase(index);
    } else {
      const double time = static_cast<double>(random() % 50);
      queue.set(index, time);
      times[index] = time;
      ordered.insert({time, index});
    }
    REQUIRE(queue.empty() == ordered.empty());
    if (ordered.empty()) continue;
    REQUIRE(queue.top() == ordered.begin()->second);
    REQUIRE(queue.top_time() == ordered.begin()->first);
  }
}
