#include "predictor/scenario/members.h"

#include "predictor/base/normal_deviate.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace farcast;
using namespace farcast::scenario;

namespace {

MembersPlan plan(std::size_t count, std::size_t apart, bool computation = true, bool calibration = true) {
  MembersPlan out;
  out.count = count;
  out.apart = apart;
  out.computation = computation;
  out.calibration = calibration;
  return out;
}

} // namespace

TEST_CASE("the numbers of members follow what they may cost") {
  CHECK(members_plan(0, 1e6, 1000).count == kUsualMembers);
  CHECK(members_plan(0, 1e6, 1000).apart == kUsualMembers / 2);
  CHECK(members_plan(0, 1e6, 40000).count == 25);
  CHECK(members_plan(0, 1e6, 40000).apart == 0); // nothing is left for them
  CHECK(members_plan(0, 1e6, 60000).count == 0); // an interval needs 20
  CHECK(members_plan(100, 1e6, 60000).count == 100);
  CHECK(members_plan(5, 1e6, 10).count == 5);
}

TEST_CASE("members have common draws, and one thing alone where the sources are told apart") {
  Scenario scenario;
  scenario.options.seed = 77;
  const std::vector<Scenario> members = members_of(scenario, plan(20, 10), true, 3);
  REQUIRE(members.size() == 40);
  CHECK(members[4].member.number == 5);
  CHECK(members[4].options.seed == 7);
  CHECK((members[20].member.computation && !members[20].member.calibration));
  CHECK(members[25].options.seed == 3);
  CHECK((!members[30].member.computation && members[30].member.calibration));
  CHECK(members_of(scenario, plan(20, 10, true, false), false, 3).size() == 30);
  CHECK(members_of(scenario, plan(20, 10, true, false), false, 3).front().options.seed == 77);
  CHECK(members_of(scenario, plan(20, 10, false, false), false, 3).empty()); // there is nothing to draw
}

TEST_CASE("the interval holds the figure and its parts add up") {
  const Outcome figure{1.0, 100.0, 0.0};
  std::vector<Outcome> answers(20 + 10 + 10, figure);
  for (std::size_t i = 0; i < 20; ++i) {
    answers[i].time_s = 1.1 + 0.01 * base::normal_deviate(i);
    answers[i].energy_j = 100 + base::normal_deviate(i);
  }
  for (std::size_t i = 0; i < 10; ++i) {
    answers[20 + i].time_s = 1 + 0.03 * (i % 2 == 0 ? 1 : -1);
    answers[30 + i].time_s = 1 + 0.01 * (i % 2 == 0 ? 1 : -1);
  }
  MembersPlan told = plan(20, 10);
  told.watts_known = true;
  const auto confidence = [&](const Outcome& of) {
    return confidence_of(of, told, values_of(of, told.model, told.count, answers), answers, {1, 1, 1});
  };
  const sim::Confidence all = confidence(figure);
  REQUIRE(all.time_s);
  CHECK((all.time_s->low < 1.0 && all.time_s->high > 1.0));
  CHECK(all.time_s->high - all.time_s->low < 0.06);
  REQUIRE(all.energy_j);
  CHECK((all.energy_j->low < 100 && all.energy_j->high > 100));
  CHECK(all.computation == Approx(0.9));
  CHECK(all.calibration == Approx(0.1));
  CHECK(all.chance == 0);
  CHECK(all.model == 0); // it has none

  SECTION("the models' own errors widen it by the time in messages and in computation") {
    told.model.messages = 0.04;
    told.model.computation = 0.017;
    const sim::Confidence wider = confidence({1.0, 100.0, 0.5, 0.4});
    CHECK(wider.time_s->high - wider.time_s->low > 1.5 * (all.time_s->high - all.time_s->low));
    const double own = std::pow(0.5 * 0.04, 2) + std::pow(0.4 * 0.017, 2);
    CHECK(wider.model == Approx(own / (own + 0.001 + 0.001 / 9)).epsilon(0.01));
    CHECK(wider.energy_j->high - wider.energy_j->low > 3 * 2.0);
  }
  SECTION("joules have none where nobody says how sure the watts are") {
    told.watts_known = false;
    CHECK(confidence(figure).time_s);
    CHECK_FALSE(confidence(figure).energy_j);
  }
  SECTION("nineteen members are too few") {
    told = plan(19, 0);
    answers.resize(19);
    CHECK_FALSE(confidence(figure).time_s);
  }
}

TEST_CASE(
    "the model's error is the same on one network, nearly so where its links are a little faster, and another one on a second") {
  const auto correlation = [](const NetworkPlace& network, const NetworkPlace& other) {
    constexpr std::size_t kMany = 4000;
    const Outcome figure{0.0, {}, 1.0, 0.0};
    const std::vector<double> a = values_of(figure, {1.0, 0.0, network}, kMany, {}).time_s;
    const std::vector<double> b = values_of(figure, {1.0, 0.0, other}, kMany, {}).time_s;
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < kMany; ++i) {
      products += a[i] * b[i];
      squares += a[i] * a[i];
    }
    CHECK(squares / kMany == Approx(1).epsilon(0.01));
    return products / squares;
  };
  CHECK(correlation({3}, {3}) == Approx(1));
  CHECK(correlation({3}, {4}) == Approx(0).margin(0.05));
  CHECK(correlation({77}, {12345678901234567ULL}) == Approx(0).margin(0.05));
  const double faster = std::log2(1.1);
  for (const double octaves : {29.9, 30.0, 30.4}) {
    CHECK(correlation({3, octaves, -17.3}, {3, octaves + faster, -17.3}) > 0.95);
    CHECK(correlation({3, octaves, -17.3}, {3, octaves, -17.3 - faster}) > 0.95);
    CHECK(correlation({3, octaves, -17.3}, {3, octaves + 2, -17.3}) == Approx(0).margin(0.05));
  }
}

TEST_CASE("of two recordings each has a computation of its own: their difference is as unsure as one run's is from another") {
  constexpr std::size_t kMany = 4000;
  constexpr double kError = 0.1;
  const Outcome figure{2.0, {}, 0.0, 2.0};
  const ModelError before = of_one_recording({0.0, kError}, 0), after = of_one_recording({0.0, kError}, 1U << 20U);
  const std::vector<double> a = values_of(figure, before, kMany, {}).time_s, b = values_of(figure, after, kMany, {}).time_s;
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    squares += (a[i] - b[i]) * (a[i] - b[i]) / kMany;
    products += (a[i] - 2) * (b[i] - 2) / kMany;
  }
  CHECK(std::sqrt(squares) == Approx(2 * kError).epsilon(0.05));
  CHECK(products / squares == Approx(0).margin(0.05));
  const std::vector<double> factors = computation_factors(before, kMany); // of all regions alike, as of the whole run
  for (std::size_t i = 0; i < kMany; i += 500) CHECK(2 * factors[i] == Approx(a[i]));
}

TEST_CASE("what recorded outcomes do is a share of the time in messages, much the same on all networks") {
  constexpr std::size_t kMany = 4000;
  const Outcome figure{3.0, {}, 2.0, 1.0};
  const auto with_outcomes = [&](const NetworkPlace& network) {
    ModelError error{0.0, 0.0, network};
    error.outcomes = 0.1;
    return values_of(figure, error, kMany, {}).time_s;
  };
  const std::vector<double> here = with_outcomes({3, 30, -17}), there = with_outcomes({4, 33, -14});
  CHECK(here == there);
  double squares = 0;
  for (const double value : here) squares += (value - 3) * (value - 3) / kMany;
  CHECK(std::sqrt(squares) == Approx(0.1 * 2).epsilon(0.01));
}
