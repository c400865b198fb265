#include "predictor/report/what_if_remarks.h"

#include "predictor/report/remarks.h"

#include <catch2/catch.hpp>

namespace what_if_remarks_test {

using namespace farcast;
using namespace farcast::report;
using Catch::Contains;
using scenario::Remark;

namespace {

// ppn 1, 2, 4 at 2 and at 1 GHz: six points.
WhatIf sample() {
  WhatIf what;
  what.program = "./app";
  what.ranks = 8;
  for (const int ppn : {1, 2, 4}) {
    for (const double ghz : {2.0, 1.0}) {
      PointOutcome& one = what.points.emplace_back();
      one.point = {"p.xml", ppn, base::Hertz(ghz * 1e9), 1.0, 1.0};
      one.figures = PointFigures{base::Seconds(20.0 - 3 * ppn - ghz), {}, 2, true};
    }
  }
  return what;
}

std::string block_of(const WhatIf& what) {
  std::string out;
  append_remarks(out, what, judge(what));
  return out;
}

} // namespace

TEST_CASE("a what-if without remarks has no block of them") { CHECK(block_of(sample()).empty()); }

TEST_CASE("what concerns all points is said once, the rest with the points that it concerns") {
  WhatIf what = sample();
  what.remarks[{false, "", 0.0, "all of them"}] = {0, 1, 2, 3, 4, 5};
  what.remarks[{false, "", 0.0, "slow ones"}] = {1, 3, 5};
  what.remarks[{false, "", 0.0, "two of them"}] = {2, 4};
  what.remarks[{false, "", 0.0, "any two"}] = {0, 3};
  what.remarks[{true, "", 0.0, "far off"}] = {3};
  what.run_cautions = {"DISTURBED RUN: it was."};
  what.run_notes = {"a note"};
  CHECK(block_of(what) == "\n"
                          "  ! ppn 2; frequency 1 GHz: far off\n"
                          "  DISTURBED RUN: it was.\n"
                          "  - a note\n"
                          "  assumed  all of them\n"
                          "  assumed  2 of 6 points: any two\n"
                          "  assumed  frequency 1 GHz: slow ones\n"
                          "  assumed  ppn 2, 4; frequency 2 GHz: two of them\n");
}

TEST_CASE("of remarks that differ in a figure the one is said that says most") {
  WhatIf what = sample();
  what.remarks[{false, "memory", 2.0, "2 ranks share a node"}] = {2, 3};
  what.remarks[{false, "memory", 4.0, "4 ranks share a node"}] = {4, 5};
  CHECK(block_of(what) == "\n  assumed  ppn 2, 4: 4 ranks share a node (the most: ppn 4)\n");
  what.remarks[{false, "memory", 9.0, "9 ranks share a node"}] = {0};
  CHECK(block_of(what) == "\n  assumed  5 of 6 points: 9 ranks share a node (the most: ppn 1; frequency 2 GHz)\n");
}

TEST_CASE("JSON has every sentence, with the places of its points in the list") {
  WhatIf what = sample();
  what.remarks[{false, "memory", 2.0, "2 ranks share a node"}] = {2, 3};
  what.remarks[{false, "memory", 4.0, "4 ranks share a node"}] = {4, 5};
  what.remarks[{true, "", 0.0, "far off"}] = {0};
  what.run_notes = {"a note"};
  const Json json = what_if_json(what); // sorted by time: ppn 4 first
  CHECK(json["points"][0]["ppn"] == 4);
  CHECK(json["cautions"] == Json::parse(R"([{"sentence": "far off", "points": [4]}])"));
  CHECK(json["assumptions"] == Json::parse(R"([{"sentence": "2 ranks share a node", "points": [2, 3]},
                                               {"sentence": "4 ranks share a node", "points": [0, 1]}])"));
  CHECK(json["run_cautions"] == Json::array());
  CHECK(json["notes"] == Json::array({"a note"}));
  CHECK_THAT(what_if_text(what, 40), Contains("\n  ! ppn 1; frequency 2 GHz: far off\n"));
}

TEST_CASE("the remarks of a prediction are its cautions and its assumptions, each with its words") {
  sim::Prediction prediction;
  prediction.assumptions = {sim::MemoryUncontended{4}, sim::OneSidedAlone{}, sim::MemoryUncontended{2}};
  prediction.faulty_files = {{"net.xml", {true, model::QualityUnsaid{}}, 0}};
  const std::vector<Remark> remarks = remarks_of(prediction);
  REQUIRE(remarks.size() == 4);
  CHECK(remarks[0].caution);
  CHECK_THAT(remarks[0].sentence, Contains("net.xml"));
  CHECK_FALSE(remarks[1].caution);
  CHECK(remarks[1].subject == remarks[3].subject);
  CHECK(remarks[1].extent > remarks[3].extent);
  CHECK(remarks[2].subject.empty());
  CHECK_THAT(remarks[2].sentence, Contains("one-sided"));
}

} // namespace what_if_remarks_test
