#include "predictor/report/confidence.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::report;

namespace {

sim::Prediction sure() {
  sim::Prediction one;
  one.time = base::Seconds(2.0);
  one.energy = base::Joules(300);
  one.confidence = sim::Confidence{};
  one.confidence->time_s = base::Interval{1.9, 2.05};
  one.confidence->energy_j = base::Interval{250, 310};
  one.confidence->members = 40;
  one.confidence->computation = 0.2;
  one.confidence->chance = 0.7;
  one.confidence->model = 0.1;
  one.confidence->computation_known = one.confidence->calibration_known = one.confidence->watts_known = true;
  return one;
}

} // namespace

TEST_CASE("the farther end of an interval is the deviation") {
  CHECK(deviation_text(2.0, base::Interval{1.9, 2.05}) == "+-5.0%");
  CHECK(deviation_text(2.0, base::Interval{1.0, 2.05}) == "+-50%");
  CHECK(deviation_text(2.0, std::nullopt) == "-");
  CHECK(deviation_text(0.0, base::Interval{0, 1}) == "-");
}

TEST_CASE("how sure a prediction is, in words") {
  sim::Prediction one = sure();
  CHECK(confidence_sentence(one) ==
        "in 9 of 10 runs 1.900 s to 2.050 s, 250.0 J to 310.0 J by 40 predictions with other draws of what is not known; of the "
        "variance 70 % chance on the network, 20 % computation, 10 % the models' own error");
  one.confidence->calibration_known = false;
  CHECK(confidence_sentence(one).ends_with("; nobody says how sure the platform's network is"));
  one.confidence->watts_known = false;
  CHECK(confidence_sentence(one).ends_with("; no interval of the energy: nobody says how sure the watts are"));
  one.confidence->time_s.reset();
  one.confidence->members = 5;
  CHECK(confidence_sentence(one) == "no interval: 5 predictions with other draws are too few, 20 are enough (--ensemble)");
  one.confidence->members = 0;
  one.confidence->too_dear = true;
  CHECK(confidence_sentence(one).starts_with(
      "no +-: the 20 predictions with other draws that it takes would have kept the report "));
}

TEST_CASE("what the +- of a screen is") {
  CHECK(intervals_sentence({sim::Prediction(), sure()}) ==
        "+-: 9 of 10 runs, by 40 predictions with other draws (mostly of chance on the network)");
  sim::Prediction without = sure();
  without.confidence->energy_j.reset();
  CHECK(
      intervals_sentence({sure(), without}) ==
      "+-: 9 of 10 runs, by 40 predictions with other draws (mostly of chance on the network); energy has none (-) where nobody "
      "says how sure the watts are");
  without.energy.reset(); // no figure lacks an interval
  CHECK(intervals_sentence({without}) == intervals_sentence({sure()}));
  CHECK(intervals_sentence({sim::Prediction()}).empty());
  sim::Prediction dear;
  dear.confidence.emplace().too_dear = true;
  CHECK(intervals_sentence({sim::Prediction(), dear}).ends_with(" (--ensemble 20 plays them)"));
}

TEST_CASE("how sure a prediction is, in JSON") {
  const Json value = confidence_value(*sure().confidence);
  CHECK(value["time_s"] == Json::array({1.9, 2.05}));
  CHECK(value["energy_j"][1] == 310);
  CHECK(value["members"] == 40);
  CHECK(value["variance_shares"]["model"] == 0.1);
  sim::Confidence none;
  CHECK(confidence_value(none)["time_s"].is_null());
}
