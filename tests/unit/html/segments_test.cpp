#include "predictor/html/segments.h"

#include "predictor/html/line_json.h"
#include "predictor/html/link_load.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace segments_test {

using namespace farcast;
using html::ActivitySeconds;
using html::Segment;
using sim::Activity;

namespace {

constexpr std::size_t kRanks = 3;

// Intervals of very different lengths: most of them short, some a thousand times as long.
timeline::TimeLine uneven_line(std::size_t intervals) {
  timeline::TimeLine line(kRanks);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-6, -2);
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    double at = 0;
    for (std::size_t i = 0; i < intervals; ++i) {
      const double end = at + std::pow(10.0, exponent(random));
      line.intervals.append(rank, {at, end, at, static_cast<std::uint32_t>(i % 5), 0, static_cast<Activity>(random() % 6)});
      at = end;
    }
    line.end_s = std::max(line.end_s, at);
  }
  return line;
}

ActivitySeconds sums_of(const timeline::TimeLine& line, std::size_t rank) {
  ActivitySeconds sums{};
  timeline::RecordFile<timeline::Interval>::Reader reader(line.intervals, rank);
  for (timeline::Interval interval; reader.next(interval);)
    sums[static_cast<std::size_t>(interval.activity)] += interval.end - interval.begin;
  return sums;
}

bool near(double found, double expected, double limit = 1e-9) { return std::abs(found - expected) <= limit; }

std::size_t count(const timeline::TimeLine& line, double shortest) {
  std::size_t segments = 0;
  for (std::size_t rank = 0; rank < line.ranks(); ++rank) html::cut(line, rank, shortest, [&](const Segment&) { ++segments; });
  return segments;
}

} // namespace

TEST_CASE("Segments keep each rank's seconds per activity, without gaps, whatever the shortest is") {
  const timeline::TimeLine line = uneven_line(5000);
  for (const double shortest : {0.0, 1e-6, 1e-4, 3e-3, 1e9}) {
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      ActivitySeconds sums{};
      double at = 0;
      std::uint64_t intervals = 0;
      std::size_t segments = 0;
      html::cut(line, rank, shortest, [&](const Segment& segment) {
        CHECK(segment.begin == at);
        at = segment.end;
        intervals += segment.intervals;
        ++segments;
        double inside = 0;
        for (std::size_t activity = 0; activity < sums.size(); ++activity) {
          sums.at(activity) += segment.in.at(activity);
          inside += segment.in.at(activity);
        }
        CHECK(near(inside, segment.end - segment.begin));
      });
      const ActivitySeconds expected = sums_of(line, rank);
      for (std::size_t activity = 0; activity < sums.size(); ++activity) CHECK(near(sums.at(activity), expected.at(activity)));
      CHECK(intervals == 5000);
      if (shortest > 0) CHECK(static_cast<double>(segments) <= 2 * line.end_s / shortest + 1);
      if (shortest == 0) CHECK(segments == 5000);
    }
  }
}

TEST_CASE("Intervals that are long enough stay as they are, beside short ones that are taken together") {
  timeline::TimeLine line(1);
  const auto add = [&](double begin, double end, Activity activity) {
    line.intervals.append(0, {begin, end, begin, 4, 9, activity});
    line.end_s = end;
  };
  add(0, 0.1, Activity::local);
  add(0.1, 0.3, Activity::waiting);
  add(0.3, 5, Activity::compute);
  add(5, 5.4, Activity::local);
  std::vector<Segment> segments;
  html::cut(line, 0, 1.0, [&](const Segment& segment) { segments.push_back(segment); });
  REQUIRE(segments.size() == 3);
  CHECK(segments[0].intervals == 2);
  CHECK(near(segments[0].in[static_cast<std::size_t>(Activity::waiting)], 0.2));
  CHECK(segments[1].intervals == 1);
  CHECK(segments[1].only.activity == Activity::compute);
  CHECK(segments[1].only.region == 9);
  CHECK(segments[1].begin == 0.3);
  CHECK(segments[2].intervals == 1);
  CHECK(segments[2].end == 5.4);
}

TEST_CASE("A time line is cut down to the number of segments that is asked for, and not much further") {
  const timeline::TimeLine line = uneven_line(5000);
  CHECK(html::shortest_for(line, 15000) == 0.0);
  for (const std::size_t most : {14999U, 4000U, 600U, 30U}) {
    const double shortest = html::shortest_for(line, most);
    CHECK(count(line, shortest) <= most);
    if (most > 100) CHECK(2 * count(line, shortest) > most); // as much is shown as may be
  }
  CHECK(count(line, html::shortest_for(line, 2)) == kRanks); // one per rank is the least
}

TEST_CASE("The profile of all ranks keeps the seconds of each activity, and no slice has more than there are") {
  const timeline::TimeLine line = uneven_line(2000);
  for (const std::size_t slices : {1U, 7U, 400U}) {
    const std::vector<ActivitySeconds> profile = html::profile(line, slices);
    REQUIRE(profile.size() == slices);
    ActivitySeconds found{};
    for (const ActivitySeconds& slice : profile) {
      double inside = 0;
      for (std::size_t activity = 0; activity < found.size(); ++activity) {
        found.at(activity) += slice.at(activity);
        inside += slice.at(activity);
      }
      CHECK(inside <= kRanks * line.end_s / static_cast<double>(slices) + 1e-9);
    }
    for (std::size_t activity = 0; activity < found.size(); ++activity) {
      double expected = 0;
      for (std::size_t rank = 0; rank < kRanks; ++rank) expected += sums_of(line, rank).at(activity);
      CHECK(near(found.at(activity), expected));
    }
  }
}

TEST_CASE("Means of steps over slices keep the integral and stay between the steps' values") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> watts(100, 200);
  std::vector<energy::Step> steps;
  steps.reserve(30);
  for (int i = 0; i < 30; ++i) steps.push_back({0.1 * i, watts(random)}); // steps begin where slices do, but for rounding
  for (const std::size_t slices : {1U, 10U, 30U, 300U, 7U}) {
    const std::vector<double> means = html::means(steps, 3.0, slices);
    double sum = 0;
    for (const double mean : means) {
      CHECK(mean >= 100 - 1e-9);
      CHECK(mean <= 200 + 1e-9);
      sum += mean * 3.0 / static_cast<double>(slices);
    }
    CHECK(near(sum, energy::integral_of(steps, 3.0)));
  }
}

TEST_CASE("A long time line in JSON is as small as it was asked to be; base64 is that of RFC 4648") {
  const timeline::TimeLine line = uneven_line(20000);
  const report::Json value = html::line_value(line, 3000);
  CHECK(value["intervals"] == 3 * 20000);
  CHECK(value["first"].back() <= 3000);
  CHECK(value["first"].size() == kRanks + 1);
  CHECK(value["shortest_s"] > 0);
  CHECK(value.dump().size() < 3000 * 18 + 40000);
  const std::string text = "foobar";
  const auto encoded = [&](std::size_t length) { return html::base64({text.begin(), text.begin() + static_cast<long>(length)}); };
  CHECK(encoded(0).empty());
  CHECK(encoded(1) == "Zg==");
  CHECK(encoded(2) == "Zm8=");
  CHECK(encoded(3) == "Zm9v");
  CHECK(encoded(6) == "Zm9vYmFy");
}

} // namespace segments_test
