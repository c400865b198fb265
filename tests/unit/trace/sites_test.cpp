#include "predictor/trace/sites.h"

#include <catch2/catch.hpp>

using namespace farcast::trace;

namespace {

RankRecording rank_with(std::vector<LoadedModule> modules) {
  RankRecording rank;
  rank.modules = std::move(modules);
  return rank;
}

} // namespace

TEST_CASE("one place in an object is one site, wherever each rank loaded it") {
  SiteTable table;
  std::mutex mutex;
  RankRecording zero = rank_with({{0x10000, 0x20000, "ab", "/bin/app"}});
  RankRecording one = rank_with({{0x70000, 0x80000, "ab", "/bin/app"}});
  SiteResolver first(table, zero, mutex);
  SiteResolver second(table, one, mutex);
  const std::uint32_t site = first.site(0x10123, 5);
  CHECK(second.site(0x70123, 5) == site);
  CHECK(first.site(0x10123, 5) == site);
  CHECK(first.site(0x10123, 6) != site); // another function
  CHECK(first.site(0x10124, 5) != site);
  REQUIRE(table.sites()[site].frames.size() == 1);
  CHECK(table.sites()[site].frames[0] == Frame{"/bin/app", "ab", 0x123});
}

TEST_CASE("another build of the same path is another site; unknown addresses stay addresses") {
  SiteTable table;
  std::mutex mutex;
  RankRecording zero = rank_with({{0x10000, 0x20000, "ab", "/bin/app"}});
  RankRecording one = rank_with({{0x10000, 0x20000, "cd", "/bin/app"}});
  CHECK(SiteResolver(table, zero, mutex).site(0x10123, 5) != SiteResolver(table, one, mutex).site(0x10123, 5));
  const std::uint32_t nowhere = SiteResolver(table, zero, mutex).site(0x999999, 5);
  CHECK(table.sites()[nowhere].frames[0] == Frame{"", "", 0x999999});
}

TEST_CASE("a return address may be the end of its object, and the latest module list counts") {
  SiteTable table;
  std::mutex mutex;
  RankRecording rank = rank_with({{0x1000, 0x2000, "", "old.so"}, {0x1000, 0x3000, "", "new.so"}});
  SiteResolver resolver(table, rank, mutex);
  CHECK(table.sites()[resolver.site(0x3000, 1)].frames[0].path == "new.so"); // a call as the last instruction
  CHECK(table.sites()[resolver.site(0x1800, 1)].frames[0].path == "new.so");
  CHECK(table.sites()[resolver.site(0x1000, 1)].frames[0].path.empty()); // no call ends at the very start
}

TEST_CASE("stacks: a chain of frames") {
  SiteTable table;
  std::mutex mutex;
  RankRecording zero = rank_with({{0x10000, 0x20000, "ab", "/bin/app"}});
  RankRecording one = rank_with({{0x50000, 0x60000, "ab", "/bin/app"}});
  SiteResolver first(table, zero, mutex);
  SiteResolver second(table, one, mutex);
  first.define_stack(0x8000000000000001, {0x10010, 0x10020});
  second.define_stack(0x8000000000000099, {0x50010, 0x50020}); // keys are hashes of addresses: they differ
  const std::uint32_t site = first.site(0x8000000000000001, 3);
  CHECK(second.site(0x8000000000000099, 3) == site);
  REQUIRE(table.sites()[site].frames.size() == 2);
  CHECK(table.sites()[site].frames[1].offset == 0x20);
  CHECK(first.site(0x10010, 3) != site); // the innermost frame alone is another site
}

TEST_CASE("regions are pairs of sites, in one direction") {
  SiteTable table;
  CHECK(table.region(1, 2) == 0);
  CHECK(table.region(2, 1) == 1);
  CHECK(table.region(1, 2) == 0);
  CHECK(table.regions() == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 2}, {2, 1}});
}

TEST_CASE("the canonical order does not depend on the order of appearance") {
  const Site a{{{"a", "", 1}}, 4};
  const Site b{{{"a", "", 2}}, 3};
  const Site c{{{"b", "", 1}}, 3};
  const auto order_of = [](const std::vector<Site>& appearance, const std::vector<std::pair<Site, Site>>& pairs) {
    SiteTable table;
    for (const Site& site : appearance) table.site(site);
    for (const auto& [from, to] : pairs) table.region(table.site(from), table.site(to));
    const CanonicalOrder order = canonical_order(table);
    std::vector<Site> sites(table.sites().size());
    for (std::size_t i = 0; i < sites.size(); ++i) sites[order.site[i]] = table.sites()[i];
    std::vector<std::pair<Site, Site>> regions(table.regions().size());
    for (std::size_t i = 0; i < regions.size(); ++i) {
      regions[order.region[i]] = {table.sites()[table.regions()[i].first], table.sites()[table.regions()[i].second]};
    }
    return std::pair(sites, regions);
  };
  const auto one = order_of({a, b, c}, {{a, b}, {b, c}, {c, a}, {a, a}});
  const auto other = order_of({c, a, b}, {{a, a}, {c, a}, {b, c}, {a, b}});
  CHECK(one.first == std::vector{a, b, c});
  CHECK(one.first == other.first);
  CHECK(one.second == other.second);
  CHECK(one.second.front() == std::pair(a, a));
}
