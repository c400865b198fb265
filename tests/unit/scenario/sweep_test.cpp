// A sweep's answers are those of an ensemble, whoever played them and however often it was begun.
#include "predictor/scenario/recorded_source.h"
#include "predictor/scenario/sweep.h"
#include "unit/scenario/sample_run.h"
#include "unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace farcast::scenario {

namespace {

constexpr int kRanks = 4;
constexpr int kScenarios = 4;

std::vector<double> times_of(const Sweep& sweep) {
  std::vector<double> out;
  for (std::size_t i = 0; i < kScenarios; ++i) {
    const auto answer = sweep.answer(i);
    out.push_back(answer ? answer->time.value() : -1.0);
  }
  return out;
}

bool finished(Sweep& sweep) {
  const auto done = sweep.finished();
  REQUIRE(done);
  return *done;
}

void finish(Sweep& sweep) {
  while (!finished(sweep)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

SweepStore store_in(const std::string& folder, const std::string& sweep, int part) {
  auto store = SweepStore::open(folder, sweep, part);
  REQUIRE(store);
  return std::move(*store);
}

} // namespace

TEST_CASE("a sweep has the means of an ensemble, also with what an earlier one kept") {
  SampleRun run(kRanks, 50);
  const std::vector<Scenario> scenarios = sample_scenarios(kScenarios, kRanks);
  const Draws draws = GENERATE(Draws{1, 3}, Draws{});
  RecordedSource of_ensemble(run.recording);
  const Expected expected = Ensemble(of_ensemble, scenarios, draws).expected();
  std::vector<double> times;
  for (const sim::Prediction& prediction : expected.predictions) times.push_back(prediction.time.value());

  const test::TemporaryFolder folder;
  RecordedSource source(run.recording);
  {
    SweepStore store = store_in(folder.file("parts"), "sweep", 0);
    Sweep sweep(source, scenarios, draws, &store);
    CHECK(sweep.found() == 0);
    CHECK_FALSE(store.goes_on());
    finish(sweep);
    CHECK(times_of(sweep) == times);
    CHECK(sweep.answered() == sweep.asked());
  }
  SweepStore store = store_in(folder.file("parts"), "sweep", 0);
  RecordedSource again(run.recording);
  Sweep sweep(again, scenarios, draws, &store);
  CHECK(sweep.found() > 0);
  CHECK(store.goes_on());
  CHECK(finished(sweep)); // at once: nothing is left to be played
  CHECK(times_of(sweep) == times);
  store.remove();
  CHECK(store.is_gone());
}

TEST_CASE("two processes share a sweep, and both know all of it") {
  SampleRun run(kRanks, 50);
  const std::vector<Scenario> scenarios = sample_scenarios(kScenarios, kRanks);
  RecordedSource alone_source(run.recording), source(run.recording), other_source(run.recording);
  Sweep alone(alone_source, scenarios, {});
  finish(alone);
  const test::TemporaryFolder folder;
  SweepStore store = store_in(folder.file("parts"), "sweep", 0), other_store = store_in(folder.file("parts"), "sweep", 1);
  Sweep sweep(source, scenarios, {}, &store, {0, 2}), other(other_source, scenarios, {}, &other_store, {1, 2});
  CHECK_FALSE(finished(sweep)); // the other one's half is not there
  bool done = false;
  while (!done) {
    done = finished(sweep);
    const bool other_done = finished(other);
    done = done && other_done;
  }
  CHECK(times_of(sweep) == times_of(alone));
  CHECK(times_of(other) == times_of(alone));
  CHECK(sweep.processes() == 2);
}

TEST_CASE("a sweep has the members of an ensemble, also shared by two, and with what an earlier one kept") {
  SampleRun run(kRanks, 50);
  const std::vector<Scenario> scenarios = sample_scenarios(kScenarios, kRanks);
  Draws draws{1, 3};
  draws.members = 20;
  RecordedSource of_ensemble(run.recording);
  const Expected expected = Ensemble(of_ensemble, scenarios, draws).expected();
  const test::TemporaryFolder folder;
  SweepStore store = store_in(folder.file("parts"), "sweep", 0), other_store = store_in(folder.file("parts"), "sweep", 1);
  RecordedSource source(run.recording), other_source(run.recording);
  Sweep sweep(source, scenarios, draws, &store, {0, 2}), other(other_source, scenarios, draws, &other_store, {1, 2});
  CHECK(sweep.lacks_members());
  for (bool done = false; !done;) {
    done = finished(sweep);
    const bool other_done = finished(other);
    done = done && other_done;
  }
  RecordedSource again(run.recording);
  SweepStore reopened = store_in(folder.file("parts"), "sweep", 0);
  Sweep kept(again, scenarios, draws, &reopened);
  CHECK(kept.found() > 0);
  finish(kept);
  for (const Sweep* const one : {&sweep, &other, &kept}) {
    CHECK_FALSE(one->lacks_members());
    for (std::size_t i = 0; i < kScenarios; ++i) {
      const auto values = one->member_values(i);
      REQUIRE(values);
      CHECK(values->time_s.size() == 20);
      CHECK(values->time_s == expected.members[i].time_s); // to the last bit
    }
  }
}

TEST_CASE("where members of all are too dear, the base and the best have them; where those are, none") {
  SampleRun run(kRanks, 50);
  const std::vector<Scenario> scenarios = sample_scenarios(kScenarios, kRanks);
  const auto with_members = [&](double events) {
    Draws draws{1, 1};
    draws.members.reset();
    draws.member_events = events;
    RecordedSource source(run.recording);
    Sweep sweep(source, scenarios, draws);
    sweep.rank_by(2, [](std::size_t scenario, const SweepAnswer&) { return -static_cast<double>(scenario); });
    finish(sweep);
    std::vector<bool> out;
    for (std::size_t i = 0; i < kScenarios; ++i) out.push_back(sweep.member_values(i).has_value());
    return out;
  };
  RecordedSource source(run.recording);
  const double each = static_cast<double>(ask(source, {scenarios[2]}).predictions.front().events);
  CHECK(with_members(1e9) == std::vector<bool>(kScenarios, true));
  CHECK(with_members(20 * 2.5 * each) == std::vector<bool>{false, false, true, true});
  CHECK(with_members(0) == std::vector<bool>(kScenarios, false));
}

TEST_CASE("whoever waits for others ends when the sweep is over without it") {
  SampleRun run(kRanks, 10);
  RecordedSource source(run.recording);
  const test::TemporaryFolder folder;
  SweepStore store = store_in(folder.file("parts"), "sweep", 1);
  Sweep sweep(source, sample_scenarios(kScenarios, kRanks), {1, 1}, &store, {1, 2});
  while (!sweep.waits_for_others()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_FALSE(finished(sweep));
  store.remove();
  CHECK(finished(sweep));
}

TEST_CASE("a store gives back every bit, and reads no other sweep's parts nor lines that were cut short") {
  const test::TemporaryFolder folder;
  SweepAnswer kept{base::Seconds(0.1 + 0.2), base::Joules(1.0 / 3.0), 3, false, 77};
  kept.energy_parts.polling = base::Joules(1.0 / 7.0);
  kept.links = base::Joules(1.0 / 9.0);
  for (std::size_t i = 0; i < kept.spent.size(); ++i) kept.spent[i] = base::Seconds(1.0 / static_cast<double>(i + 3));
  {
    SweepStore store = store_in(folder.file("parts"), "this one", 0);
    REQUIRE(store.add({5, 9}, kept));
    REQUIRE(store.add({6, 9}, {base::Seconds(1e-300), {}, 1, true, 1}));
  }
  std::ofstream(folder.file("parts/0.jsonl"), std::ios::app) << R"({"scenario":7,"seed":9,"ti)";
  std::ofstream(folder.file("parts/4.jsonl"))
      << "another\n"
      << R"({"scenario":1,"seed":1,"time_s":1,"energy_j":1,"nodes":1,"complete":true,"events":1})"
      << "\n";
  std::ofstream(folder.file("parts/notes.txt")) << "mine\n";
  SweepStore store = store_in(folder.file("parts"), "this one", 0);
  REQUIRE(store.add({8, 9}, kept));
  SweepAnswers answers;
  CHECK(store.read(answers) == 1);
  REQUIRE(answers.size() == 3);
  const SweepAnswer& read = answers.at({5, 9});
  CHECK(read.time == kept.time);
  CHECK(read.energy == kept.energy);
  CHECK(read.nodes == 3);
  CHECK_FALSE(read.complete);
  CHECK(read.events == 77);
  CHECK(read.energy_parts.polling == kept.energy_parts.polling);
  CHECK(read.links == kept.links);
  CHECK(read.spent == kept.spent);
  CHECK_FALSE(answers.at({6, 9}).energy);
  CHECK(answers.contains({8, 9}));
  store.remove();
  CHECK(std::filesystem::exists(folder.file("parts/notes.txt"))); // nothing that is not ours goes
  SweepStore begun_again = store_in(folder.file("parts"), "the next one", 0);
  SweepAnswers none;
  CHECK(begun_again.read(none) == 1);
  CHECK(none.empty());
}

TEST_CASE("a folder that cannot be made is named") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("parts")) << "a file";
  const auto store = SweepStore::open(folder.file("parts"), "sweep", 0);
  REQUIRE_FALSE(store);
  CHECK_THAT(store.error().message, Catch::Contains(folder.file("parts")));
}

} // namespace farcast::scenario
