// Realisations: which scenarios are asked, and what they come to.
#include "predictor/scenario/ensemble.h"

#include "unit/scenario/sample_run.h"

#include "predictor/scenario/mean.h"
#include "predictor/scenario/recorded_source.h"

#include <catch2/catch.hpp>
#include <cmath>

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

TEST_CASE("as many realisations as settle their mean") {
  constexpr std::uint64_t kSmall = 1000, kMiddle = 1'500'000, kHuge = 300'000'000;
  CHECK(enough_realisations({}, 0) == 2);
  CHECK(enough_realisations({5}, kSmall) == 2);
  CHECK(enough_realisations({5, 5}, kSmall) == 8); // cheap: rarer states are worth a look
  CHECK(enough_realisations(std::vector<double>(8, 5.0), kSmall) == 8);
  CHECK(enough_realisations({5, 5}, kMiddle) == 2);
  CHECK(enough_realisations({5, 5.01}, kMiddle) == 2);
  // Student's t of 1 degree of freedom is 6.31: (6.31 * 0.0354 / sqrt(2) / 5.025)^2 / 0.01^2 * 2 =
  // 19.8.
  CHECK(enough_realisations({5, 5.05}, kMiddle) == 20);
  CHECK(enough_realisations({5, 9}, kMiddle) == 32);
  CHECK(enough_realisations({5, 9}, kHuge) == 4);
  CHECK(enough_realisations({5, 9, 5, 9, 5, 9, 5, 9, 5}, kHuge) == 9);
}

TEST_CASE("what leaves nothing to chance is played once, all others in the same realisations") {
  SampleRun run(4, 50);
  std::vector<Scenario> scenarios{sample_scenario(0, 4), sample_scenario(1, 4), sample_scenario(1, 4)};
  scenarios[0].options.p2p = sim::MessageModel::smpi;
  scenarios[2].options.preconnected = true;
  RecordedSource source(run.recording);
  Ensemble ensemble(source, scenarios, {4, 3});
  const Expected found = ensemble.expected();
  REQUIRE(found.predictions.size() == 3);
  CHECK(ensemble.asked().size() == 7);
  CHECK(!found.realisations.at(0));
  for (const std::size_t i : {1U, 2U}) {
    REQUIRE(found.realisations.at(i));
    CHECK(found.realisations[i]->count == 3);
    CHECK(found.realisations[i]->first_seed == 4);
    CHECK(found.predictions[i].time.value() == Approx(found.realisations[i]->time.mean).epsilon(1e-12));
  }
}

TEST_CASE("the expected prediction is the mean of what each seed would get alone, and its figures still sum up") {
  SampleRun run(4, 50);
  RecordedSource source(run.recording);
  Ensemble ensemble(source, {sample_scenario(3, 4)}, {3, 5});
  const Expected found = ensemble.expected();
  std::vector<double> alone;
  for (std::uint64_t seed = 3; seed < 8; ++seed) {
    RecordedSource own(run.recording);
    Ensemble one(own, {sample_scenario(3, 4)}, {seed, 1});
    const Expected member = one.expected();
    CHECK(!member.realisations.at(0));
    CHECK(member.predictions.at(0).transport.seed == seed);
    alone.push_back(member.predictions[0].time.value());
  }
  REQUIRE(found.realisations.at(0));
  CHECK(found.realisations[0]->time.mean == spread_of(alone).mean);
  CHECK(found.realisations[0]->time.least < found.realisations[0]->time.most);
  const sim::Prediction& mean = found.predictions.at(0);
  CHECK(mean.time.value() == Approx(spread_of(alone).mean).epsilon(1e-12));
  for (const sim::RankTimes& rank : mean.ranks) {
    double sum = 0;
    for (const base::Seconds time : rank.in) sum += time.value();
    CHECK(sum == Approx(mean.time.value()).epsilon(1e-9));
  }
  if (mean.energy) CHECK(mean.energy_parts.total().value() == Approx(mean.energy->value()).epsilon(1e-9));
}

TEST_CASE("unasked, realisations are played until they suffice, whatever the threads") {
  SampleRun run(4, 50);
  std::vector<std::string> seen;
  for (const std::size_t threads : {1U, 3U}) {
    RecordedSource source(run.recording);
    Ensemble ensemble(source, {sample_scenario(1, 4)}, {}, Pool{threads, nullptr});
    const Expected found = ensemble.expected();
    REQUIRE(found.realisations.at(0));
    const Realisations& realisations = *found.realisations[0];
    CHECK(realisations.count >= 8);
    CHECK((realisations.known_to <= kSettled || realisations.count == 32));
    seen.push_back(fmt::format("{} {}", realisations.count, figures(found.predictions.at(0))));
  }
  CHECK(seen[0] == seen[1]);
}

TEST_CASE("a prediction says when the members that its interval takes are too dear, not when none are wanted") {
  SampleRun run(4, 50);
  const auto found = [&](std::optional<std::size_t> members, double events) {
    RecordedSource source(run.recording);
    Draws draws{1, 2};
    draws.members = members;
    draws.member_events = events;
    return Ensemble(source, {sample_scenario(1, 4)}, draws).expected().predictions.at(0).confidence;
  };
  const std::optional<sim::Confidence> dear = found(std::nullopt, 1);
  REQUIRE(dear);
  CHECK(dear->too_dear);
  CHECK_FALSE(dear->time_s);
  CHECK_FALSE(found(0, 1));
  const std::optional<sim::Confidence> played = found(std::nullopt, 1e9);
  REQUIRE(played);
  CHECK_FALSE(played->too_dear);
  CHECK(played->time_s);
}

TEST_CASE("the mean has the core time of other threads too, and nothing where nobody has any") {
  sim::Prediction one = with_times(1, {1}), other = with_times(3, {1});
  CHECK(mean_of({one, other}).other_threads.empty());
  one.other_threads = {base::Seconds(0.25), base::Seconds(1)};
  other.other_threads = {base::Seconds(0.75), base::Seconds(2)};
  const sim::Prediction mean = mean_of({one, other});
  CHECK(mean.time.value() == 2);
  REQUIRE(mean.other_threads.size() == 2);
  CHECK(mean.other_threads[0].value() == 0.5);
  CHECK(mean.other_threads[1].value() == 1.5);
}

TEST_CASE("the mean has the energy of links, those that only some realisations use too") {
  sim::Prediction one = with_times(1, {1}), other = with_times(3, {1});
  one.links[4] = {"up", base::Bytes(10), base::Joules(100), base::Joules(6)};
  other.links[4] = {"up", base::Bytes(20), base::Joules(300), base::Joules(8)};
  other.links[7] = {"down", base::Bytes(2), base::Joules(300), base::Joules(1)};
  const sim::Prediction mean = mean_of({one, other});
  REQUIRE(mean.links.size() == 2);
  CHECK(mean.links.at(4).name == "up");
  CHECK(mean.links.at(4).carried.value() == 15);
  CHECK(mean.links.at(4).idle.value() == 200);
  CHECK(mean.links.at(4).carrying.value() == 7);
  CHECK(mean.links.at(7).name == "down");
  CHECK(mean.links.at(7).idle.value() == 150);
}

TEST_CASE("without scenarios there is nothing to wait for") {
  SampleRun run(2, 5);
  RecordedSource source(run.recording);
  Ensemble ensemble(source, {}, {});
  CHECK(ensemble.expected().predictions.empty());
}

TEST_CASE("where two runs are compared, what one of them computes more in all regions is drawn for each") {
  SampleRun run(2, 50);
  const auto members = [&](bool second) {
    RecordedSource source(run.recording);
    Draws draws;
    draws.members = 40;
    Ensemble ensemble(source, {sample_scenario(0, 2)}, draws);
    ensemble.compared(second);
    return ensemble.expected().members.at(0);
  };
  const MemberValues before = members(false), after = members(true);
  REQUIRE(before.region_s.size() == after.region_s.size());
  int seen = 0;
  for (const auto& [region, seconds] : before.region_s) {
    if (!(seconds.front() > 0)) continue; // two calls with nothing between
    ++seen;
    double squares = 0;
    for (std::size_t i = 0; i < seconds.size(); ++i)
      squares += std::pow(std::log(after.region_s.at(region)[i] / seconds[i]), 2) / 40;
    CHECK(std::sqrt(squares) == Approx(kComputationError).epsilon(0.3));
  }
  CHECK(seen >= 2);
}

TEST_CASE(
    "where outcomes hang on timing and are those of the recording node, a coupled run's recording is surer by what they do") {
  SampleRun run(2, 50); // receives from anybody
  const auto members = [&](const std::string& coupled_to) {
    run.recording.coupled_to = coupled_to;
    RecordedSource source(run.recording);
    Draws draws;
    draws.members = 40;
    Ensemble ensemble(source, {sample_scenario(0, 2)}, draws);
    Expected expected = ensemble.expected();
    CHECK(source.outcomes_as_recorded() == coupled_to.empty());
    return std::pair{expected.members.at(0).time_s, outcome_of(expected.predictions.at(0)).message_s};
  };
  const auto [as_recorded, message_s] = members("");
  const auto [decided, same_s] = members("there");
  CHECK(same_s == message_s);
  REQUIRE(as_recorded.size() == 40);
  double squares = 0;
  for (std::size_t i = 0; i < 40; ++i) squares += std::pow((as_recorded[i] - decided[i]) / message_s, 2) / 40;
  CHECK(std::sqrt(squares) == Approx(kOutcomeError).epsilon(0.1));
}
