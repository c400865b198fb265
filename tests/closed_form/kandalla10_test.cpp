// Kandalla, Mancini, Sur and Panda, "Designing Power-Aware Collective Communication Algorithms for
// InfiniBand Clusters", ICPP 2010.
#include "tests/closed_form/figures.h"

#include "predictor/model/blocking_wait.h"
#include "predictor/model/collective_power.h"

#include <fmt/format.h>
#include <string>

namespace kandalla10_test {

using namespace farcast;
using namespace closed_form;
using model::PowerScheme;
using model::Steps;

namespace {

// VII-A: 8 nodes of two sockets with 4 cores. Bandwidth and C_net are not printed: 3.2 GB/s, 1.5.
const model::CollectiveCluster kCluster{8, 8, 2, base::BytesPerSecond(3.2e9), 1.5};
const model::ThrottleCosts kCosts{base::Seconds(12e-6), base::Seconds(10e-6), 1.2};
constexpr base::Bytes kMegabyte(1e6); // 312.5 us at that bandwidth

// Sampled power in kW, to 0.1: polling at f_max, blocking at f_max, polling at f_min, throttled in
// alltoall and in bcast.
constexpr Printed kPolling{2.3, 0.1}, kBlocking{2.0, 0.1}, kScaled{1.8, 0.1}, kAlltoall{1.6, 0.1}, kBcast{1.6, 0.1};

double share(PowerScheme scheme) { return model::dynamic_share(scheme, kCluster); }

// Static and dynamic part at f_min, in kW, from eq. (6) and (7).
double dynamic_kw(double scaled, double alltoall) { return (scaled - alltoall) / (1 - share(PowerScheme::throttled_alltoall)); }

} // namespace

TEST_CASE("Kandalla10 eq. (1) and (2): the default algorithms") {
  REQUIRE(model::check(kCluster));
  CHECK(model::alltoall_time(kCluster, kMegabyte).value() == by_hand(0.02625));       // 56 * 1.5 * 312.5 us
  CHECK(model::leaders_time(kCluster, kMegabyte).value() == by_hand(2.4609375e-3));   // 7 * 1.125 * 312.5 us
  const model::CollectiveCluster one_node{1, 8, 2, base::BytesPerSecond(3.2e9), 1.5}; // within a node: no time, by VI
  CHECK(model::alltoall_time(one_node, kMegabyte).value() == 0.0);
  CHECK(model::leaders_time(one_node, kMegabyte).value() == 0.0);
}

TEST_CASE("Kandalla10 eq. (3) and (4): the throttled algorithms") {
  REQUIRE(model::check(kCosts));
  // 0.75 * 64 * 1.5 * 312.5 us + 24 us + 80 us
  CHECK(model::throttled_alltoall_time(kCluster, kCosts, kMegabyte, Steps::as_printed).value() == by_hand(0.022604));
  // 0.75 * 56 * 1.5 * 312.5 us + 24 us + 80 us
  CHECK(model::throttled_alltoall_time(kCluster, kCosts, kMegabyte, Steps::between_nodes).value() == by_hand(0.0197915));
  // 1.2 * 2460.9375 us + 24 us + 20 us
  CHECK(model::throttled_leaders_time(kCluster, kCosts, kMegabyte).value() == by_hand(2.997125e-3));
}

TEST_CASE("Kandalla10 VI-A2: at most 25 % faster, if both equations count the same messages") {
  const model::ThrottleCosts free{};
  const auto saved = [&](Steps steps) {
    return 1 - model::throttled_alltoall_time(kCluster, free, kMegabyte, steps) / model::alltoall_time(kCluster, kMegabyte);
  };
  CHECK(saved(Steps::between_nodes) == by_hand(0.25));
  CHECK(saved(Steps::as_printed) == by_hand(1.0 / 7)); // 1 - 0.75 * 64 / 56
  WARN("eq. (1) counts P - c messages and eq. (3) N c: as printed 8 nodes of 8 cores gain 14 %, not the 25 % of the text");
}

TEST_CASE("Kandalla10 eq. (2): the printed allgather moves N times what N leaders need") {
  const double printed = model::leaders_time(kCluster, kMegabyte).value();
  const double scatter = 7.0 / 8 * 312.5e-6, blocks = 7.0 / 8 * 312.5e-6; // each leader receives the other 7 blocks of M / 8
  CHECK(printed == by_hand(scatter + 8 * blocks));
  WARN("kept as printed: scatter M (N-1)/N + allgather M (N-1), where an allgather of M / N bytes per leader takes M (N-1)/N");
}

TEST_CASE("Kandalla10 eq. (5) to (8): energies") {
  const auto joules = [](PowerScheme scheme, double core_w, double seconds) {
    return model::collective_energy(scheme, kCluster, base::Watts(core_w), base::Seconds(seconds)).value();
  };
  CHECK(joules(PowerScheme::unthrottled, 10, 0.02625) == by_hand(16.8));        // (5): 64 cores at f_max
  CHECK(joules(PowerScheme::unthrottled, 6, 0.028) == by_hand(10.752));         // (6): at f_min, for longer
  CHECK(joules(PowerScheme::throttled_alltoall, 6, 0.028) == by_hand(6.02112)); // (7): half at 6 W, half at 0.72 W
  CHECK(joules(PowerScheme::leader_sockets, 6, 0.003) == by_hand(0.35712));     // (8): 32 cores at 3 W, 32 at 0.72 W
  CHECK(share(PowerScheme::leader_cores) == by_hand(0.23));                     // VI-B: (1 + 7 * 0.12) / 8
  const model::CollectiveCluster four{8, 8, 4, base::BytesPerSecond(3.2e9), 1.5};
  CHECK(model::dynamic_share(PowerScheme::leader_sockets, four) == by_hand(0.215)); // (0.5 + 3 * 0.12) / 4
}

TEST_CASE("Kandalla10 VI-B: c_j between 0 and 1, c_7 = 0.12 printed, c_4 = 0.5 assumed") {
  CHECK(model::throttled_share(0) == 1.0);
  CHECK(model::throttled_share(4) == 0.5);
  CHECK(model::throttled_share(7) == 0.12);
  for (int state = 1; state < 8; ++state) CHECK(model::throttled_share(state) < model::throttled_share(state - 1));
}

TEST_CASE("Kandalla10 figures 6, 7, 9: 2.3, 2.0, 1.8 and 1.6 kW") {
  CHECK(kScaled.value / kPolling.value == by_hand(0.78260869565217));
  CHECK(kAlltoall.value / kPolling.value == by_hand(0.69565217391304));
  CHECK(kBlocking.value / kPolling.value == by_hand(0.86956521739130));
  // Eq. (6) and (7) of a dynamic part beside a static one: platform nehalem-ib, 8 nodes.
  const double dynamic = dynamic_kw(kScaled.value, kAlltoall.value), fixed = kScaled.value - dynamic;
  CHECK(rounds_to(1000 * dynamic / 8, 56.8, 0.1));
  CHECK(rounds_to(1000 * fixed / 8, 168.2, 0.1));
  CHECK(fixed + share(PowerScheme::throttled_alltoall) * dynamic == by_hand(1.6));
  // Of the whole power eq. (7) would leave 0.56, printed is 0.89.
  CHECK(share(PowerScheme::throttled_alltoall) == by_hand(0.56));
  CHECK(kAlltoall.low() / kScaled.high() > 0.83);
}

TEST_CASE("Kandalla10 eq. (8) meets the printed 1.6 kW of bcast only by the rounding of 1.8 and 1.6 kW") {
  const double left = share(PowerScheme::leader_sockets); // (0.5 + 0.12) / 2
  CHECK(left == by_hand(0.31));
  const double dynamic = dynamic_kw(kScaled.value, kAlltoall.value);
  const double central = kScaled.value - (1 - left) * dynamic;
  CHECK(central == by_hand(1.4863636363636));
  CHECK(central < kBcast.low());
  const double least_dynamic = dynamic_kw(kScaled.low(), kAlltoall.high());
  CHECK(kScaled.low() - (1 - left) * least_dynamic > kBcast.low());
  // Alltoall and bcast both print 1.6 kW: with the figures as they stand c_4 would have to be 1, no
  // throttling at all.
  CHECK(2 * share(PowerScheme::throttled_alltoall) - model::throttled_share(7) == by_hand(1.0));
  WARN(fmt::format("eq. (8) with c_4 = 0.5 gives {:.2f} kW beside a printed 1.6 kW; within the rounding of the printed figures",
                   central));
}

namespace {

struct Energies { // kJ
  const char* what;
  double plain, scaled, proposed;
};
constexpr Energies kTables[] = {{"Wat-32-inp-1, 32", 28.4736, 27.096, 27.20},
                                {"Wat-32-inp-2, 32", 32.76, 31.72, 31.36},
                                {"ta-inp-md, 32", 265.56, 259.48, 258.96},
                                {"Wat-32-inp-1, 64", 31.79, 29.944, 29.49},
                                {"Wat-32-inp-2, 64", 38.68, 38.84, 38.13},
                                {"ta-inp-md, 64", 304.5312, 289.20, 281.04},
                                {"FT, 32", 16.36, 15.588, 15.472},
                                {"IS, 32", 3.412, 3.248, 3.16},
                                {"FT, 64", 17.056, 16.32, 16.16},
                                {"IS, 64", 3.8456, 3.608, 3.52}};

} // namespace

TEST_CASE("Kandalla10 Tables I and II: about 8 % of energy saved by ta-inp-md and IS on 64 processes") {
  const auto saved = [](const Energies& row) { return 100 * (1 - row.proposed / row.plain); };
  CHECK(rounds_to(saved(kTables[5]), 7.7139, 0.0001));
  CHECK(rounds_to(saved(kTables[9]), 8.4668, 0.0001));
  std::string odd;
  for (const Energies& row : kTables) {
    CHECK(row.proposed < row.plain);
    CHECK(saved(row) < 8.5);
    if (row.scaled > row.plain) odd += fmt::format("  {}: {} kJ at f_min, {} kJ at f_max\n", row.what, row.scaled, row.plain);
    if (row.proposed > row.scaled)
      odd += fmt::format("  {}: {} kJ throttled, {} kJ at f_min\n", row.what, row.proposed, row.scaled);
  }
  CHECK(odd ==
        "  Wat-32-inp-1, 32: 27.2 kJ throttled, 27.096 kJ at f_min\n  Wat-32-inp-2, 64: 38.84 kJ at f_min, 38.68 kJ at f_max\n");
  WARN("rows against the trend (the tables call these energies power):\n" << odd);
}

TEST_CASE("polling and blocking waits, by hand") {
  const model::BlockingWait costs{base::Seconds(50e-6), base::Seconds(20e-6)};
  REQUIRE(model::check(costs));
  const base::Watts polling(15), idle(1);
  const auto polled = model::polling_wait(base::Seconds(1e-3), polling);
  CHECK(polled.time.value() == 1e-3);
  CHECK(polled.energy.value() == by_hand(0.015));
  const auto blocked = model::blocking_wait(base::Seconds(1e-3), costs, polling, idle);
  CHECK(blocked.time.value() == by_hand(1.02e-3));
  CHECK(blocked.energy.value() == by_hand(2e-3)); // 15 W * 70 us + 1 W * 950 us
  const auto brief = model::blocking_wait(base::Seconds(40e-6), costs, polling, idle);
  CHECK(brief.time.value() == 40e-6);
  CHECK(brief.energy.value() == by_hand(6e-4));
  CHECK_FALSE(model::check(model::BlockingWait{base::Seconds(-1), base::Seconds(0)}));
}

TEST_CASE("what is no cluster for these collectives is said") {
  const auto error = [](model::CollectiveCluster cluster) {
    const auto fine = model::check(cluster);
    return fine ? std::string() : fine.error().message;
  };
  CHECK(error({8, 6, 4, base::BytesPerSecond(1e9), 1.0}) == "6 cores do not share 4 sockets evenly");
  CHECK(error({8, 8, 2, base::BytesPerSecond(1e9), 0.5}) == "cluster of a collective: C_net is 0.5, expected at least 1");
  CHECK(error({8, 8, 9, base::BytesPerSecond(1e9), 1.0}) == "cluster of a collective: sockets is 9, expected 1 to 8");
  CHECK_FALSE(model::check(model::ThrottleCosts{base::Seconds(0), base::Seconds(0), 0.9}));
}

} // namespace kandalla10_test
