#include "calib/study/judge_regions.h"

#include "calib/study/cautions.h"
#include "tests/unit/region/slowdown_sample.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace farcast::study {

namespace {

bool has(const std::vector<Finding>& findings, bool fault, const std::string& part) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.fault == fault && finding.sentence.find(part) != std::string::npos;
  });
}

Surroundings here() {
  Surroundings out;
  out.host = "vm";
  return out;
}

region::SlowdownTable steady() {
  region::SlowdownTable table = region::sample_table();
  table.provenance.lent = 0;
  for (auto& region : table.regions) {
    for (auto& point : region.points) point = {point.corunners, point.slowdown, 0.01, 3};
  }
  return table;
}

} // namespace

TEST_CASE("nothing speaks against steady slowdowns of this machine") { CHECK(judge_regions(steady(), here(), "").empty()); }

TEST_CASE("another host is a remark, another MPI library a fault") {
  Surroundings elsewhere = here();
  elsewhere.host = "other";
  CHECK(has(judge_regions(steady(), elsewhere, ""), false, "it was measured on vm, and this is other"));
  Surroundings mpich = here();
  mpich.program = "app";
  mpich.program_library = "mpich";
  CHECK(has(judge_regions(steady(), mpich, ""), true, "it was measured with Open MPI, and app is linked with another library"));
}

TEST_CASE("slowdowns that scatter are a fault when much of the computation lies in them") {
  region::SlowdownTable table = steady();
  table.regions[0].points.back().spread = 0.2;
  CHECK(has(judge_regions(table, here(), ""), true, "66.7 % of the computation"));
  table.regions[0].alone_s = 0.01;
  CHECK_FALSE(has(judge_regions(table, here(), ""), true, "scatter"));
}

TEST_CASE("a table without regions is a fault, and SimGrid's format a remark") {
  region::SlowdownTable table = steady();
  table.regions.clear();
  CHECK(has(judge_regions(table, here(), ""), true, "it has no region"));
  table = steady();
  for (auto& region : table.regions) {
    region.points.clear();
    region.divisor = 0.5;
  }
  CHECK(has(judge_regions(table, here(), ""), false, "SimGrid's format says nothing of its origin"));
}

TEST_CASE("a caution names the file, its first fault and how many more there are") {
  region::SlowdownTable table = steady();
  const platform::Platform plain;
  CHECK(faults_of(plain, nullptr, "app", "Open MPI").empty());
  CHECK(faults_of(plain, &table, "app", "Open MPI").empty());
  const auto one = faults_of(plain, &table, "app", "MPICH");
  REQUIRE(one.size() == 1);
  CHECK(one[0] == "regions.h5 should be measured again: it was measured with Open MPI, and app is linked with another library "
                  "(farcast calibrate check)");
  table.regions[0].points.back().spread = 0.2;
  const auto two = faults_of(plain, &table, "app", "MPICH");
  REQUIRE(two.size() == 1);
  CHECK(two[0].find("; and 1 more (farcast calibrate check)") != std::string::npos);
}

} // namespace farcast::study
