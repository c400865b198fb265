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

TEST_CASE("taking what is due, few or most of it") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    FinishQueue queue;
    std::set<std::pair<double, std::uint32_t>> expected;
    const auto size = static_cast<std::uint32_t>(1 + random() % 300);
    for (std::uint32_t index = 0; index < size; ++index) {
      const double time = static_cast<double>(random() % 50);
      queue.set(index, time);
      expected.emplace(time, index);
    }
    while (!expected.empty()) {
      const double due = expected.begin()->first + static_cast<double>(random() % 20) - 1;
      std::vector<std::uint32_t> taken;
      queue.take(due, taken);
      std::vector<std::uint32_t> wanted;
      for (; !expected.empty() && expected.begin()->first <= due; expected.erase(expected.begin()))
        wanted.push_back(expected.begin()->second);
      REQUIRE(taken == wanted);
      REQUIRE(queue.empty() == expected.empty());
      if (expected.empty()) break;
      REQUIRE(queue.top() == expected.begin()->second);
      const std::uint32_t moved = expected.rbegin()->second; // what is left can still be moved, and taken out
      expected.erase(std::prev(expected.end()));
      if (random() % 2 == 0) {
        queue.set(moved, due + 1);
        expected.emplace(due + 1, moved);
      } else {
        queue.erase(moved);
      }
    }
  }
}

TEST_CASE("what comes near the top is shown, most of it before its turn") {
  std::mt19937 random(11);
  FinishQueue queue;
  std::set<std::uint32_t> shown;
  constexpr std::uint32_t kSize = 5000;
  constexpr int kTurns = 20'000;
  for (std::uint32_t index = 0; index < kSize; ++index) queue.set(index, static_cast<double>(random() % 1'000'000));
  queue.look_ahead([](std::uint32_t) {});
  int foreseen = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::uint32_t next = queue.top();
    const double now = queue.top_time();
    foreseen += shown.erase(next) > 0;
    queue.erase(next);
    queue.set(next, now + 1'000'000.0 + static_cast<double>(random() % 1000));
    queue.look_ahead([&](std::uint32_t index) {
      REQUIRE(index < kSize);
      shown.insert(index);
    });
  }
  REQUIRE(foreseen > kTurns * 9 / 10);
}
