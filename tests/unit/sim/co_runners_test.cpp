#include "unit/sim/scenario.h"

#include "unit/region/slowdown_sample.h"

#include <catch2/catch.hpp>

namespace co_runners_test {

using namespace scenario;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

// Region 0 is twice as slow beside one co-runner, four times beside two; region 1 does not care.
struct Node {
  explicit Node(int ranks) : program(ranks) {
    table.sites = {region::site_at(0x10, "a.c", 10), region::site_at(0x20, "a.c", 20)};
    table.regions = {{0, 1, 1, 1.0, {{1, 1.0, 0, 1}, {2, 2.0, 0, 1}, {3, 4.0, 0, 1}}}, {1, 0, 1, 1.0, {{1, 1.0, 0, 1}}}};
    const std::uint32_t a = region::add_site(sites, 0x10);
    const std::uint32_t b = region::add_site(sites, 0x20);
    REQUIRE(sites.region(a, b) == 0);
    REQUIRE(sites.region(b, a) == 1);
    program.all_init();
  }
  // Each rank computes and finalizes; all on one host, or each on its own.
  sim::Prediction play(bool one_host = true) {
    program.all_finalize();
    const platform::Platform platform = flat(4, kBandwidth, kLatency, 4);
    platform::Placement placement = one_per_host(program.ranks());
    for (std::size_t i = 0; one_host && i < placement.host_of.size(); ++i) {
      placement.host_of[i] = 0;
      placement.core_of[i] = static_cast<int>(i);
    }
    region::Slowdowns slowdowns(table, sites, {});
    sim::Options options;
    options.slowdowns = &slowdowns;
    sim::Prediction prediction = sim::predict(program, platform, placement, options);
    coverage = slowdowns.coverage();
    return prediction;
  }
  region::SlowdownCoverage coverage;
  region::SlowdownTable table;
  trace::SiteTable sites;
  Program program;
};

double computed(const sim::Prediction& prediction, int rank) { return seconds(prediction, rank, sim::Activity::compute); }

} // namespace

TEST_CASE("co-runners on the virtual node are those of each moment") {
  Node node(2);
  node.program.rank(0).compute(1.0).local(0);
  node.program.rank(1).compute(2.0).local(0);
  const sim::Prediction prediction = node.play();
  REQUIRE(prediction.complete);
  CHECK(computed(prediction, 0) == near(2.0)); // beside another all the time
  CHECK(computed(prediction, 1) == near(3.0)); // 2 s together do 1 s of its work, the rest is done alone
  CHECK(prediction.time.value() == near(3.0));
  CHECK(prediction.regions.at(0).measured.value() == near(3.0));
  CHECK(prediction.regions.at(0).predicted.value() == near(5.0));
}

TEST_CASE("ranks on other nodes are no co-runners, nor are ranks that wait or call local functions") {
  Node apart(2);
  apart.program.rank(0).compute(1.0).local(0);
  apart.program.rank(1).compute(2.0).local(0);
  CHECK(apart.play(false).time.value() == near(2.0));
  Node waiting(2);
  waiting.program.rank(0).compute(1.0).send(1, 8);
  waiting.program.rank(1).receive(0).compute(1.0).local(0);
  const sim::Prediction prediction = waiting.play();
  CHECK(computed(prediction, 0) == near(1.0));
  CHECK(computed(prediction, 1) == near(1.0));
}

TEST_CASE("a rank that comes later, and regions that do not care, slow the others only by being there") {
  Node node(3);
  node.program.rank(0).compute(4.0).local(0); // alone until 1 s, then of two until 3 s, of three from there
  node.program.rank(1).local(1.0).compute(8.0).local(0).at_site(0, 1); // steady: 1 s to 9 s
  node.program.rank(2).local(3.0).compute(1.0).local(0);
  const sim::Prediction prediction = node.play();
  // 0 has done 1 + 2/2 = 2 s of 4 by 3 s; from there 0 and 2 proceed at 1/4; 2 is done at 7 s, 0
  // has 1 s left, at 1/2: 9 s.
  CHECK(computed(prediction, 2) == near(4.0));
  CHECK(computed(prediction, 1) == near(8.0));
  CHECK(computed(prediction, 0) == near(9.0));
  // The region of rank 1 was measured alone only, and it was never alone here; those of 0 and 2
  // were measured in all that they met.
  CHECK(node.coverage.played_s == near(21.0));
  CHECK(node.coverage.played_beyond_s == near(8.0));
  CHECK(node.coverage.corunners_played == 3);
  CHECK(node.coverage.corunners_measured == 1);
}

TEST_CASE("the share that was measured beside co-runners is taken out first") {
  class Shared : public trace::Timelines {
  public:
    explicit Shared(trace::Timelines& inner) : inner_(inner) {}
    [[nodiscard]] int ranks() const override { return inner_.ranks(); }
    [[nodiscard]] int timelines() const override { return inner_.timelines(); }
    [[nodiscard]] int rank_of(int timeline) const override { return inner_.rank_of(timeline); }
    bool next(int timeline, trace::Operation& out) override {
      const bool more = inner_.next(timeline, out);
      out.alone_share = 0.5; // each was measured beside one other
      return more;
    }

  private:
    trace::Timelines& inner_;
  };
  Node node(2);
  for (int rank = 0; rank < 2; ++rank) node.program.rank(rank).compute(3.0).local(0);
  node.program.all_finalize();
  Shared shared(node.program);
  region::Slowdowns slowdowns(node.table, node.sites, {});
  sim::Options options;
  options.slowdowns = &slowdowns;
  platform::Placement together = one_per_host(2);
  together.host_of[1] = 0;
  together.core_of[1] = 1;
  const platform::Platform platform = flat(2, kBandwidth, kLatency, 2);
  CHECK(sim::predict(shared, platform, together, options).time.value() == near(3.0)); // the same co-runners: as measured
  node.program.rewind();
  CHECK(sim::predict(shared, platform, one_per_host(2), options).time.value() == near(1.5));
}

} // namespace co_runners_test
