#include "calib/study/aligned_regions.h"

#include "tests/unit/region/slowdown_sample.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace farcast::study {

namespace {

// The sample again, as a node measured it that is twice as fast.
region::SlowdownTable faster() {
  region::SlowdownTable table = region::sample_table();
  for (region::RegionSlowdown& region : table.regions) region.alone_s /= 2.0;
  return table;
}

} // namespace

TEST_CASE("regions of one build are aligned by where their calls stand, the longest first") {
  auto other = faster();
  for (trace::ResolvedSite& site : other.sites) site.text = "elsewhere:1"; // the text does not matter
  const AlignedRegions aligned = align_regions({region::sample_table(), other});
  REQUIRE(aligned.rows.size() == 2); // the third took no time
  CHECK_FALSE(aligned.by_line);
  CHECK(aligned.rows[0].name == "a.c:10 -> a.c:20");
  CHECK(aligned.rows[1].name == "a.c:20 -> b.c:30");
  CHECK(aligned.covered == 1.0);
  CHECK(aligned.other_visits == 0);
}

TEST_CASE("without a common build they are aligned by file and line") {
  const region::SlowdownTable first = region::sample_table();
  region::SlowdownTable other = faster();
  for (trace::ResolvedSite& site : other.sites) {
    site.build_id = "ef01";
    site.offset += 0x100;
  }
  const AlignedRegions aligned = align_regions({first, other});
  CHECK(aligned.by_line);
  CHECK(aligned.rows.size() == 2);
}

TEST_CASE("a region that was visited another number of times is left out") {
  const region::SlowdownTable first = region::sample_table();
  region::SlowdownTable other = faster();
  other.regions[1].visits = 11;
  const AlignedRegions aligned = align_regions({first, other});
  REQUIRE(aligned.rows.size() == 1);
  CHECK(aligned.other_visits == 1);
  CHECK(aligned.covered == Approx(2.0 / 3.0));
}

TEST_CASE("times are alone or with the most co-runners that were met, with the error of the median") {
  const std::vector<region::SlowdownTable> tables{region::sample_table(), faster()};
  const AlignedRegions aligned = align_regions(tables);
  const auto alone = times_of(aligned, 1, Corunners::alone);
  const auto full = times_of(aligned, 1, Corunners::full);
  REQUIRE(alone.size() == 2);
  CHECK(alone[0].seconds.value == 1.0);
  CHECK(full[0].seconds.value == 2.0);
  CHECK(full[0].seconds.standard_error == Approx(1.2533 * 0.03 / std::sqrt(3.0) * 2.0));
  CHECK(std::isinf(alone[1].seconds.standard_error)); // of one repetition
}

TEST_CASE("adjustments are the ratio of the times, all ranks together") {
  const std::vector<region::SlowdownTable> tables{region::sample_table(), faster()};
  const auto adjustments = speed_adjustments(align_regions(tables), tables[0]);
  REQUIRE(adjustments.regions.size() == 2);
  CHECK(adjustments.regions[0].divisor == std::optional<double>(2.0));
  CHECK(adjustments.regions[0].points.empty());
}

} // namespace farcast::study
