#include "calib/study/judge.h"
#include "calib/study/power_calibration.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace farcast;
using namespace farcast::study;

namespace {

constexpr double kIdle = 60;
constexpr double kStatic = 80;

double watts_of(const std::string& workload, int cores) {
  const double each = workload == "compute" ? 20 : workload == "memory" ? 16 : workload == "polling" ? 12 : 10;
  return cores == 0 ? kIdle : kStatic + each * cores;
}

// One reading a second, with a ripple of one per cent; steps of ten seconds, one after the other.
struct Measured {
  std::vector<LoadStep> steps;
  std::vector<PowerReading> readings;
};

Measured measure(int cores, const std::vector<double>& frequencies = {2e9}) {
  Measured measured;
  double now = 1000;
  double frequency = 0;
  const auto step = [&](const std::string& workload, int active) {
    LoadStep made;
    made.workload = workload;
    made.active_cores = active;
    made.frequency_hz = frequency;
    made.begin_s = now;
    made.end_s = now + 10;
    measured.steps.push_back(made);
    for (int i = 1; i <= 10; ++i) {
      const double ripple = i % 2 == 0 ? 1.01 : 0.99;
      const double watts = watts_of(workload, active) * ripple * std::pow(frequency / 2e9, 2);
      measured.readings.push_back({now + i, i <= 2 ? 500.0 : watts}); // settling: not to be used
    }
    now += 10;
  };
  for (const double set : frequencies) {
    frequency = set;
    step("idle", 0);
    for (const char* workload : {"compute", "memory", "polling", "probing"}) {
      for (int active = 1; active <= cores; ++active) step(workload, active);
    }
  }
  return measured;
}

std::string problem(const std::string& log) {
  const auto readings = read_power_log(log, "m.csv");
  return readings ? "" : readings.error().message;
}

} // namespace

TEST_CASE("the log of a wattmeter") {
  const auto readings = read_power_log("time,power [W]\n# a comment\n1700000000.5,100\n\n1700000001;101.5 # warm\n"
                                       "2023-11-14T22:13:22Z,102\n2023-11-14 22:13:23.25\t103\n",
                                       "m.csv");
  REQUIRE(readings);
  REQUIRE(readings->size() == 4);
  CHECK((*readings)[0].time_s == 1700000000.5);
  CHECK((*readings)[1].watts == 101.5);
  CHECK((*readings)[2].time_s == 1700000002.0);
  CHECK((*readings)[3].time_s == 1700000003.25);
  CHECK_THAT(problem("1,2\n3\n"), Catch::StartsWith("m.csv:2: found '3', expected time,watts"));
  CHECK_THAT(problem("1,2\n1,-3\n"), Catch::StartsWith("m.csv:2: found '1,-3'"));
  CHECK_THAT(problem("1,2\nten,3\n"), Catch::StartsWith("m.csv:2: found 'ten,3'"));
  CHECK_THAT(problem("5,2\n4,3\n"), Catch::Contains("m.csv:2: found a time before"));
  CHECK(problem("").empty());
}

TEST_CASE("idle, static and dynamic power come back, and the properties of a platform") {
  Measured measured = measure(4);
  const auto calibration = calibrate_power(measured.steps, measured.readings, 4, "a test");
  REQUIRE(calibration);
  REQUIRE(calibration->fit.heinrich.size() == 1);
  const fit::HeinrichPower& power = calibration->fit.heinrich[0];
  CHECK(power.idle_w->value == Approx(kIdle).epsilon(0.01));
  CHECK(power.static_w.value == Approx(kStatic).epsilon(0.01));
  CHECK(*power(4, "compute") == Approx(160).epsilon(0.01));
  CHECK(calibration->fit.best == fit::PowerModel::heinrich17);
  REQUIRE(calibration->properties.size() == 5); // the last: how sure the watts are
  CHECK(calibration->properties[0].first == "wattage_per_state");
  double idle = 0;
  double fixed = 0;
  double all = 0;
  REQUIRE(std::sscanf(calibration->properties[0].second.c_str(), "%lf:%lf:%lf", &idle, &fixed, &all) == 3);
  CHECK(all == Approx(160).epsilon(0.01));
  CHECK(std::stod(calibration->properties[1].second) == Approx(128).epsilon(0.01));
  CHECK(calibration->properties[3].first == "farcast:memory_watts");
  CHECK(std::stod(calibration->properties[3].second) == Approx(*power(4, "memory")).epsilon(0.01));
  CHECK(calibration->steps[0].readings == 8); // of ten seconds the first two are left out
  CHECK_THAT(power_table(*calibration), Catch::Contains("Heinrich17") && Catch::Contains("wattage_per_state"));
}

TEST_CASE("powers at several frequencies are told apart, and a platform gets those of the highest") {
  Measured measured = measure(4, {1e9, 1.5e9, 2e9});
  const auto calibration = calibrate_power(measured.steps, measured.readings, 4, "a test");
  REQUIRE(calibration);
  REQUIRE(calibration->fit.heinrich.size() == 3);
  for (const fit::HeinrichPower& power : calibration->fit.heinrich) {
    const double scale = std::pow(power.frequency_hz / 2e9, 2);
    CHECK(power.idle_w->value == Approx(kIdle * scale).epsilon(0.01));
    CHECK(power.static_w.value == Approx(kStatic * scale).epsilon(0.01));
  }
  REQUIRE_FALSE(calibration->properties.empty());
  double idle = 0;
  REQUIRE(std::sscanf(calibration->properties[0].second.c_str(), "%lf:", &idle) == 1);
  CHECK(idle == Approx(kIdle).epsilon(0.01));
  const auto balladini = calibration->fit.watts(fit::PowerModel::balladini13, 4, 1.2e9, "compute");
  REQUIRE(balladini);
  CHECK(*balladini == Approx(160 * 0.36).epsilon(0.02));
}

TEST_CASE("clocks that nobody set are one frequency, and what was far from it is said") {
  std::vector<LoadStep> steps(4);
  steps[0].running_hz = 0.8e9; // idle
  for (std::size_t i = 1; i < 4; ++i) steps[i].active_cores = static_cast<int>(i);
  steps[1].running_hz = 3.1e9;
  steps[2].running_hz = 3.0e9;
  steps[3].running_hz = 2.9e9;
  std::vector<LoadStep> turbo = steps, silent = steps, set = steps;
  CHECK(settle_frequencies(steps).empty());
  for (const LoadStep& step : steps) CHECK(step.frequency_hz == 3.0e9);
  turbo[1].running_hz = 3.7e9;
  const auto said = settle_frequencies(turbo);
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Catch::StartsWith("in 1 of 4 steps") && Catch::Contains("2.90 to 3.70 GHz"));
  for (LoadStep& step : silent) step.running_hz = 0;
  CHECK(settle_frequencies(silent).empty());
  CHECK(silent[3].frequency_hz == 1e9);
  for (LoadStep& step : set) step.frequency_hz = 2e9;
  REQUIRE(settle_frequencies(set).size() == 1);
  CHECK(set[3].frequency_hz == 2e9); // what was set is the setting
}

TEST_CASE("readings that do not cover a step are said") {
  Measured measured = measure(2);
  measured.readings.resize(25);
  const auto calibration = calibrate_power(measured.steps, measured.readings, 2, "a test");
  REQUIRE_FALSE(calibration);
  CHECK_THAT(calibration.error().message, Catch::Contains("no power reading while 1 cores did memory"));
}

TEST_CASE("a power file is judged") {
  Measured measured = measure(4);
  const auto calibration = calibrate_power(measured.steps, measured.readings, 4, "a test");
  REQUIRE(calibration);
  Provenance provenance;
  provenance.host = "here";
  const std::string text = power_file(*calibration, provenance);
  Surroundings here;
  here.host = "here";
  const auto record = read_calibration(text, "p.json");
  REQUIRE(record);
  CHECK(record->kind == "power");
  CHECK(judge(*record, here).empty());
  measured.readings[34].watts = 5000; // a spike in the load
  measured.readings[35].watts = 5000;
  const auto spiked = calibrate_power(measured.steps, measured.readings, 4, "a test");
  REQUIRE(spiked);
  const auto bad = read_calibration(power_file(*spiked, provenance), "p.json");
  REQUIRE(bad);
  const auto findings = judge(*bad, here);
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].fault);
  CHECK(std::holds_alternative<model::LowRSquared>(findings[0].what));
}
