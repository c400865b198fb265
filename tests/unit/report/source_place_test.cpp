#include "predictor/report/source_place.h"

#include <catch2/catch.hpp>

using namespace farcast::report;

namespace {

SiteInfo call(const std::string& file, int line, const std::string& function, int first = 0, int last = 0) {
  SiteInfo site{file + ":" + std::to_string(line), "/src/" + file, line, function, "app", "MPI_Send"};
  if (last > 0) site.around = {function, site.file, first, last};
  return site;
}

std::string between(const SiteInfo& from, const SiteInfo& to) {
  RunSummary run;
  run.sites = {from, to};
  run.regions = {{0, 1}};
  return region_place(0, run);
}

} // namespace

TEST_CASE("a region within one function is the lines between its calls") {
  CHECK(between(call("heat.c", 40, "relax"), call("heat.c", 58, "relax")) == "relax, heat.c:40-58");
}

TEST_CASE("a region that goes round a loop is in the lines of the function, where they are known") {
  CHECK(between(call("heat.c", 58, "relax", 31, 60), call("heat.c", 40, "relax", 31, 60)) ==
        "relax, heat.c:31-60, from 58 on to 40 again");
  CHECK(between(call("heat.c", 40, "relax", 31, 60), call("heat.c", 40, "relax", 31, 60)) ==
        "relax, heat.c:31-60, from 40 to 40 again");
  CHECK(between(call("heat.c", 58, "relax"), call("heat.c", 40, "relax")) == "relax, heat.c, from 58 on to 40 again");
}

TEST_CASE("a region across functions is the end of one and the begin of the other") {
  CHECK(between(call("heat.c", 58, "relax", 31, 60), call("norm.c", 30, "norm", 12, 44)) ==
        "relax, heat.c:58-60, to norm, norm.c:12-30");
  CHECK(between(call("heat.c", 58, "relax"), call("norm.c", 30, "norm")) == "relax, heat.c:58, to norm, norm.c:30");
}

TEST_CASE("a call in an inlined function stands in that one") {
  SiteInfo from = call("heat.c", 58, "main");
  from.around = {"relax", "/src/heat.c", 31, 60};
  SiteInfo to = call("heat.c", 40, "main");
  to.around = from.around;
  CHECK(between(from, to) == "relax, heat.c:31-60, from 58 on to 40 again");
  CHECK(between(from, call("heat.c", 90, "main", 80, 99)) == "relax, heat.c:58-60, to main, heat.c:80-90");
}

TEST_CASE("with callers recorded, a region is the lines of the function that both stacks pass through") {
  SiteInfo from = call("heat.c", 58, "relax");
  SiteInfo to = call("norm.c", 30, "norm");
  from.callers = {{"main.c:90", "/src/main.c", 90, "main", "app"}};
  to.callers = {{"util.c:7", "/src/util.c", 7, "over_all", "app"}, {"main.c:97", "/src/main.c", 97, "main", "app"}};
  CHECK(between(from, to) == "main, main.c:90-97");
  to.callers[1].line = 90; // both below one call: nothing of main stands between
  CHECK(between(from, to) == "relax, heat.c:58, to norm, norm.c:30");
}

TEST_CASE("names of C++ come without their arguments") {
  CHECK(between(call("a.cpp", 1, "Norm<f(int), 3>::over(Field const&)"),
                call("a.cpp", 2, "Norm<f(int), 3>::over(Field const&)")) == "Norm<f(int), 3>::over, a.cpp:1-2");
  CHECK(between(call("a.cpp", 1, "Op::operator()(int)"), call("a.cpp", 2, "Op::operator()(int)")) == "Op::operator(), a.cpp:1-2");
  CHECK(between(call("a.cpp", 1, "run()"), call("a.cpp", 2, "run()")) == "run, a.cpp:1-2");
}

TEST_CASE("the compiler's versions of a function are that function") {
  CHECK(between(call("cg.f90", 63, "dot.1.isra.0"), call("cg.f90", 70, "dot.constprop.0")) == "dot, cg.f90:63-70");
  CHECK(between(call("a.cpp", 1, "run(int) [clone .cold]"), call("a.cpp", 2, "run(int)")) == "run, a.cpp:1-2");
}

TEST_CASE("without lines a region has the names of its calls, and without anything its number") {
  SiteInfo bare;
  bare.text = "init+0x1f (libhalo.so)";
  CHECK(between(bare, call("heat.c", 58, "relax")) == "init+0x1f (libhalo.so) -> heat.c:58");
  CHECK(region_place(7, RunSummary{}) == "region 7");
  CHECK(site_place(7, RunSummary{}) == "site 7");
  RunSummary run;
  run.sites = {bare, call("heat.c", 58, "relax")};
  run.sites[0].mpi_function = "MPI_Init";
  CHECK(site_place(0, run) == "MPI_Init at init+0x1f (libhalo.so)");
  CHECK(site_place(1, run) == "MPI_Send in relax, heat.c:58");
}
