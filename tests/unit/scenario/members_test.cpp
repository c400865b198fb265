#include "predictor/scenario/members.h"

#include "predictor/base/normal_deviate.h"
#include "predictor/scenario/region_spread.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace farcast;
using namespace farcast::scenario;

namespace {

// One region per timeline, whose computation takes the given seconds one after the other.
class Series final : public trace::Timelines {
public:
  explicit Series(std::vector<std::vector<double>> seconds) : seconds_(std::move(seconds)), at_(seconds_.size(), 0) {
    const std::uint32_t site = sites_.site({{{"program", "", 16}}, 1});
    sites_.region(site, site);
  }
  [[nodiscard]] int ranks() const override { return static_cast<int>(seconds_.size()); }
  [[nodiscard]] int timelines() const override { return ranks(); }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, trace::Operation& out) override {
    const auto row = static_cast<std::size_t>(timeline);
    if (at_[row] == seconds_[row].size()) return false;
    out = {};
    out.compute = base::Seconds(seconds_[row][at_[row]++]);
    return true;
  }
  [[nodiscard]] const trace::SiteTable& sites() const { return sites_; }

private:
  std::vector<std::vector<double>> seconds_;
  std::vector<std::size_t> at_;
  trace::SiteTable sites_;
};

double deviation(const std::vector<float>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const float value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::vector<double> noisy(std::size_t count, double relative) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(1e-3 * (1 + relative * base::normal_deviate(i)));
  return out;
}

} // namespace

TEST_CASE("a series keeps its sum however long it is, in a bounded number of entries") {
  DurationSeries series;
  for (int i = 0; i < 100000; ++i) series.add(1.0);
  CHECK(series.sum() == 100000);
  CHECK(series.durations() == 100000);
  CHECK(series.entries().size() <= DurationSeries::kMostEntries);
  CHECK(std::accumulate(series.entries().begin(), series.entries().end(), 0.0) == 100000);
}

TEST_CASE("factors of a region scatter as the sum of its durations does") {
  const double relative = 0.2;
  const auto count = GENERATE(100U, 400U, 5000U);
  Series series({noisy(count, relative), std::vector<double>(50, 1e-3)});
  const RegionSpread spread(series, series.sites(), 400);
  const RegionSpread::Region region = series.sites().stacks_of(0);
  const std::vector<float>* noise = spread.factors(0, region);
  REQUIRE(noise != nullptr);
  CHECK(deviation(*noise) == Approx(relative / std::sqrt(count)).epsilon(0.35));
  const std::vector<float>* steady = spread.factors(1, region);
  REQUIRE(steady != nullptr);
  CHECK(deviation(*steady) == Approx(0).margin(1e-6));
  CHECK(spread.factors(2, region) == nullptr);
}

TEST_CASE("a region that happened once scatters as computation of its length usually does in the run") {
  const auto [seconds, expected] =
      GENERATE(table<double, double>({{1e-4, 0.1}, {1e-3, 0.1}, {5e-3, 0.1 / std::sqrt(5)}, {0.4, 0.005}}));
  Series series({noisy(1000, 0.1), {seconds}});
  const RegionSpread spread(series, series.sites(), 400);
  const std::vector<float>* once = spread.factors(1, series.sites().stacks_of(0));
  REQUIRE(once != nullptr);
  CHECK(deviation(*once) == Approx(expected).epsilon(0.25));
}

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
  const std::vector<Scenario> members = members_of(scenario, {20, 10, true, true}, true, 3);
  REQUIRE(members.size() == 40);
  CHECK(members[4].member.number == 5);
  CHECK(members[4].options.seed == 7);
  CHECK((members[20].member.computation && !members[20].member.calibration));
  CHECK(members[25].options.seed == 3);
  CHECK((!members[30].member.computation && members[30].member.calibration));
  CHECK(members_of(scenario, {20, 10, true, false}, false, 3).size() == 30);
  CHECK(members_of(scenario, {20, 10, true, false}, false, 3).front().options.seed == 77);
  CHECK(members_of(scenario, {20, 10, false, false}, false, 3).empty()); // there is nothing to draw
}

TEST_CASE("the interval holds the figure and its parts add up") {
  sim::Prediction figure;
  figure.time = base::Seconds(1.0);
  figure.energy = base::Joules(100);
  std::vector<sim::Prediction> answers(20 + 10 + 10, figure);
  for (std::size_t i = 0; i < 20; ++i) {
    answers[i].time = base::Seconds(1.1 + 0.01 * base::normal_deviate(i));
    answers[i].energy = base::Joules(100 + base::normal_deviate(i));
  }
  for (std::size_t i = 0; i < 10; ++i) {
    answers[20 + i].time = base::Seconds(1 + 0.03 * (i % 2 == 0 ? 1 : -1));
    answers[30 + i].time = base::Seconds(1 + 0.01 * (i % 2 == 0 ? 1 : -1));
  }
  const sim::Confidence all = confidence_of(figure, {20, 10, true, true}, answers, {1, 1, 1});
  REQUIRE(all.time_s);
  CHECK((all.time_s->low < 1.0 && all.time_s->high > 1.0));
  CHECK(all.time_s->high - all.time_s->low < 0.06);
  REQUIRE(all.energy_j);
  CHECK((all.energy_j->low < 100 && all.energy_j->high > 100));
  CHECK(all.computation == Approx(0.9));
  CHECK(all.calibration == Approx(0.1));
  CHECK(all.chance == 0);
  CHECK(all.model == 0); // it has no time in messages

  SECTION("the message model's own error widens it by the time in messages") {
    figure.ranks.resize(2);
    for (sim::RankTimes& rank : figure.ranks) rank.in[static_cast<std::size_t>(sim::Activity::waiting)] = base::Seconds(0.5);
    const sim::Confidence wider = confidence_of(figure, {20, 10, true, true, true}, answers, {1, 1, 1});
    CHECK(wider.time_s->high - wider.time_s->low > 1.5 * (all.time_s->high - all.time_s->low));
    CHECK(wider.model == Approx(0.0009 / (0.0009 + 0.001 + 0.001 / 9)).epsilon(0.01));
    CHECK(wider.energy_j->high - wider.energy_j->low > 3 * 2.0);
  }
  answers.resize(19);
  CHECK_FALSE(confidence_of(figure, {19, 0, true, true}, answers, {}).time_s);
}
