// Several scenarios of one source get what each would get alone, byte for byte, whatever the number
// of threads.
#include "unit/scenario/sample_run.h"

#include "predictor/scenario/recorded_source.h"
#include "predictor/scenario/ti_source.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <unit/region/slowdown_sample.h>
#include <unit/trace/ti_played.h>

using namespace farcast;
using namespace farcast::scenario;

namespace {

constexpr int kRanks = 4;

SlowdownTable made_slowdowns() {
  auto table = std::make_shared<region::SlowdownTable>();
  table->source = "made";
  table->sites = {region::site_at(0x1000, "a.c", 1), region::site_at(0x1010, "a.c", 2), region::site_at(0x1020, "b.c", 3)};
  table->regions = {{0, 1, 1, 1.0, {{1, 1.0, 0, 1}, {2, 1.3, 0, 1}}, {}},
                    {2, 0, 1, 1.0, {{1, 1.0, 0, 1}, {2, 1.2, 0, 1}, {3, 1.9, 0, 1}}, {}}};
  return table;
}

// Each scenario of its own source.
template <class MakeSource> std::vector<std::string> one_by_one(const std::vector<Scenario>& scenarios, MakeSource make) {
  std::vector<std::string> out;
  for (const Scenario& scenario : scenarios) {
    const auto source = make();
    out.push_back(figures(ask(*source, {scenario}).predictions.at(0)));
  }
  return out;
}

} // namespace

TEST_CASE("scenarios of a recording get what each would get alone") {
  SampleRun run(kRanks, 400);
  const auto scenarios = sample_scenarios(7, kRanks);
  const SlowdownTable slowdowns = GENERATE(as<bool>(), false, true) ? made_slowdowns() : nullptr;
  const auto expected = one_by_one(scenarios, [&] { return std::make_unique<RecordedSource>(run.recording, slowdowns); });
  CHECK(expected[0] != expected[2]);
  CHECK((expected[0].find("slowdowns") != std::string::npos) == (slowdowns != nullptr));
  for (const std::size_t threads : {1, 2, 5, 20}) {
    RecordedSource source(run.recording, slowdowns);
    CHECK(figures(ask(source, scenarios, {threads, {}})) == expected);
  }
}

TEST_CASE("scenarios of a trace get what each would get alone") {
  const trace::TiFolder folder;
  std::vector<std::string> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string own = std::to_string(rank), left = std::to_string((rank + kRanks - 1) % kRanks),
                      right = std::to_string((rank + 1) % kRanks);
    std::string& text = ranks.emplace_back(own + " init\n");
    for (int round = 0; round < 200; ++round) {
      text += own + " location a.c " + std::to_string(10 + round % 3) + "\n" + own + " compute " +
              std::to_string(1e5 / (3 + rank)) + "\n";
      text += own + " compute 3333.3\n" + own + " irecv#1 " + left + " 0 800\n" + own + " test#1\n" + own + " send " + right +
              " 0 800\n" + own + " wait#1\n";
      text += own + " allreduce 80 1234.567\n" + own + " waitall\n" + own + " sleep 1e-5\n";
    }
    text += own + " finalize\n";
  }
  const auto files = trace::find_ti_trace(folder.trace(ranks));
  REQUIRE(files);
  const auto scenarios = sample_scenarios(7, kRanks);
  const auto expected = one_by_one(scenarios, [&] { return std::make_unique<TiSource>(*files); });
  CHECK(expected[0] != expected[2]);
  for (const std::size_t threads : {1, 2, 5}) {
    TiSource source(*files);
    const Answers answers = ask(source, scenarios, {threads, {}});
    CHECK(figures(answers) == expected);
    REQUIRE(answers.sites.sites().size() == 4);
    CHECK(ti_site_text(answers.sites.sites()[0]) == "trace");
    CHECK(ti_site_text(answers.sites.sites()[3]) == "a.c:12");
  }
}

TEST_CASE("scenarios of a run that goes on get what they get afterwards") {
  SampleRun whole(kRanks, 60);
  const auto scenarios = sample_scenarios(3, kRanks);
  RecordedSource afterwards(whole.recording);
  const auto expected = figures(ask(afterwards, scenarios));

  SampleRun run(kRanks, 60, false);
  RecordedSource source(run.recording);
  Questions questions(source, scenarios, {3, {}});
  // One rank after the other gets a few records more, as the rings are drained.
  std::size_t at = 0;
  for (bool more = true; more; ++at) {
    more = false;
    for (std::size_t rank = 0; rank < run.scripts.size(); ++rank) {
      const auto slots = std::span(run.scripts[rank].slots());
      const std::size_t from = std::min(slots.size(), at * 9), to = std::min(slots.size(), (at + 1) * 9);
      if (to > from) run.recording.ranks[rank]->threads[0]->append(slots.subspan(from, to - from));
      more = more || to < slots.size();
    }
    if (at % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (at == 4) CHECK(!questions.finished());
    if (at == 4) CHECK(questions.answered() == 0);
  }
  for (const auto& rank : run.recording.ranks) rank->threads[0]->close();
  CHECK(figures(questions.answers()) == expected);
  CHECK(questions.finished());
  CHECK(questions.answered() == scenarios.size());
  std::uint64_t slots = 0;
  for (const auto& script : run.scripts) slots += script.slots().size();
  CHECK(questions.slots_played() == slots);
}

TEST_CASE("each scenario is answered once, by no more threads than asked for") {
  SampleRun run(2, 20);
  std::atomic<int> begun{0};
  RecordedSource source(run.recording);
  Questions questions(source, sample_scenarios(9, 2), {3, [&begun] { ++begun; }});
  const Answers answers = questions.answers();
  CHECK(begun >= 3); // and one that decodes ahead, where there are cores to spare
  CHECK(begun <= 4);
  REQUIRE(answers.predictions.size() == 9);
  for (std::size_t i = 0; i < 9; ++i) CHECK(answers.predictions[i].platform == fmt::format("platform {}", i));
}

TEST_CASE("sites of what was measured are numbered with those that were predicted") {
  SampleRun run(2, 5);
  trace::SiteTable measured;
  measured.site({{{"/a/lib", "0000", 0x5}}, 3});
  RecordedSource source(run.recording);
  Questions questions(source, sample_scenarios(2, 2));
  const Answers answers = questions.answers({measured});
  CHECK(std::is_sorted(answers.sites.sites().begin(), answers.sites.sites().end()));
  CHECK(answers.sites.sites().front().frames.front().path == "/a/lib");
  for (const sim::Prediction& prediction : answers.predictions) {
    CHECK(prediction.sites.contains(1));
    CHECK(!prediction.sites.contains(0)); // nothing was predicted there
  }
}

TEST_CASE("no scenario, no threads") {
  SampleRun run(2, 5);
  RecordedSource source(run.recording);
  Questions questions(source, {});
  CHECK(questions.finished());
  CHECK(questions.virtual_time_s() == 0);
  CHECK(questions.slots_played() == 0);
  CHECK(questions.answers().predictions.empty());
}

TEST_CASE("what goes wrong in a thread reaches who asked") {
  SampleRun run(2, 5);
  RecordedSource source(run.recording);
  Questions questions(source, sample_scenarios(3, 2), {2, [] { throw std::runtime_error("no"); }});
  CHECK_THROWS_WITH(questions.answers(), "no");
  CHECK(questions.finished());
}
