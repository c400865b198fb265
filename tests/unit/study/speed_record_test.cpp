#include "calib/study/speed_record.h"

#include "calib/study/judge.h"
#include "tests/unit/study/synthetic_speed.h"

#include <catch2/catch.hpp>

namespace speed_record_test {

using namespace farcast;
using namespace farcast::study;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string problem(const std::string& text) {
  const auto record = read_speed_file(text, "s.json");
  return record ? "" : record.error().message;
}

std::string with(std::string text, const std::string& old, const std::string& other) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), other);
}

std::vector<model::Finding> judged(const SpeedRecord& record, const Surroundings& here) {
  const auto read = read_calibration(speed_file(record), "s.json");
  REQUIRE(read);
  CHECK(read->kind == "speed");
  return judge(*read, here);
}

Surroundings same_place() {
  Surroundings here;
  here.host = "alpha";
  here.cpu = "a CPU";
  here.kernels = "1, a compiler";
  here.libraries = {"Open MPI v4.1.4"}; // which the record does not need
  return here;
}

} // namespace

TEST_CASE("a record comes back from its file") {
  test::SpeedTruth truth;
  truth.frequencies = {1.2e9, 1.8e9, 2.4e9};
  SpeedRecord record = test::speed_record(truth, 3);
  record.notes = {"a note"};
  const auto back = read_speed_file(speed_file(record), "s.json");
  REQUIRE(back);
  CHECK(back->provenance.host == "alpha");
  CHECK(back->provenance.cpu == "a CPU");
  CHECK(back->kernels == record.kernels);
  CHECK(back->cores == 4);
  CHECK(back->notes == record.notes);
  REQUIRE(back->measurements.size() == record.measurements.size());
  for (std::size_t i = 0; i < record.measurements.size(); ++i) {
    CHECK(name_of(back->measurements[i]) == name_of(record.measurements[i]));
    CHECK(back->measurements[i].bound == record.measurements[i].bound);
    CHECK(back->measurements[i].cores == record.measurements[i].cores);
    CHECK(back->measurements[i].frequency_hz == record.measurements[i].frequency_hz);
    CHECK(back->measurements[i].seconds == record.measurements[i].seconds);
  }
  CHECK(speed_file(*back) == speed_file(record));
  CHECK_THAT(speed_file(record), Contains("\"clock_share\""));
}

TEST_CASE("a file that is cut, of another kind, or cannot be is refused with its name") {
  const std::string whole = speed_file(test::speed_record({}, 1));
  for (std::size_t length = 0; length + 2 < whole.size(); length += 101) {
    INFO(length);
    CHECK_THAT(problem(whole.substr(0, length)), StartsWith("s.json: ") && Contains("farcast calibrate speed"));
  }
  CHECK_THAT(problem(with(whole, "\"speed\"", "\"power\"")), Contains("found a calibration of kind 'power'"));
  CHECK_THAT(problem(with(whole, "\"version\": 1", "\"version\": 7")), Contains("found version 7, expected 1"));
  CHECK_THAT(problem(with(whole, "\"cores\": 1,", "\"cores\": 0,")), Contains("multiply-add on 0 cores: found 0 cores"));
  CHECK_THAT(problem(with(whole, "\"frequency_hz\": 0.0", "\"frequency_hz\": -1.0")), Contains("found frequency_hz -1"));
  SpeedRecord record = test::speed_record({}, 1);
  record.measurements[2].seconds[1] = -1.0;
  CHECK_THAT(problem(speed_file(record)), Contains("matrix 54 KiB on 1 cores: found -1 seconds per unit"));
  record.measurements[2].seconds.clear();
  CHECK_THAT(problem(speed_file(record)), Contains("found no seconds_per_unit"));
  record.measurements.clear();
  CHECK_THAT(problem(speed_file(record)), Contains("found no measurement"));
}

TEST_CASE("tables tell medians at the highest frequency, and what lower ones cost") {
  test::SpeedTruth truth;
  truth.noise = truth.late = 0.0;
  truth.frequencies = {1.2e9, 1.8e9, 2.4e9};
  const SpeedRecord record = test::speed_record(truth, 1);
  const std::string table = speed_table(record);
  CHECK_THAT(table, Contains("triad 96 MiB") && Contains("4 ns") && Contains("2.40") && !Contains("1.20"));
  CHECK_THAT(law_table(record), Contains("0.800") && Contains("multiply-add, one core") && Contains("0.556")); // 1 / 1.8
  CHECK(law_table(test::speed_record({}, 1)).empty());
}

TEST_CASE("a good record has no fault here; few runs, scatter and another processor are found") {
  const SpeedRecord good = test::speed_record({}, 1);
  CHECK(judged(good, same_place()).empty());
  test::SpeedTruth few;
  few.repetitions = 4;
  auto findings = judged(test::speed_record(few, 1), same_place());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].fault);
  const auto& few_runs = std::get<model::FewKernelRuns>(findings[0].what);
  CHECK(few_runs.kernels_with_few == 8);
  CHECK(few_runs.kernels == 8);
  CHECK(few_runs.samples == 4);
  test::SpeedTruth busy;
  busy.noise = 0.2;
  findings = judged(test::speed_record(busy, 1), same_place());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].fault);
  CHECK(std::holds_alternative<model::KernelsScatter>(findings[0].what));
  Surroundings here = same_place();
  here.cpu = "a new CPU";
  findings = judged(good, here);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].fault); // the same host, so what it says of it is no longer true
  const auto& processor = std::get<model::OtherProcessor>(findings[0].what);
  CHECK(processor.measured == "a CPU");
  CHECK(processor.here == "a new CPU");
  CHECK(processor.host == "alpha");
  here.host = "beta"; // that is what records are compared for
  findings = judged(good, here);
  REQUIRE(findings.size() == 2);
  CHECK_FALSE(findings[0].fault);
  CHECK_FALSE(findings[1].fault);
  here = same_place();
  here.kernels = "1, another compiler";
  findings = judged(good, here);
  REQUIRE(findings.size() == 1);
  CHECK_FALSE(findings[0].fault);
  here.kernels = "2, a compiler";
  findings = judged(good, here);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].fault);
  CHECK(std::get<model::OtherKernels>(findings[0].what).other_work);
}

} // namespace speed_record_test
