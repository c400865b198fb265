#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <random>

namespace contention_test {

using namespace scenario;

namespace {

constexpr double kLarge = 1000000;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

// Each pair sends kLarge from its first to its second rank, all at time 0.
double time_of(const platform::Platform& platform, int ranks, const std::vector<std::pair<int, int>>& pairs) {
  Program program(ranks);
  program.all_init();
  std::uint32_t request = 1;
  std::vector<std::vector<std::uint32_t>> open(static_cast<std::size_t>(ranks));
  for (const auto& [from, to] : pairs) {
    program.rank(from).isend(to, kLarge, request);
    open[static_cast<std::size_t>(from)].push_back(request++);
    program.rank(to).ireceive(from, request);
    open[static_cast<std::size_t>(to)].push_back(request++);
  }
  for (int rank = 0; rank < ranks; ++rank) program.rank(rank).wait(open[static_cast<std::size_t>(rank)]);
  program.all_finalize();
  return play(program, platform).time.value();
}

} // namespace

TEST_CASE("flows into one host divide its link") {
  const platform::Platform platform = flat(4);
  REQUIRE(time_of(platform, 4, {{1, 0}, {2, 0}}) == near(alone(platform, kLarge, kBandwidth / 2)));
  REQUIRE(time_of(platform, 4, {{1, 0}, {2, 0}, {3, 0}}) == near(alone(platform, kLarge, kBandwidth / 3)));
  REQUIRE(time_of(platform, 4, {{0, 1}, {0, 2}, {0, 3}}) == near(alone(platform, kLarge, kBandwidth / 3)));
}

TEST_CASE("disjoint pairs do not disturb each other") {
  const platform::Platform platform = flat(6);
  REQUIRE(time_of(platform, 6, {{0, 1}, {2, 3}, {4, 5}}) == near(alone(platform, kLarge)));
}

TEST_CASE("flows over one backbone divide it max-min fairly") {
  const platform::LinkFigures backbone{BytesPerSecond(2 * kBandwidth), Seconds(kLatency), platform::Sharing::shared};
  platform::Platform platform = flat(8, kBandwidth, kLatency, 1, backbone);
  const double latency = 3 * kLatency;
  REQUIRE(time_of(platform, 8, {{0, 1}, {2, 3}}) == near(alone(platform, kLarge, kBandwidth, latency)));
  REQUIRE(time_of(platform, 8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}) == near(alone(platform, kLarge, kBandwidth / 2, latency)));
  platform.links[platform.route(0, 1).links[1]].sharing = platform::Sharing::fatpipe;
  REQUIRE(time_of(platform, 8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}) == near(alone(platform, kLarge, kBandwidth, latency)));
}

TEST_CASE("a thousand messages under way, none of which meets another") {
  constexpr int kRanks = 1200;
  constexpr std::uint32_t kRounds = 4;
  platform::Platform platform = flat(kRanks);
  platform.p2p.detached_below_bytes = 0; // both ends wait for each other
  Program program(kRanks);
  program.all_init();
  std::mt19937 random(7);
  std::vector<double> expected(kRanks, 0.0); // when each rank is through with the rounds so far
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    std::vector<int> target(kRanks);
    std::iota(target.begin(), target.end(), 0);
    std::shuffle(target.begin(), target.end(), random);
    std::vector<double> next = expected;
    for (int rank = 0; rank < kRanks; ++rank) {
      const int to = target[static_cast<std::size_t>(rank)];
      if (to == rank) continue;
      program.rank(to).ireceive(rank, round, static_cast<int>(round));
    }
    for (int rank = 0; rank < kRanks; ++rank) {
      const int to = target[static_cast<std::size_t>(rank)];
      if (to == rank) continue;
      const double bytes = 1000.0 * static_cast<double>(1 + random() % 500);
      program.rank(rank).send(to, bytes, static_cast<int>(round)).wait({round});
      double& sender = next[static_cast<std::size_t>(rank)];
      double& receiver = next[static_cast<std::size_t>(to)];
      const double met = std::max(expected[static_cast<std::size_t>(rank)], expected[static_cast<std::size_t>(to)]);
      sender = std::max(sender, met + alone(platform, bytes));
      receiver = std::max(receiver, met + alone(platform, bytes));
    }
    expected = next;
  }
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  for (int rank = 0; rank < kRanks; ++rank) {
    double spent = 0;
    for (int i = 0; i < sim::kActivities; ++i) {
      const auto activity = static_cast<sim::Activity>(i);
      if (activity != sim::Activity::ended) spent += seconds(p, rank, activity);
    }
    REQUIRE(spent == Approx(expected[static_cast<std::size_t>(rank)]).epsilon(1e-9).margin(0));
  }
}

TEST_CASE("what a finished flow leaves goes to the others") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  program.rank(0).ireceive(1, 1).ireceive(2, 2).wait({1, 2});
  program.rank(1).send(0, kLarge);
  program.rank(2).send(0, 2 * kLarge);
  program.all_finalize();
  // Both halve the link until the first has its bytes; the second has the rest for itself.
  const double factor = platform::factor_at(platform.p2p.bandwidth_factor, kLarge);
  const double latency = platform::factor_at(platform.p2p.latency_factor, kLarge) * 2 * kLatency;
  const double work = (kLarge + 16) / factor;
  const double work2 = (2 * kLarge + 16) / factor;
  REQUIRE(play(program, platform).time.value() == near(latency + work / (kBandwidth / 2) + (work2 - work) / kBandwidth));
}

TEST_CASE("a link without bandwidth is reported, not waited for") {
  platform::Platform platform = flat(2);
  platform.links[0].bandwidth = BytesPerSecond(0);
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kLarge);
  program.rank(1).receive(0);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE_FALSE(p.complete);
  REQUIRE(p.problems.at(0).kind == sim::ProblemKind::no_bandwidth);
}

TEST_CASE("messages below one cache, on one node and below one switch have factors of their own") {
  platform::Platform platform = flat(2, kBandwidth, kLatency, 4, {}, platform::LinkFigures{BytesPerSecond(1e9), Seconds(1e-6)});
  for (platform::Host& host : platform.hosts) host.cores_per_cache = 2;
  platform.p2p.latency_factor = platform.p2p.bandwidth_factor = {{0, 1}};
  platform.p2p.same_cache.bandwidth = {{0, 4}};
  platform.p2p.same_node.bandwidth = {{0, 2}};
  platform.p2p.same_node.latency = {{0, 10}};
  platform.p2p.same_switch.bandwidth = {{0, 0.5}};
  platform::Placement placement;
  placement.host_of = {0, 0, 0, 1};
  placement.core_of = {0, 1, 2, 0};
  const auto time = [&](int receiver) {
    Program program(4);
    program.all_init();
    program.rank(0).send(receiver, 1e6);
    program.rank(receiver).receive(0);
    program.all_finalize();
    return sim::predict(program, platform, placement, {}).time.value();
  };
  const double size = 1e6 + platform.p2p.envelope_bytes;
  const auto near = [](double value) { return Approx(value).epsilon(1e-9).margin(0); };
  CHECK(time(1) == near(10e-6 + size / (4 * 1e9)));
  CHECK(time(2) == near(10e-6 + size / (2 * 1e9)));
  CHECK(time(3) == near(2 * kLatency + size / (0.5 * kBandwidth)));
}

} // namespace contention_test
