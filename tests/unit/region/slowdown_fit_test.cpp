#include "predictor/region/slowdown_fit.h"

#include <catch2/catch.hpp>
#include <random>

using namespace farcast::region;

namespace {

using Runs = std::vector<std::pair<int, RegionSample>>;

double truth(double corunners) { return 1.0 + 0.3 * (corunners - 1.0); }

// 100 visits of 1 ms alone each; `share` of the work was done with index + 1 co-runners.
RegionSample run_of(const std::vector<double>& share, double noise = 0.0) {
  RegionSample sample;
  sample.visits = 100;
  for (std::size_t i = 0; i < share.size(); ++i) {
    const double seconds = 0.1 * share[i] * truth(static_cast<double>(i + 1)) * (1 + noise);
    sample.with_corunners.push_back(seconds);
    sample.seconds += seconds;
  }
  return sample;
}

} // namespace

TEST_CASE("ranks that compute together only now and then still give the slowdown of all co-runners") {
  double alone = 0;
  const auto points = fit_region({{1, run_of({1.0})}, {2, run_of({0.4, 0.6})}, {4, run_of({0.1, 0.2, 0.3, 0.4})}}, alone);
  REQUIRE(points.size() == 3);
  CHECK(points[0].slowdown == 1.0);
  CHECK(points[1].corunners == 2);
  CHECK(points[1].slowdown == Approx(1.3).epsilon(1e-6));
  CHECK(points[2].corunners == 4);
  CHECK(points[2].slowdown == Approx(1.9).epsilon(1e-6));
  CHECK(alone == Approx(0.1).epsilon(1e-9));
}

TEST_CASE("an isolated run in which tokens were lent is taken as what it was") {
  double alone = 0;
  const auto points = fit_region({{1, run_of({0.9, 0.1})}, {2, run_of({0.2, 0.8})}}, alone);
  REQUIRE(points.size() == 2);
  CHECK(points[1].slowdown == Approx(1.3).epsilon(2e-3));
  CHECK(alone == Approx(0.1).epsilon(1e-3));
}

TEST_CASE("visits may differ in number from run to run") {
  RegionSample half = run_of({0.0, 1.0});
  half.visits = 50;
  half.seconds /= 2;
  for (double& seconds : half.with_corunners) seconds /= 2;
  double alone = 0;
  CHECK(fit_region({{1, run_of({1.0})}, {2, half}}, alone)[1].slowdown == Approx(1.3).epsilon(1e-6));
}

TEST_CASE("one disturbed repetition of three moves nothing, and the spread tells of it") {
  double alone = 0;
  const Runs runs = {{1, run_of({1.0})},      {2, run_of({0.0, 1.0}, 0.3)}, {1, run_of({1.0}, 0.001)},
                     {2, run_of({0.0, 1.0})}, {1, run_of({1.0}, -0.001)},   {2, run_of({0.0, 1.0}, 0.002)}};
  const auto points = fit_region(runs, alone);
  CHECK(points[1].slowdown == Approx(1.3).epsilon(0.005));
  CHECK(points[1].spread > 0.1);
  CHECK(points[1].samples == 3);
}

TEST_CASE("co-runners that were hardly there, and figures that do not repeat, are not seen") {
  double alone = 0;
  const auto rarely = fit_region({{1, run_of({1.0})}, {2, run_of({0.95, 0.05})}}, alone);
  CHECK(rarely[1].samples == 0);
  CHECK(rarely[1].slowdown == 1.0);
  const auto wild = fit_region({{1, run_of({1.0})}, {2, run_of({0.0, 1.0})}, {2, run_of({0.0, 1.0}, 4.0)}}, alone);
  CHECK(wild[1].samples == 0);
  CHECK(fit_region({{2, run_of({0.0, 1.0})}}, alone).empty()); // never alone
}

TEST_CASE("noise of 2 % gives a slowdown within 2 % and a spread of its size") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0.0, 0.02);
  double alone = 0;
  for (int round = 0; round < 50; ++round) {
    Runs runs;
    for (int repetition = 0; repetition < 9; ++repetition) {
      runs.emplace_back(1, run_of({1.0}, noise(random)));
      runs.emplace_back(2, run_of({0.05, 0.95}, noise(random)));
    }
    const auto points = fit_region(runs, alone);
    CHECK(points[1].slowdown == Approx(1.3).epsilon(0.04));
    CHECK(points[1].spread > 0.01);
    CHECK(points[1].spread < 0.06);
  }
}

TEST_CASE("calls that were reached on different ways begin and end different regions") {
  const auto stack = [](const std::vector<std::uint64_t>& offsets) {
    Stack out;
    for (const std::uint64_t offset : offsets) out.push_back({"/bin/app", "abcd", offset});
    return out;
  };
  RunSample alone{1, {}};
  alone.regions[{stack({0x10, 0x100}), stack({0x20, 0x100})}] = run_of({1.0});
  alone.regions[{stack({0x10, 0x200}), stack({0x20, 0x200})}] = run_of({1.0});
  alone.regions[{stack({0x20, 0x100}), stack({0x10, 0x200})}] = run_of({1.0});
  const auto name = [](const farcast::trace::Frame& frame) {
    farcast::trace::ResolvedSite site{};
    site.offset = frame.offset;
    site.text = std::to_string(frame.offset);
    return site;
  };
  const SlowdownTable table = fit_slowdowns({alone}, name);
  REQUIRE(table.sites.size() == 4);
  CHECK(table.regions.size() == 3);
  CHECK(table.callers == std::vector<SiteStack>{{{"abcd", 0x100}}, {{"abcd", 0x100}}, {{"abcd", 0x200}}, {{"abcd", 0x200}}});
  CHECK(table.sites[0].text == "16 < 256");
  CHECK(table.sites[3].offset == 0x20);
  RunSample bare{1, {}};
  bare.regions[{stack({0x10}), stack({0x20})}] = run_of({1.0});
  CHECK(fit_slowdowns({bare}, name).callers.empty());
}
