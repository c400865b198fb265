// Heinrich et al., "Predicting the Energy Consumption of MPI Applications at Scale Using a Single
// Node", IEEE Cluster 2017.
#include "tests/closed_form/figures.h"

#include "predictor/model/frequency_law.h"
#include "predictor/model/node_power.h"

#include <array>

namespace heinrich17_test {

using namespace farcast;
using namespace closed_form;
using model::Workload;

namespace {

constexpr int kCores = 12; // Taurus: two processors of 6 cores (III)
constexpr base::Hertz kFrequency(2.3e9);

// V-C1: static about 92 W; V-C2: all cores in MPI_Iprobe about 188 W, all in HPL about 214 W, idle
// about 110 W.
model::PowerState taurus(double idle_w) {
  return {
      kFrequency, base::Watts(idle_w), base::Watts(92), {base::Watts(214), base::Watts(188), base::Watts(188), base::Watts(214)}};
}

double watts(const model::PowerState& state, int computing, int polling, int probing) {
  return model::node_power(state, kCores, {computing, polling, probing}).value();
}

} // namespace

TEST_CASE("Heinrich17 eq. (1): Taurus, from no core to all") {
  const model::PowerState state = taurus(92);
  REQUIRE(model::check(state));
  CHECK(watts(state, 0, 0, 0) == 92.0);
  CHECK(watts(state, 1, 0, 0) == by_hand(102.16666666666667)); // 92 + 122 / 12
  CHECK(watts(state, 6, 0, 0) == by_hand(153.0));              // IV-C: 6 of 12 cores are a load of 50 %
  CHECK(watts(state, 12, 0, 0) == by_hand(214.0));
  CHECK(watts(state, 0, 0, 1) == by_hand(100.0));
  CHECK(watts(state, 0, 0, 12) == by_hand(188.0));
  CHECK(watts(state, 6, 0, 6) == by_hand(201.0)); // several workloads at once are ours
  CHECK(watts(state, 3, 6, 3) == by_hand(194.5)); // 92 + 30.5 + 48 + 24
  CHECK(model::dynamic_per_core(state, kCores, Workload::probing).value() == by_hand(8.0));
  // w: 6 cores of one class of workloads beside 6 of another; the paper prints no watts of
  // memory-bound ones.
  model::PowerState two_classes = state;
  two_classes.all_active[static_cast<std::size_t>(Workload::memory)] = base::Watts(152);
  CHECK(model::node_power(two_classes, kCores, {6, 0, 0, 6}).value() == by_hand(183.0)); // 92 + 61 + 30
}

TEST_CASE("Heinrich17 contradicts itself: Taurus idles at 110 W, above its static 92 W and above one computing core") {
  const model::PowerState printed = taurus(110);
  CHECK(watts(printed, 1, 0, 0) < watts(printed, 0, 0, 0));
  CHECK(model::idle_above_one_core(printed, kCores));
  CHECK_FALSE(model::idle_above_one_core(taurus(92), kCores));
  WARN("printed: idle 110 W (V-C2), static 92 W (V-C1), though IV-C has an idle node below its static power; with them the "
       "first core at work would save 7.8 W. Taken: idle = static = 92 W.");
}

TEST_CASE("Heinrich17 IV-C: static and dynamic power from one core and from all") {
  const auto figures = model::figures_of_two_runs(base::Watts(120), base::Watts(230), kCores);
  REQUIRE(figures);
  CHECK(figures->static_active.value() == by_hand(110.0)); // 10 W for each core
  CHECK(figures->all_active.value() == 230.0);
  const auto back = model::figures_of_two_runs(base::Watts(92 + 122.0 / 12), base::Watts(214), kCores);
  REQUIRE(back);
  CHECK(back->static_active.value() == by_hand(92.0));
  CHECK_FALSE(model::figures_of_two_runs(base::Watts(120), base::Watts(230), 1));
  CHECK_FALSE(model::figures_of_two_runs(base::Watts(120), base::Watts(110), 12));
  const auto too_steep = model::figures_of_two_runs(base::Watts(10), base::Watts(214), 2);
  REQUIRE_FALSE(too_steep);
  CHECK(too_steep.error().message == "one core draws 10 W and 2 cores 214 W, so the static part would be -194 W");
}

TEST_CASE("Heinrich17 eq. (1) at several frequencies") {
  model::PowerState slow{base::Hertz(1.3e9), base::Watts(80), base::Watts(90), {}};
  slow.all_active = {base::Watts(150), base::Watts(140), base::Watts(130), base::Watts(120)};
  const std::array<model::PowerState, 2> states{slow, taurus(92)};
  const auto quarter = model::at_frequency(states, base::Hertz(1.55e9));
  REQUIRE(quarter);
  CHECK(quarter->idle.value() == by_hand(83.0));
  CHECK(quarter->static_active.value() == by_hand(90.5));
  CHECK(watts(*quarter, 12, 0, 0) == by_hand(166.0));
  CHECK(watts(*quarter, 0, 6, 0) == by_hand(121.25)); // 90.5 + (152 - 90.5) / 2
  CHECK(watts(model::at_frequency(states, kFrequency).value(), 12, 0, 0) == by_hand(214.0));
  CHECK(watts(model::at_frequency(states, base::Hertz(1.3e9)).value(), 0, 0, 0) == 80.0);
  const auto outside = model::at_frequency(states, base::Hertz(2.4e9));
  REQUIRE_FALSE(outside);
  CHECK(outside.error().message == "power at 2.4 GHz is not known, expected a frequency from 1.3 to 2.3 GHz");
  CHECK_FALSE(model::at_frequency({}, kFrequency));
  CHECK_FALSE(model::at_frequency(std::array{states[1], states[0]}, kFrequency));
}

TEST_CASE("power figures out of range are named") {
  model::PowerState state = taurus(92);
  state.all_active[2] = base::Watts(91);
  const auto fine = model::check(state);
  REQUIRE_FALSE(fine);
  CHECK(fine.error().message == "power of a node: what all cores draw is 91, expected at least 92");
}

TEST_CASE("the clock's share of a time: T(f) = T(fmax) (1 + b (fmax / f - 1))") {
  const auto factor = [](double b, double ghz) { return model::clock_factor(b, base::Hertz(2.4e9), base::Hertz(ghz * kGiga)); };
  CHECK(factor(0.6, 1.6) == by_hand(1.3));
  CHECK(factor(1.0, 1.2) == by_hand(2.0));
  CHECK(factor(0.0, 1.2) == 1.0);
  CHECK(factor(0.3, 2.4) == 1.0); // to the last bit
}

} // namespace heinrich17_test
