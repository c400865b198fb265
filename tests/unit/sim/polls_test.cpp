// What Iprobe, Test and their like take: as measured, or as the platform says.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace polls_test {

using namespace scenario;
using sim::Activity;

namespace {

constexpr double kSmall = 1000; // detached

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

platform::Platform with_power() {
  platform::Platform platform = flat(2);
  for (platform::Host& host : platform.hosts)
    host.power = platform::NodePower{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  return platform;
}

} // namespace

TEST_CASE("fruitless polls take their measured time and draw probing power") {
  platform::Platform platform = with_power();
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.06).polls(2'000'000, 0.14, true).at_site(7).compute(0.1).polls(4, 0.01).at_site(8);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.time.value() == near(0.31));
  REQUIRE(seconds(p, 0, Activity::compute) == near(0.16));
  REQUIRE(seconds(p, 0, Activity::local) == near(0.15));
  REQUIRE(p.energy_parts.probing.value() == near(0.15 * 60)); // 160 W less 100 W static, one core
  REQUIRE(p.energy_parts.computing.value() == near(0.16 * 100));
  REQUIRE(p.sites.at(7)[0].count == 2'000'000);
  REQUIRE(p.sites.at(7)[0].total.value() == near(0.14));
  REQUIRE(p.sites.at(7)[0].max.value() == near(0.07e-6));
  REQUIRE(p.assumptions.empty());
}

TEST_CASE("fruitless polls take what the platform says of one, and the report names what makes much of the time") {
  platform::Platform platform = with_power();
  platform.p2p.iprobe_cost = Seconds(1e-6);
  platform.p2p.test_cost = Seconds(1e-6);
  Program program(2);
  program.all_init();
  program.rank(1).compute(1.0).polls(50'000, 0.14, true).polls(2'000, 0.01);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.time.value() == near(1.052));
  REQUIRE(p.energy_parts.probing.value() == near(0.052 * 60));
  REQUIRE(p.assumptions.size() == 1);
  const auto* given = std::get_if<sim::GivenPolls>(&p.assumptions[0]);
  REQUIRE(given != nullptr);
  REQUIRE(given->probes);
  REQUIRE(given->each.value() == 1e-6);
  REQUIRE(given->share == Approx(0.05).epsilon(0.1));
  REQUIRE(given->rank == 1);
}

TEST_CASE("a poll that found something lasts one poll at least, and until it is there") {
  platform::Platform platform = flat(2);
  double cost = 3e-6; // as measured
  SECTION("as measured") {}
  SECTION("as the platform says") { cost = 100e-6; }
  if (cost > 3e-6) platform.p2p.iprobe_cost = platform.p2p.test_cost = Seconds(cost);
  const double arrives = alone(platform, kSmall);
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall, 1).send(1, kSmall, 2).compute(0.5).send(1, kSmall, 3).compute(0.5).send(1, kSmall, 4);
  program.rank(1).ireceive(0, 1, 1).compute(0.1).wait({1}).polled().took(3e-6).at_site(1);
  program.rank(1).probe(0, 2).polled().took(3e-6).at_site(2).receive(0, 2);
  program.rank(1).probe(0, 3).polled().took(3e-6).at_site(3).receive(0, 3);
  program.rank(1).ireceive(0, 2, 4).wait({2}).polled().took(3e-6).at_site(4);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.sites.at(1)[1].total.value() == near(cost));
  REQUIRE(p.sites.at(2)[1].total.value() == near(cost));
  REQUIRE(p.sites.at(3)[1].total.value() == near(0.5 - 0.1 - 2 * cost - arrives)); // the receive of tag 2 took its time
  REQUIRE(p.time.value() == near(1.0 + arrives));
}

TEST_CASE("a program that works between two looks finds what has come when it looks next") {
  platform::Platform platform = with_power();
  const double arrives = alone(platform, kSmall);
  const double cost = 3e-6, every = 0.07 + cost;
  const auto look_from = [every](double first, double there) { return first + std::ceil((there - first) / every) * every; };
  Program program(2);
  program.all_init();
  program.rank(0)
      .compute(0.5)
      .send(1, kSmall, 1)
      .compute(0.5)
      .send(1, kSmall, 2)
      .send(1, kSmall, 3)
      .compute(0.5)
      .send(1, kSmall, 4);
  program.rank(1).probe(0, 1).looks_every(0.07).took(cost).receive(0, 1);
  program.rank(1).ireceive(0, 1, 2).wait({1}).looks_every(0.07).took(cost).at_site(2);
  program.rank(1).compute(0.13).probe(0, 3).looks_every(0.07).took(cost).at_site(3).receive(0, 3);
  program.rank(1).probe(0, 4).looks_every(0.07).took(cost).at_site(4);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const double first = look_from(cost, 0.5 + arrives);
  const double second = look_from(first + cost, 1.0 + arrives);
  CHECK(p.sites.at(2)[1].total.value() == near(second - first));
  CHECK(p.sites.at(3)[1].total.value() == near(cost));             // it is there at the first look
  CHECK(p.sites.at(4)[1].total.value() == near(cost + 5 * every)); // from 1.18 s on for what comes at 1.5 s
  CHECK(p.energy_parts.probing.value() == near(cost * 60));        // that one alone did not wait at work
}

TEST_CASE("a ping-pong by polling: what the platform takes for a test is named") {
  platform::Platform platform = flat(2);
  platform.p2p.test_cost = Seconds(1e-3);
  Program program(2);
  program.all_init();
  for (int i = 0; i < 20; ++i) {
    program.rank(0).send(1, kSmall).ireceive(1, 1).wait({1}).polled();
    program.rank(1).ireceive(0, 1).wait({1}).polled().send(0, kSmall);
  }
  program.all_finalize();
  const sim::Prediction slow = play(program, platform);
  REQUIRE(slow.assumptions.size() == 1);
  const auto* given = std::get_if<sim::GivenPolls>(&slow.assumptions[0]);
  REQUIRE(given != nullptr);
  REQUIRE_FALSE(given->probes);
  REQUIRE(given->each.value() == 1e-3);
  platform.p2p.test_cost.reset();
  const sim::Prediction fast = play(program, platform);
  REQUIRE(fast.assumptions.empty());
  REQUIRE(fast.time.value() == near(40 * alone(platform, kSmall)));
  REQUIRE(slow.time.value() > 4 * fast.time.value());
}

} // namespace polls_test
