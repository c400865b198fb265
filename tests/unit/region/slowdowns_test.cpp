#include "predictor/region/slowdowns.h"

#include "predictor/region/adjustment_file.h"
#include "unit/region/slowdown_sample.h"

#include <catch2/catch.hpp>

using namespace farcast::region;
using farcast::trace::LoadedModule;
using farcast::trace::Operation;
using farcast::trace::SiteTable;

namespace {

Operation of(std::uint32_t region, double seconds) {
  Operation operation;
  operation.region = region;
  operation.compute = farcast::base::Seconds(seconds);
  return operation;
}

// What a run file knows of places without debug information at hand.
std::vector<farcast::trace::ResolvedSite> known() {
  std::vector<farcast::trace::ResolvedSite> out;
  for (const auto& [offset, file, line] :
       {std::tuple(0x10, "a.c", 10), {0x20, "a.c", 20}, {0x77, "b.c", 77}, {0x88, "z.c", 88}}) {
    out.push_back(site_at(static_cast<std::uint64_t>(offset), file, line));
    out.back().module = "/elsewhere/app";
  }
  return out;
}

} // namespace

TEST_CASE("curves are straight between numbers of co-runners and constant outside") {
  const std::vector<SlowdownPoint> points = {{1, 1.0, 0, 3}, {2, 1.2, 0, 3}, {4, 2.0, 0, 3}};
  CHECK(slowdown_at(points, 1) == 1.0);
  CHECK(slowdown_at(points, 1.5) == Approx(1.1));
  CHECK(slowdown_at(points, 3) == Approx(1.6));
  CHECK(slowdown_at(points, 4) == 2.0);
  CHECK(slowdown_at(points, 64) == 2.0);
}

TEST_CASE("what a visit would have been alone, by the co-runners that it had") {
  const SlowdownTable table = sample_table();
  SiteTable sites;
  const std::uint32_t region = sites.region(add_site(sites, 0x10), add_site(sites, 0x20));
  Slowdowns slowdowns(table, sites, known());
  CHECK(slowdowns.alone_share(of(region, 1.0), {1.0}) == 1.0);
  CHECK(slowdowns.alone_share(of(region, 1.0), {0.0, 1.0}) == Approx(1 / 1.2));
  CHECK(slowdowns.alone_share(of(region, 1.0), {0.25, 0.25, 0.0, 0.5}) == Approx(0.25 + 0.25 / 1.2 + 0.5 / 2.0));
  CHECK(slowdowns.slowdown(region, 3) == Approx(1.6));
  CHECK(slowdowns.coverage().exact_s == Approx(3.0));
  CHECK(slowdowns.coverage().total_s() == Approx(3.0));
  CHECK(slowdowns.coverage().beyond_s == 0.0);
  slowdowns.alone_share(of(region, 1.0), {0.0, 0.0, 0.0, 0.0, 1.0});
  CHECK(slowdowns.coverage().beyond_s == Approx(1.0));
}

TEST_CASE("a region that the file lacks takes its neighbourhood's curve, and that is counted") {
  const SlowdownTable table = sample_table();
  SiteTable sites;
  const std::uint32_t a = add_site(sites, 0x10);
  const std::uint32_t b = add_site(sites, 0x20);
  const std::uint32_t in_b = add_site(sites, 0x77); // an unknown place in b.c
  const std::uint32_t far = add_site(sites, 0x88);  // in a file that no region has
  const std::uint32_t same_start = sites.region(a, far);
  const std::uint32_t both = sites.region(b, b); // begins where region 1 does, ends where region 0 does
  const std::uint32_t same_file = sites.region(far, in_b);
  const std::uint32_t none = sites.region(in_b, far);
  Slowdowns slowdowns(table, sites, known());
  CHECK(slowdowns.slowdown(same_start, 4) == 2.0);
  CHECK(slowdowns.slowdown(both, 4) == Approx((1.0 * 1.5 + 2.0 * 2.0) / 3.0)); // weighted with their time
  CHECK(slowdowns.slowdown(same_file, 4) == Approx(1.5));                      // of region 1; region 2 has no time
  CHECK(slowdowns.slowdown(none, 4) == 1.0);
  CHECK(slowdowns.alone_share(of(none, 4.0), {0.0, 1.0}) == 1.0);
  slowdowns.alone_share(of(same_start, 3.0), {1.0});
  slowdowns.alone_share(of(same_file, 2.0), {1.0});
  CHECK(slowdowns.coverage().none_s == 4.0);
  CHECK(slowdowns.coverage().neighbour_s == 3.0);
  CHECK(slowdowns.coverage().same_file_s == 2.0);
}

namespace {

// The region of the calls at 0x10 and 0x20, reached over 0x100 or 0x200, and from there over 0x300:
// three curves.
SlowdownTable stacked_table() {
  SlowdownTable table = sample_table();
  table.sites = {site_at(0x10, "a.c", 10), site_at(0x20, "a.c", 20), site_at(0x10, "a.c", 10), site_at(0x20, "a.c", 20),
                 site_at(0x20, "a.c", 20)};
  table.callers = {{{"abcd", 0x100}, {"abcd", 0x300}},
                   {{"abcd", 0x100}, {"abcd", 0x300}},
                   {{"abcd", 0x200}, {"abcd", 0x300}},
                   {{"abcd", 0x200}, {"abcd", 0x300}},
                   {{"abcd", 0x200}}};
  const auto curve = [](double slowdown) { return std::vector<SlowdownPoint>{{1, 1.0, 0, 3}, {2, slowdown, 0, 3}}; };
  table.regions = {{0, 1, 10, 1.0, curve(1.2)}, {2, 3, 10, 3.0, curve(1.6)}, {2, 4, 10, 1.0, curve(3.0)}};
  return table;
}

std::uint32_t add_stack(SiteTable& sites, const std::vector<std::uint64_t>& offsets) {
  farcast::trace::Site site{{}, 1};
  for (const std::uint64_t offset : offsets) site.frames.push_back({"/elsewhere/app", "abcd", offset});
  return sites.site(site);
}

} // namespace

TEST_CASE("regions are told by the callers of their calls, as far as file and run know them") {
  const SlowdownTable table = stacked_table();
  CHECK(stack_depth(table) == 3);
  CHECK(stack_depth(sample_table()) == 1);
  SiteTable sites;
  const auto region = [&](const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to) {
    return sites.region(add_stack(sites, from), add_stack(sites, to));
  };
  const std::uint32_t first = region({0x10, 0x100, 0x300}, {0x20, 0x100, 0x300});
  const std::uint32_t deeper = region({0x10, 0x200, 0x300, 0x400}, {0x20, 0x200, 0x300, 0x400}); // than the file knows
  const std::uint32_t ends = region({0x10, 0x200, 0x300}, {0x20, 0x200});
  const std::uint32_t bare = region({0x10}, {0x20}); // recorded without callers
  const std::uint32_t other = region({0x10, 0x200, 0x999}, {0x20, 0x200, 0x999});
  Slowdowns slowdowns(table, sites, known());
  CHECK(slowdowns.slowdown(first, 2) == 1.2);
  CHECK(slowdowns.slowdown(deeper, 2) == 1.6);
  CHECK(slowdowns.slowdown(ends, 2) == 3.0);
  CHECK(slowdowns.slowdown(bare, 2) == Approx((1.2 + 3 * 1.6 + 3.0) / 5));
  CHECK(slowdowns.slowdown(other, 2) == Approx((3 * 1.6 + 3.0) / 4)); // the nearest callers are the same
  for (const std::uint32_t exact : {first, deeper, ends, bare}) slowdowns.alone_share(of(exact, 1.0), {1.0});
  slowdowns.alone_share(of(other, 1.0), {1.0});
  CHECK(slowdowns.coverage().exact_s == 4.0);
  CHECK(slowdowns.coverage().neighbour_s == 1.0);
}

TEST_CASE("SimGrid's ratio divides the measured time, with any number of co-runners") {
  const auto table = parse_adjustments("\"a.c:10:a.c:20\",1.25\n", "lu.csv");
  REQUIRE(table);
  SiteTable sites;
  const std::uint32_t region = sites.region(add_site(sites, 0x10), add_site(sites, 0x20));
  Slowdowns slowdowns(*table, sites, known());
  CHECK(slowdowns.alone_share(of(region, 1.0), {0.0, 1.0}) == Approx(0.8));
  CHECK(slowdowns.slowdown(region, 2) == 1.0);
  CHECK(slowdowns.coverage().exact_s == 1.0);
}

TEST_CASE("a file of another build, or of another program, is refused") {
  const SlowdownTable table = sample_table();
  CHECK(check_objects(table, {{0, 1, "", "/lib/libc.so"}, {0, 1, "abcd", "/x/app"}}));
  const auto rebuilt = check_objects(table, {{0, 1, "ffff", "/x/app"}});
  REQUIRE_FALSE(rebuilt);
  CHECK(rebuilt.error().message.find("regions.h5: it was measured on another build of app") == 0);
  const auto other = check_objects(table, {{0, 1, "ffff", "/x/other"}});
  REQUIRE_FALSE(other);
  CHECK(other.error().message.find("another program") != std::string::npos);
  CHECK(check_program(table, "/bin/sh"));
}
