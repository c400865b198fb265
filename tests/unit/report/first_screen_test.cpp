#include "predictor/report/first_screen.h"

#include "golden.h"
#include "sample_run.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <sstream>

using namespace farcast;
using namespace farcast::report;
using base::Seconds;

namespace {

// In one line, with single blanks.
std::string flat(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

void check_fits(const std::string& text, std::size_t lines = 25) {
  INFO(text);
  CHECK(lines_of(text) <= lines);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) CHECK(line.size() <= 100);
}

// The sample run on a measured platform, with nothing that weakens it.
struct Sound {
  Sound() {
    run.ranks[0].threads.reset();
    run.time_dependent_decisions = 0;
    run.unmodelled.clear();
    run.pushed_aside.reset();
    predictions.resize(1);
    predictions[0].assumptions.clear();
    predictions[0].network_measured = true;
  }
  [[nodiscard]] std::string screen() const { return first_screen(run, predictions, options); }
  RunSummary run = sample_run();
  std::vector<sim::Prediction> predictions = sample_predictions();
  ScreenOptions options{.run_files = {"run.h5"}};
};

struct Case {
  const char* name;
  const char* phrase;
  std::function<void(Sound&)> weaken;
};

sim::SlowdownUse beyond() {
  sim::SlowdownUse use;
  use.exact = Seconds(1);
  use.played = Seconds(2);
  use.played_beyond = Seconds(1);
  return use;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"oversubscribed", "4 ranks shared 2 cores while recording",
       [](Sound& one) {
         one.run.shared_cores = {"node-a", 4, 2};
       }},
      {"hybrid", "up to 3 threads per rank, whose speed is taken as measured",
       [](Sound& one) {
         one.run.ranks[1].threads = ThreadsOfRank{4, 3, 12, 2.5};
       }},
      {"uncalibrated", "network not calibrated", [](Sound& one) { one.predictions[0].network_measured = false; }},
      {"polled", "7 outcomes that depend on timing taken as they happened",
       [](Sound& one) { one.run.time_dependent_decisions = 7; }},
      {"unmodelled", "calls not modelled, at their measured time: MPI_Win_fence",
       [](Sound& one) {
         one.run.unmodelled = {{"MPI_Win_fence", {4, Seconds(0.002)}}};
       }},
      {"undecided", "values as on this machine, not the platform: MPI_Win_test and MPI_Fetch_and_op",
       [](Sound& one) {
         one.run.coupled_to = "taurus";
         one.run.undecided = {{"MPI_Fetch_and_op", 4}, {"MPI_Win_test", 9}};
       }},
      {"contended", "contention for memory not measured",
       [](Sound& one) { one.predictions[0].assumptions = {sim::MemoryUncontended{2}}; }},
      {"beyond", "slowdowns used beyond the co-runners that they were measured with",
       [](Sound& one) { one.predictions[0].slowdowns = beyond(); }},
      {"faulty", "calibration that should be measured again",
       [](Sound& one) {
         one.predictions[0].faulty_files = {{"taurus", {true, model::FewSamples{"one-way (other-node)", 12, 30}}}};
       }},
      {"crowded", "2 threads of a rank shared 1 core while recording",
       [](Sound& one) {
         one.run.crowded = {RanksOnFewCores{2, 0, 2, 1}};
       }},
      {"disturbed", "other programs had the cores at times",
       [](Sound& one) {
         one.run.pushed_aside = {0.04, 0.0625, 1, 0, 0.001};
       }},
      {"incomplete", "incomplete recording", [](Sound& one) { one.run.complete = false; }},
  };
  return kCases;
}

} // namespace

TEST_CASE("the first screen of the sample run: two platforms, the best marked, what is incomplete said") {
  const std::string text = first_screen(sample_run(), sample_predictions(), {});
  check_fits(text);
  check_golden("screen.txt", text);
}

TEST_CASE("the first screen of a run that nothing weakens says so") {
  const std::string text = Sound().screen();
  check_fits(text);
  CHECK(contains(text, "  Weakened by  nothing that is known\n"));
  check_golden("screen_sound.txt", text);
}

TEST_CASE("ranks that have too few cores push each other aside: those are not called other programs") {
  Sound one;
  one.run.pushed_aside = {0.4, 0.5, 1, 0, 0.001};
  one.run.shared_cores = SharedCores{"node", 4, 2};
  CHECK(contains(one.screen(), "  Weakened by  4 ranks shared 2 cores while recording\n"));
  one.run.pushed_aside->steal = 0.2;
  CHECK(contains(one.screen(), "while recording; other programs had the cores at times"));
}

TEST_CASE("intervals stand beside the figures") {
  Sound one;
  sim::Confidence sure;
  sure.time_s = base::Interval{1.9, 2.04};
  sure.energy_j = base::Interval{312, 333};
  sure.members = 40;
  sure.computation = 0.8;
  sure.model = 0.2;
  one.predictions[0].confidence = sure;
  const std::string text = one.screen();
  check_fits(text);
  CHECK(contains(text, " +-5.0% "));
  CHECK(contains(text, " +-4.1% "));
  CHECK(contains(flat(text), "+-: 9 of 10 runs, by 40 predictions with other draws (mostly of computation)"));
  check_golden("screen_sure.txt", text);

  one.predictions[0].confidence->energy_j.reset();
  const std::string without = one.screen();
  check_fits(without);
  CHECK(contains(flat(without), "; energy has none (-) where nobody says how sure the watts are"));
  check_golden("screen_watts_unsure.txt", without);

  one.predictions[0].confidence.emplace().too_dear = true;
  const std::string dear = one.screen();
  check_fits(dear);
  CHECK(contains(flat(dear), "; no +-: the 20 predictions with other draws that it takes"));
  check_golden("screen_too_dear.txt", dear);
}

TEST_CASE("each weakness has its phrase on the first screen, and only then") {
  for (const Case& weak : cases()) {
    Sound one;
    weak.weaken(one);
    const std::string text = one.screen();
    INFO(weak.name);
    check_fits(text);
    check_golden(std::string("screen_") + weak.name + ".txt", text);
    CHECK_FALSE(contains(text, "nothing that is known"));
    for (const Case& other : cases()) {
      INFO(other.name);
      CHECK(contains(flat(text), other.phrase) == (&other == &weak));
    }
  }
}

TEST_CASE("a run of one program alone, or in the platform's own time, is not weakened by network or outcomes") {
  Sound one;
  one.predictions[0].network_measured = false;
  for (sim::RankTimes& rank : one.predictions[0].ranks) rank.messages = 0;
  one.run.time_dependent_decisions = 7;
  one.run.coupled_to = "taurus";
  CHECK(contains(one.screen(), "nothing that is known"));
  CHECK(contains(flat(one.screen()), "in the time of taurus (--coupled)"));
  CHECK(contains(one.screen(), "(this coupled run)"));
  CHECK_FALSE(contains(one.screen(), "(really measured)"));
}

TEST_CASE("of several platforms a weakness names those that it holds of") {
  Sound one;
  one.predictions.resize(3, one.predictions[0]);
  one.predictions[1].platform = "other";
  one.predictions[2].platform = "third";
  one.predictions[1].network_measured = false;
  CHECK(contains(flat(one.screen()), "network not calibrated (other)"));
  one.predictions[0].network_measured = one.predictions[2].network_measured = false;
  CHECK_FALSE(contains(flat(one.screen()), "network not calibrated ("));
}

TEST_CASE("the best time and the best energy are marked, those of incomplete predictions never") {
  Sound one;
  one.predictions.resize(3, one.predictions[0]);
  one.predictions[1].time = Seconds(1.0);
  one.predictions[1].energy = base::Joules(400);
  one.predictions[2].time = Seconds(0.5);
  one.predictions[2].energy = base::Joules(1);
  one.predictions[2].complete = false;
  const std::string text = one.screen();
  CHECK(contains(text, " 2.000 s             320.0 J*"));
  CHECK(contains(text, " 1.000 s*            400.0 J "));
  CHECK(contains(text, "500.0 ms!            1.000 J "));
}

TEST_CASE("many platforms, notes and weaknesses still fit, with the best among the platforms shown") {
  Sound one;
  one.predictions.resize(20, one.predictions[0]);
  for (std::size_t i = 0; i < 20; ++i) {
    one.predictions[i].platform = "platform-with-a-long-name-" + std::to_string(i);
    one.predictions[i].network_measured = i % 2 == 0;
    for (int more = 0; more < 6; ++more) one.predictions[i].faulty_files.push_back({"file-" + std::to_string(more + i), {}});
  }
  one.predictions[13].time = Seconds(1.0);
  one.predictions[17].energy = base::Joules(100);
  for (const Case& weak : cases()) weak.weaken(one);
  one.run.notes.assign(
      5, "a sentence of the recording that is long enough to need a second line on a terminal of a hundred columns");
  const std::string text = one.screen();
  check_fits(text);
  CHECK(contains(text, "long-name-13"));
  CHECK(contains(text, "long-name-17"));
  CHECK(contains(text, "(16 more platforms with --full)"));
  CHECK(contains(text, "and 3 more notes (--full)"));
  CHECK(contains(flat(text), "more (--full) Next "));
}

TEST_CASE("the next step: a better recording, keeping it, or what would help most") {
  Sound one;
  CHECK(contains(one.screen(), "  Next         farcast whatif run.h5 --platform taurus --gains 10 "));
  CHECK_FALSE(contains(one.screen(), "-o run.h5"));
  one.options.run_files.clear();
  CHECK(contains(one.screen(), "  Next         farcast whatif run.h5 --platform taurus --gains 10 "));
  CHECK(contains(one.screen(), "(-o run.h5 keeps the run; --full: "));
  one.run.shared_cores = {"node-a", 4, 2};
  CHECK(contains(one.screen(), "  Next         farcast run -np 2 --isolate 2 -o run.h5 -- ./halo --steps 100 "));
  one.options = {.run_files = {"it's.h5", "b.h5"}, .live = false};
  CHECK(contains(one.screen(), "  Next         farcast whatif 'it'\\''s.h5' b.h5 --platform taurus --gains 10"));
  one.predictions.clear();
  CHECK(contains(one.screen(), "  Next         farcast predict 'it'\\''s.h5' b.h5 --platform NAME "));
}

TEST_CASE("a run without predictions, without ranks, without anything has a first screen") {
  check_fits(first_screen(sample_run(), {}, {}));
  CHECK(contains(first_screen(sample_run(), {}, {}), "No platform was predicted"));
  CHECK(contains(first_screen(sample_run(), {}, {}), "computing in exchange, halo.c, from 120 to 120 again"));
  check_fits(first_screen(RunSummary{}, {}, {}));
  check_fits(first_screen(RunSummary{}, {sim::Prediction{}}, {}));
}
