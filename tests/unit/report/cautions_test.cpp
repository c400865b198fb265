#include "predictor/report/cautions.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::report;

namespace {

std::string words(decltype(model::Finding::what) what) { return finding_sentence({true, std::move(what)}); }

} // namespace

TEST_CASE("how well sections fit, in words") {
  CHECK(words(model::FewSamples{"send (same-node)", 12, 30}) ==
        "send (same-node) rests on 12 samples only; expected 30 or more: measure longer");
  CHECK(words(model::FewSamples{"memory", 6, 12, true}) ==
        "memory rests on 6 samples only; expected 12 or more: longer steps, or a faster meter");
  CHECK(words(model::ManyOutliers{"send", 20, 100}) ==
        "send: 20 of 100 samples are outliers; the machine was busy: measure again on a quiet one");
  CHECK(words(model::LargeResiduals{"one-way", false, 0.1234, 0.1}) ==
        "one-way fits poorly: half of its samples lie more than 12.3 % off (bound 10 %)");
  CHECK(words(model::LargeResiduals{"one-way", true, 0.6, 0.5}) ==
        "one-way scatters: one sample in 20 lies more than 60 % off (bound 50 %)");
  CHECK(words(model::LowRSquared{"scatter", 0.5, 0.7}) == "scatter fits poorly: R^2 is 0.500 (expected 0.7 or more)");
  CHECK(words(model::LowRSquared{"one-way", 0.8, 0.9, 3.0}) ==
        "one-way fits poorly: R^2 is 0.800 where the time grows 3.0-fold (expected 0.9 or more)");
}

TEST_CASE("what speaks against a comparison of kernels, in words") {
  CHECK(words(model::FewKernelRuns{2, 8, "triad", 4, 10}) ==
        "2 of 8 kernels rest on few samples, triad on 4 only; expected 10 or more: measure with more --repeat");
  CHECK(words(model::KernelsScatter{3, 8, "triad", 0.07, 0.05}) ==
        "3 of 8 kernels scatter, triad most, by 7 % (bound 5 %); the machine was busy: measure again on a quiet one");
  CHECK(words(model::OtherKernels{"1, gcc", "2, gcc", true}) ==
        "its kernels (1, gcc) are not those of this farcast (2, gcc): they do other work, and times cannot be compared");
  CHECK(words(model::OtherKernels{"1, gcc", "1, clang", false}) ==
        "its kernels (1, gcc) are not those of this farcast (1, clang): compilers differ as processors do");
}

TEST_CASE("what there is to say of regions' slowdowns, in words") {
  CHECK(words(model::OtherBuild{"app: another build"}) == "app: another build");
  CHECK(words(model::NoRegions{}) == "it has no region");
  CHECK(words(model::FormatOfSimGrid{}).find("SimGrid's format says nothing of its origin") == 0);
  CHECK(words(model::FewRepetitions{2, 3}) ==
        "each run was repeated 2 times only; expected 3 or more: measure with more --repeat");
  CHECK(words(model::TokensLent{7}) == "7 times a rank that should have waited computed beside an isolated one");
  CHECK(words(model::SlowdownsScatter{0.667, 0.1}) ==
        "regions with 66.7 % of the computation have slowdowns that scatter by more than 10 %: the machine was busy, or they do "
        "other work in each run");
  CHECK(words(model::MostCorunnersUnmet{0.25}) ==
        "regions with 25.0 % of the computation were hardly ever met with the most co-runners");
}

TEST_CASE("what a file rests on and what it lacks, in words") {
  CHECK(words(model::LibraryUnsaid{}) == "the file does not say which MPI library was measured");
  CHECK(words(model::QualityUnsaid{}) == "the file does not say how well its figures fit");
  CHECK(words(model::OtherLibrary{"MPICH 4.0.2", "app", "Open MPI"}) ==
        "it was measured with MPICH 4.0.2, but app is linked with Open MPI");
  CHECK(words(model::OtherLibrary{"MPICH", "app", ""}) == "it was measured with MPICH, and app is linked with another library");
  CHECK(words(model::LibraryNotInstalled{"MPICH 3", {"Open MPI v4", "MPICH 4"}}) ==
        "it was measured with MPICH 3, but installed here: Open MPI v4 and MPICH 4");
  CHECK(words(model::OtherProcessor{"a CPU", "a new CPU", "alpha"}) ==
        "it was measured with the processor a CPU, but alpha has a new CPU");
  CHECK(words(model::OtherProcessor{"a CPU", "a new CPU", ""}) ==
        "it was measured with the processor a CPU, and this one is a new CPU");
  CHECK(words(model::MeasuredElsewhere{"alpha", "beta"}) == "it was measured on alpha, and this is beta");
  CHECK(
      words(model::FigureMissing{"farcast:self_message"}) ==
      "it has no farcast:self_message: messages of a rank to itself are predicted by an assumed rate; measure again to have it");
  CHECK(words(model::FigureMissing{"farcast:copy"}) ==
        "it has no farcast:copy: what collectives do beside messages takes no time; measure again to have it");
  CHECK(
      words(model::FigureMissing{"smpi/async-small-thresh"}) ==
      "it has no smpi/async-small-thresh: with --p2p smpi, small messages that come before their receive are predicted too slow; "
      "measure again to have it");
  CHECK(words(model::NoteOfFile{"a note"}) == "a note");
}

TEST_CASE("a caution names the faulty file, its first fault and how many more there are") {
  sim::Prediction prediction;
  CHECK(cautions_of(prediction).empty());
  prediction.faulty_files = {{"net.xml", {true, model::LibraryUnsaid{}}, 0}, {"regions.h5", {true, model::NoRegions{}}, 2}};
  const auto sentences = cautions_of(prediction);
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[0] == "net.xml should be measured again: the file does not say which MPI library was measured (farcast "
                        "calibrate check)");
  CHECK(sentences[1] == "regions.h5 should be measured again: it has no region; and 2 more (farcast calibrate check)");
}

TEST_CASE("slowdowns that were measured with fewer co-runners than they are used in are a caution, where it is much") {
  sim::Prediction prediction;
  sim::SlowdownUse& use = prediction.slowdowns.emplace();
  use.file = "regions.h5";
  CHECK(slowdowns_source(use) == "regions.h5, ratios of SimGrid");
  use.host = "vm";
  use.ranks = 4;
  use.date = "2026-11-21";
  use.exact = base::Seconds(10.0);
  use.played = base::Seconds(20.0);
  CHECK(cautions_of(prediction).empty());
  use.played_beyond = base::Seconds(15.0);
  use.corunners_played = 12;
  use.corunners_measured = 2;
  const auto sentences = cautions_of(prediction);
  REQUIRE(sentences.size() == 1);
  CHECK(sentences[0].find("75.00 % of the predicted computation has up to 12 ranks computing on its node, and its slowdowns were "
                          "measured with at most 2") == 0);
  CHECK(sentences[0].find("(regions.h5, measured on vm with 4 ranks, 2026-11-21)") != std::string::npos);
  use.played_beyond = base::Seconds(0.01);
  CHECK(cautions_of(prediction).empty());
  use.beyond = base::Seconds(5.0);
  REQUIRE(cautions_of(prediction).size() == 1);
  CHECK(cautions_of(prediction)[0].find("50.00 % of the recorded computation had more ranks beside it") == 0);
}
