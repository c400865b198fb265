#include "predictor/report/compare.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace farcast;
using report::ComparedPart;

namespace {

// A run of one rank: call sites by (line, MPI function) in solver.c's solve(), and regions between
// them with their visits, seconds and coefficient of variation.
struct Run {
  report::RunSummary summary;
  sim::Prediction prediction;

  std::uint32_t site(int line, const std::string& function) {
    report::SiteInfo info;
    info.file = "/src/solver.c";
    info.text = "solver.c:" + std::to_string(line);
    info.line = line;
    info.function = "solve";
    info.mpi_function = function;
    summary.sites.push_back(info);
    const auto number = static_cast<std::uint32_t>(summary.sites.size() - 1);
    prediction.sites[number] = {sim::SiteTimes{1, base::Seconds(0.5), base::Seconds(0.5), base::Seconds(0.5)}};
    return number;
  }
  void region(std::uint32_t from, std::uint32_t to, std::uint64_t visits, double seconds, double cov) {
    const auto number = static_cast<std::uint32_t>(summary.regions.size());
    summary.regions.push_back({from, to});
    summary.region_stats.push_back({visits, base::Seconds(seconds), cov});
    prediction.regions[number] = {visits, base::Seconds(seconds), base::Seconds(seconds)};
  }
};

const ComparedPart& named(const std::vector<ComparedPart>& parts, const std::string& name) {
  for (const ComparedPart& part : parts)
    if (part.name.find(name) != std::string::npos) return part;
  FAIL(name << " is not there");
  return parts.front();
}

} // namespace

TEST_CASE("call sites and regions of two runs are one where the code has moved, and what is new or gone is said") {
  Run before, after;
  const std::uint32_t a = before.site(10, "MPI_Send"), b = before.site(20, "MPI_Send"), c = before.site(30, "MPI_Recv");
  before.region(a, b, 100, 2.0, 0.1);
  before.region(b, c, 100, 1.0, 0.1);
  const std::uint32_t x = after.site(15, "MPI_Send"), y = after.site(27, "MPI_Send"), z = after.site(40, "MPI_Barrier");
  after.region(x, y, 100, 1.5, 0.1);
  after.region(y, z, 100, 1.0, 0.1);
  const report::Comparison compared =
      report::compare({"a.h5", &before.summary, &before.prediction}, {"b.h5", &after.summary, &after.prediction});
  REQUIRE(compared.regions.size() == 3);
  const ComparedPart& same = named(compared.regions, "solver.c:15 -> solver.c:27");
  CHECK((same.before == 2.0 && same.after == 1.5));
  // 1.645 * sqrt((2.0 * 0.1)^2 / 100 + (1.5 * 0.1)^2 / 100)
  REQUIRE(same.ninety);
  CHECK(same.ninety->high - same.change() == Approx(0.041125).epsilon(1e-9));
  CHECK(same.change() - same.ninety->low == Approx(0.041125).epsilon(1e-9));
  CHECK_FALSE(same.within_noise());
  CHECK_FALSE(named(compared.regions, "solver.c:20 -> solver.c:30").after);
  CHECK_FALSE(named(compared.regions, "solver.c:27 -> solver.c:40").before);
  CHECK(compared.calls.size() == 4); // two that both have, one that is gone, one that is new
  CHECK(std::abs(compared.regions[0].change()) >= std::abs(compared.regions[1].change()));
  const std::string text = report::compare_text(compared, 10);
  for (const char* const words : {"(new)", "(gone)", "-500.0 ms", "a.h5", "b.h5"}) CHECK(text.find(words) != std::string::npos);
  CHECK(text.find("not two runs of one program") == std::string::npos);
  after.summary.program = "./other";
  CHECK(report::compare_text(compared, 10).find("these are not two runs of one program: '") != std::string::npos);
}

TEST_CASE("where a function has more calls of a kind in one run, the lines say which is which") {
  Run before, after;
  before.site(10, "MPI_Send");
  before.site(20, "MPI_Send");
  after.site(20, "MPI_Send");
  after.site(10, "MPI_Send");
  after.site(15, "MPI_Send");
  const report::Comparison compared =
      report::compare({"a.h5", &before.summary, &before.prediction}, {"b.h5", &after.summary, &after.prediction});
  CHECK(compared.calls.size() == 3);
  CHECK_FALSE(named(compared.calls, "solver.c:15").before);
  CHECK(named(compared.calls, "solver.c:10").before);
}

TEST_CASE("a change that the spread of the visits explains is within noise; few visits say nothing") {
  Run before, after;
  for (Run* const run : {&before, &after}) {
    const std::uint32_t a = run->site(10, "MPI_Send"), b = run->site(20, "MPI_Recv");
    const double more = run == &after ? 1.01 : 1.0;
    run->region(a, b, 100, more, 0.1);
    run->region(b, a, 3, more, 0.1);
  }
  const report::Comparison compared =
      report::compare({"a.h5", &before.summary, &before.prediction}, {"b.h5", &after.summary, &after.prediction});
  CHECK(named(compared.regions, "solver.c:10 -> solver.c:20").within_noise());
  CHECK_FALSE(named(compared.regions, "solver.c:20 -> solver.c:10").ninety);
  CHECK_FALSE(named(compared.regions, "solver.c:20 -> solver.c:10").within_noise());
}

TEST_CASE("members of both runs tell how sure the change is, of the whole run and of regions") {
  Run before, after;
  scenario::MemberValues earlier, later;
  for (Run* const run : {&before, &after}) {
    const std::uint32_t a = run->site(10, "MPI_Send"), b = run->site(20, "MPI_Recv");
    run->region(a, b, 3, run == &after ? 2.0 : 1.0, 0.1);
  }
  before.prediction.time = base::Seconds(10.0);
  after.prediction.time = base::Seconds(10.5);
  const auto with = [&](double scatter) {
    earlier = later = {};
    for (int i = 0; i < 39; ++i) { // what makes both as many times longer is in no difference
      const double both = i % 2 == 0 ? 1.5 : 0.5;
      earlier.time_s.push_back(10 * both);
      later.time_s.push_back(10.5 * both * std::exp(scatter * (i - 19) / 18)); // the 2nd of 39 is the 5 % point
      earlier.region_s[0].push_back(both);
      later.region_s[0].push_back(2.0 * both * std::exp(0.1 * (i - 19) / 18));
    }
    return report::compare({"a.h5", &before.summary, &before.prediction, &earlier},
                           {"b.h5", &after.summary, &after.prediction, &later});
  };
  const report::Comparison small = with(0.02);
  REQUIRE(small.ninety);
  CHECK(small.members == 39);
  CHECK(small.ninety->low == Approx(10.5 * std::exp(-0.02) - 10));
  CHECK(small.ninety->high == Approx(10.5 * std::exp(0.02) - 10));
  CHECK_FALSE(small.within_noise());
  CHECK(with(0.2).within_noise());
  REQUIRE(small.regions.front().ninety);
  CHECK(small.regions.front().ninety->high == Approx(2.0 * std::exp(0.1) - 1.0));
  CHECK(report::compare_text(small, 5).find(
            "the change is from +292.1 ms to +712.1 ms, by 39 predictions of each: it is not noise") != std::string::npos);
  CHECK(report::compare_json(small)["ninety_s"][0].get<double>() == Approx(small.ninety->low));
  earlier = {};
  CHECK_FALSE(report::compare({"a.h5", &before.summary, &before.prediction, &earlier},
                              {"b.h5", &after.summary, &after.prediction, &later})
                  .ninety);
}
