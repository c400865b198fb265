#include "predictor/html/effective.h"

#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace effective_test {

namespace flat = scenario; // what the engine's tests are written with
namespace collective = farcast::collective;
namespace html = farcast::html;
namespace platform = farcast::platform;
namespace trace = farcast::trace;
using farcast::scenario::PlacedPlatform;
using farcast::scenario::Scenario;

namespace {

Scenario on(platform::Platform platform, platform::Placement placement) {
  Scenario scenario;
  scenario.where = std::make_shared<const PlacedPlatform>(PlacedPlatform{std::move(platform), std::move(placement)});
  return scenario;
}

} // namespace

TEST_CASE("One message takes what the model's formula says, on each of the different ways") {
  const platform::Platform platform = flat::flat(4, flat::kBandwidth, flat::kLatency, 2);
  const auto ways = html::message_times(on(platform, flat::one_per_host(3)));
  REQUIRE(ways.size() == 3);
  CHECK(ways[0].from == ways[0].to);
  CHECK(ways[1].from == "host0");
  CHECK(ways[1].to == "host1");
  CHECK(ways[2].to == "host3");
  for (std::size_t size = 0; size < html::kMessageBytes.size(); ++size) {
    const double expected = flat::alone(platform, html::kMessageBytes.at(size));
    CHECK(std::abs(ways[1].seconds.at(size) - expected) < 1e-12);
    CHECK(std::abs(ways[2].seconds.at(size) - expected) < 1e-12);
  }
}

TEST_CASE("There is no way between hosts where there is one host, and none is told twice") {
  CHECK(html::message_times(on(flat::flat(1), flat::one_per_host(1))).empty());
  const auto two = html::message_times(on(flat::flat(2), flat::one_per_host(1)));
  REQUIRE(two.size() == 1);
  CHECK(two[0].to == "host1");
}

TEST_CASE("Algorithms are those of the library, by size, or as they were named") {
  Scenario scenario = on(flat::flat(8), flat::one_per_host(8));
  const auto choices = html::collective_choices(scenario, {trace::CollectiveKind::allreduce, trace::CollectiveKind::scan});
  REQUIRE(!choices.empty());
  CHECK(choices[0].call == "allreduce");
  CHECK(choices[0].ranges.size() > 1);
  scenario.options.collectives = *collective::parse_selection("allreduce=ring");
  const auto named = html::collective_choices(scenario, {trace::CollectiveKind::allreduce});
  REQUIRE(named.size() == 1);
  CHECK(named[0].ranges.back().algorithm == "ring"); // with fewer elements than ranks the library takes another one
  CHECK(choices[0].ranges.back().algorithm != "recursive_doubling");
  scenario.options.collectives = *collective::parse_selection("allreduce=recursive_doubling");
  CHECK(html::collective_choices(scenario, {trace::CollectiveKind::allreduce})[0].ranges.back().algorithm ==
        "recursive_doubling");
}

} // namespace effective_test
