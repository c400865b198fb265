#include "predictor/html/arrows.h"

#include <catch2/catch.hpp>

namespace arrows_test {

using namespace farcast;
using namespace farcast::html;

namespace {

void send(Arrows& arrows, std::uint64_t id, std::uint32_t from, std::uint32_t to, double posted, double arrived,
          bool inside = false) {
  arrows.posted({id, from, to, 8.0, inside, false, posted});
  arrows.arrived({id, arrived});
}

} // namespace

TEST_CASE("messages of the program are arrows; those inside of collectives, and of a rank to itself, are not") {
  Arrows arrows;
  send(arrows, 1, 1, 0, 0.5, 1.0);
  send(arrows, 2, 0, 1, 0.25, 2.0);
  send(arrows, 3, 0, 1, 0.0, 2.0, true);
  send(arrows, 4, 1, 1, 0.0, 2.0);
  arrows.posted({5, 0, 1, 8.0, false, false, 1.0}); // never arrives
  REQUIRE(arrows.all() == 2);
  const std::vector<Arrow> kept = arrows.kept();
  REQUIRE(kept.size() == 2);
  CHECK((kept[0].source == 0 && kept[0].destination == 1 && kept[0].posted == 0.25 && kept[0].arrived == 2.0));
  CHECK(kept[1].source == 1);
  const report::Json value = arrows_value(arrows, 2.0);
  CHECK((value["all"] == 2 && value["kept"] == 2));
  CHECK(value["from"] == "AAAAAAEAAAA=");    // 0, 1
  CHECK(value["arrived"] == "/////wAAAIA="); // all of the line, and half of it
}

TEST_CASE("of too many, those that are on the way longest are kept, in whatever order they come") {
  const auto kept_of = [](bool backwards) {
    Arrows arrows;
    const std::size_t many = kMostArrows + 100;
    for (std::size_t i = 0; i < many; ++i) {
      const std::size_t n = backwards ? many - 1 - i : i;
      send(arrows, n + 1, 0, 1, 1.0, 1.0 + 1e-6 * static_cast<double>(n / 2)); // pairs of one length
    }
    CHECK(arrows.all() == many);
    return arrows.kept();
  };
  const std::vector<Arrow> forwards = kept_of(false), backwards = kept_of(true);
  REQUIRE(forwards.size() == kMostArrows);
  REQUIRE(backwards.size() == kMostArrows);
  CHECK(forwards.front().on_the_way() == Approx(50e-6));
  CHECK(backwards.front().on_the_way() == Approx(50e-6));
}

} // namespace arrows_test
