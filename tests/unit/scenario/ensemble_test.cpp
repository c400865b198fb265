// Realisations: which scenarios are asked, and what they come to.
#include "predictor/scenario/ensemble.h"

#include "unit/scenario/sample_run.h"

#include "predictor/scenario/recorded_source.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::scenario;

namespace {

sim::Prediction with_times(double time, const std::vector<double>& at_site) {
  sim::Prediction out;
  out.time = base::Seconds(time);
  for (const double total : at_site) out.sites[3].push_back({1, base::Seconds(total), {}, {}});
  out.sites[4].resize(at_site.size()); // nobody spends time there
  return out;
}

std::vector<std::uint64_t> seeds_of(const Ensembles& ensembles) {
  std::vector<std::uint64_t> out;
  for (const Scenario& scenario : ensembles.all()) out.push_back(scenario.options.seed);
  return out;
}

} // namespace

TEST_CASE("mean, median, least and most") {
  const Spread odd = spread_of({5, 1, 3});
  CHECK(odd.mean == 3);
  CHECK(odd.median == 3);
  CHECK(odd.least == 1);
  CHECK(odd.most == 5);
  CHECK(spread_of({4, 1, 2, 9}).median == 3);
  CHECK(spread_of({7}).mean == 7);
}

TEST_CASE("the quickest and the slowest rank of each site, over the realisations") {
  const Realisations found = realisations_of({with_times(10, {1, 0, 4}), with_times(20, {2, 0, 3})});
  CHECK(found.count == 2);
  CHECK(found.time.mean == 15);
  REQUIRE(found.sites.size() == 1);
  CHECK(found.sites.at(3).quickest_rank.least == 1);
  CHECK(found.sites.at(3).quickest_rank.most == 2);
  CHECK(found.sites.at(3).slowest_rank.mean == 3.5);
}

TEST_CASE("what leaves nothing to chance has no realisations, and a seed is the first of them") {
  std::vector<Scenario> scenarios{sample_scenario(0, 2), sample_scenario(1, 2), sample_scenario(1, 2)};
  scenarios[1].options.seed = 0;
  scenarios[2].options.seed = 8;
  CHECK(seeds_of(Ensembles(scenarios, 3)) == std::vector<std::uint64_t>{0, 0, 8, 1, 2, 3, 9, 10});
  CHECK(seeds_of(Ensembles(scenarios, 0)) == std::vector<std::uint64_t>{0, 0, 8});
  scenarios[0].options.p2p.reset(); // the platform's transport says it
  CHECK(Ensembles(scenarios, 3).all().size() == 8);

  std::vector<sim::Prediction> predictions;
  for (int i = 0; i < 8; ++i) predictions.push_back(with_times(i, {1}));
  const auto divided = Ensembles(scenarios, 3).divide(predictions);
  REQUIRE(divided.usual.size() == 3);
  CHECK(divided.usual[2].time.value() == 2);
  CHECK(!divided.realisations[0]);
  REQUIRE(divided.realisations[1]);
  CHECK(divided.realisations[1]->first_seed == 1);
  CHECK(divided.realisations[1]->time.least == 3);
  CHECK(divided.realisations[1]->time.most == 5);
  REQUIRE(divided.realisations[2]);
  CHECK(divided.realisations[2]->first_seed == 8);
  CHECK(divided.realisations[2]->count == 3);
  CHECK(divided.realisations[2]->time.least == 2);
  CHECK(divided.realisations[2]->time.mean == 5); // of 2, 6, 7
}

TEST_CASE("realisations of a run are what each seed would get alone") {
  SampleRun run(4, 50);
  const Ensembles ensembles({sample_scenario(3, 4)}, 5);
  RecordedSource source(run.recording);
  const auto divided = ensembles.divide(ask(source, ensembles.all()).predictions);
  std::vector<double> alone;
  for (std::uint64_t seed = 3; seed < 8; ++seed) {
    Scenario one = sample_scenario(3, 4);
    one.options.seed = seed;
    RecordedSource own(run.recording);
    alone.push_back(ask(own, {one}).predictions.at(0).time.value());
  }
  REQUIRE(divided.realisations.at(0));
  CHECK(divided.realisations[0]->time.mean == spread_of(alone).mean);
  CHECK(divided.realisations[0]->time.least < divided.realisations[0]->time.most);
}
