#include "calib/study/judge_regions.h"

#include "calib/study/faulty_files.h"
#include "tests/unit/region/slowdown_sample.h"
#include "tests/unit/study/findings.h"

#include <catch2/catch.hpp>

namespace farcast::study {

namespace {

using test::fault;
using test::remark;

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
  const auto moved = judge_regions(steady(), elsewhere, "");
  REQUIRE(remark<model::MeasuredElsewhere>(moved) != nullptr);
  CHECK(remark<model::MeasuredElsewhere>(moved)->host == "vm");
  CHECK(remark<model::MeasuredElsewhere>(moved)->here == "other");
  Surroundings mpich = here();
  mpich.program = "app";
  mpich.program_library = "mpich";
  const auto relinked = judge_regions(steady(), mpich, "");
  REQUIRE(fault<model::OtherLibrary>(relinked) != nullptr);
  CHECK(fault<model::OtherLibrary>(relinked)->measured == "Open MPI");
  CHECK(fault<model::OtherLibrary>(relinked)->program == "app");
}

TEST_CASE("slowdowns that scatter are a fault when much of the computation lies in them") {
  region::SlowdownTable table = steady();
  table.regions[0].points.back().spread = 0.2;
  const auto findings = judge_regions(table, here(), "");
  REQUIRE(fault<model::SlowdownsScatter>(findings) != nullptr);
  CHECK(fault<model::SlowdownsScatter>(findings)->share == Approx(2.0 / 3.0));
  table.regions[0].alone_s = 0.01;
  CHECK(fault<model::SlowdownsScatter>(judge_regions(table, here(), "")) == nullptr);
}

TEST_CASE("a table without regions is a fault, and SimGrid's format a remark") {
  region::SlowdownTable table = steady();
  table.regions.clear();
  CHECK(fault<model::NoRegions>(judge_regions(table, here(), "")) != nullptr);
  table = steady();
  for (auto& region : table.regions) {
    region.points.clear();
    region.divisor = 0.5;
  }
  CHECK(remark<model::FormatOfSimGrid>(judge_regions(table, here(), "")) != nullptr);
}

TEST_CASE("a faulty file has a name, its first fault and how many more there are") {
  region::SlowdownTable table = steady();
  const platform::Platform plain;
  CHECK(faulty_files(plain, nullptr, "app", "Open MPI").empty());
  CHECK(faulty_files(plain, &table, "app", "Open MPI").empty());
  const auto one = faulty_files(plain, &table, "app", "MPICH");
  REQUIRE(one.size() == 1);
  CHECK(one[0].name == "regions.h5");
  CHECK(one[0].first.fault);
  CHECK(std::holds_alternative<model::OtherLibrary>(one[0].first.what));
  CHECK(one[0].more == 0);
  table.regions[0].points.back().spread = 0.2;
  const auto two = faulty_files(plain, &table, "app", "MPICH");
  REQUIRE(two.size() == 1);
  CHECK(two[0].more == 1);
}

} // namespace farcast::study
