// What predictions take of a node's records, from records with known truth.
#include "calib/study/node_records.h"
#include "calib/study/power_calibration.h"
#include "unit/study/synthetic_speed.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace farcast;
using namespace farcast::study;

namespace {

struct Step {
  const char* workload;
  int cores;
  double ghz;
  double watts;
};

std::string file_of(const std::vector<Step>& steps, const std::string& kind = "power", int version = 1) {
  std::vector<std::string> texts;
  texts.reserve(steps.size());
  for (const Step& step : steps)
    texts.push_back(fmt::format(
        R"({{"workload": "{}", "active_cores": {}, "frequency_hz": {}, "watts": {}, "deviation_w": 1, "readings": 5}})",
        step.workload, step.cores, step.ghz * 1e9, step.watts));
  return fmt::format(
      R"({{"farcast_calibration": "{}", "version": {}, "provenance": {{"host": "alpha"}}, "notes": [], "source": "a meter",
                      "steps": [{}], "models": [], "best": "", "properties": {{}}}})",
      kind, version, fmt::join(texts, ", "));
}

// Idle 60 W, static 80 W, per core 20 W computing, 12 W polling, 10 W probing; at 1 GHz half of it.
std::vector<Step> load_steps(bool polling) {
  std::vector<Step> out;
  for (const double ghz : {2.0, 1.0}) {
    out.push_back({"idle", 0, ghz, 30 * ghz});
    for (const int cores : {1, 2, 4}) {
      out.push_back({"compute", cores, ghz, (40 + 10 * cores) * ghz});
      out.push_back({"memory", cores, ghz, (40 + 7 * cores) * ghz});
      if (!polling) continue;
      out.push_back({"polling", cores, ghz, (40 + 6 * cores) * ghz});
      out.push_back({"probing", cores, ghz, (40 + 5 * cores) * ghz});
    }
  }
  return out;
}

std::string problem(const std::string& text) {
  const auto record = read_power_file(text, "p.json");
  return record ? "" : record.error().message;
}

} // namespace

TEST_CASE("the watts of each frequency come back from the steps of a power file") {
  const auto record = read_power_file(file_of(load_steps(true)), "p.json");
  REQUIRE(record);
  CHECK(record->provenance.host == "alpha");
  CHECK(record->source == "a meter");
  CHECK(record->cores == 4);
  CHECK(record->polling_measured);
  CHECK(record->memory_measured);
  REQUIRE(record->states.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const model::PowerState& state = record->states[i];
    const double ghz = i == 0 ? 1.0 : 2.0;
    CHECK(state.frequency.value() == Approx(ghz * 1e9));
    CHECK(state.idle.value() == Approx(30 * ghz));
    CHECK(state.static_active.value() == Approx(40 * ghz));
    CHECK(state.all_active[0].value() == Approx(80 * ghz));
    CHECK(state.all_active[1].value() == Approx(64 * ghz));
    CHECK(state.all_active[2].value() == Approx(60 * ghz));
    CHECK(state.all_active[3].value() == Approx(68 * ghz));
  }
}

TEST_CASE("what calibrate power writes is read back") {
  std::vector<LoadStep> steps;
  std::vector<PowerReading> readings;
  double now = 1000;
  for (const auto& [workload, cores, ghz, watts] : load_steps(true)) {
    LoadStep& step = steps.emplace_back();
    step.workload = workload;
    step.active_cores = cores;
    step.frequency_hz = ghz * 1e9;
    step.begin_s = now;
    for (int i = 1; i <= 10; ++i) readings.push_back({now + i, watts});
    step.end_s = now += 10;
  }
  const auto calibration = calibrate_power(steps, readings, 4, "a meter");
  REQUIRE(calibration);
  Provenance provenance;
  provenance.host = "beta";
  const auto record = read_power_file(power_file(*calibration, provenance), "p.json");
  REQUIRE(record);
  CHECK(record->provenance.host == "beta");
  CHECK(record->cores == 4);
  REQUIRE(record->states.size() == 2);
  CHECK(record->states[1].static_active.value() == Approx(80));
  CHECK(record->states[1].all_active[0].value() == Approx(160));
  CHECK(record->states[0].idle.value() == Approx(30));
}

TEST_CASE("polling that was not measured takes the watts of computing, and the record says so") {
  const auto record = read_power_file(file_of(load_steps(false)), "p.json");
  REQUIRE(record);
  CHECK_FALSE(record->polling_measured);
  CHECK(record->states.back().all_active[1].value() == Approx(160));
  CHECK(record->states.back().all_active[2].value() == Approx(160));
}

TEST_CASE("memory-bound computing that was not measured takes the watts of other computing, and the record says so") {
  std::vector<Step> steps = load_steps(true);
  std::erase_if(steps, [](const Step& step) { return std::string_view(step.workload) == "memory"; });
  const auto record = read_power_file(file_of(steps), "p.json");
  REQUIRE(record);
  CHECK_FALSE(record->memory_measured);
  CHECK(record->states.back().all_active[3].value() == Approx(160));
}

TEST_CASE("what is no record of power is refused by a sentence") {
  CHECK(problem("{").find("p.json: ") == 0);
  CHECK(problem(file_of(load_steps(true), "speed")).find("kind 'speed'") != std::string::npos);
  CHECK(problem(file_of(load_steps(true), "power", 2)).find("found version 2, expected 1") != std::string::npos);
  CHECK(problem(file_of({})).find("no step with an active core") != std::string::npos);
  CHECK(problem(file_of({{"compute", 1, 2, -5}})).find("above 0") != std::string::npos);
  CHECK(problem(file_of({{"compute", 1, 0, 5}})).find("above 0") != std::string::npos);
  CHECK(problem(file_of({{"compute", 1, 2, 50}, {"compute", 2, 2, 60}})).find("no frequency with idle") != std::string::npos);
}

TEST_CASE("the share of the clock: groups of kernels have equal weight, and the ends are theirs") {
  test::SpeedTruth truth; // 0.8 of compute, 0.2 of memory and latency
  truth.frequencies = {2.4e9, 2.0e9, 1.6e9, 1.2e9};
  truth.noise = 0.002;
  truth.late = 0;
  const auto law = clock_share_of(test::speed_record(truth, 1));
  REQUIRE(law);
  CHECK(law->share == Approx((0.8 + 0.2 + 0.2) / 3).margin(0.01));
  CHECK(law->low < 0.2);
  CHECK(law->low == Approx(0.2).margin(0.03));
  CHECK(law->high > 0.8);
  CHECK(law->high == Approx(0.8).margin(0.03));
  CHECK(law->groups == std::vector<std::string>{"compute", "latency", "memory"});
  truth.frequencies = {2.4e9, 1.2e9};
  const auto none = clock_share_of(test::speed_record(truth, 1));
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("three frequencies") != std::string::npos);
}
