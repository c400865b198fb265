#include "calib/study/judge.h"

#include "calib/study/collectives_calibration.h"
#include "calib/study/platform_file.h"
#include "tests/unit/study/findings.h"
#include "tests/unit/study/synthetic_network.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace farcast;
using study::CalibrationRecord;
using test::fault;
using test::remark;

namespace {

study::Provenance some_provenance() {
  return {"alpha", "a CPU", "Open MPI v4.1.4", "2026-11-21T00:00:00Z", "farcast calibrate", "0.1.0", 1};
}

std::string file_of(int samples, double noise) {
  test::NetworkTruth truth;
  truth.noise = noise;
  const auto calibration = study::calibrate_network(test::output_of(test::probe_lines(truth, samples, 21)));
  REQUIRE(calibration);
  return study::platform_file(*calibration, some_provenance(), {});
}

CalibrationRecord record_of(const std::string& text) {
  auto record = study::read_calibration(text, "net.xml");
  REQUIRE(record);
  return *record;
}

study::Surroundings same_place() { return {"alpha", {"Open MPI v4.1.4"}, "", ""}; }

} // namespace

TEST_CASE("a good calibration on the same machine has no fault, and says all of itself") {
  const CalibrationRecord record = record_of(file_of(600, 0.01));
  CHECK(record.kind == "network");
  CHECK(record.provenance.host == "alpha");
  CHECK(record.provenance.cpu == "a CPU");
  CHECK(record.provenance.command == "farcast calibrate");
  CHECK(record.provenance.seed == 1);
  CHECK(record.sections.size() >= 6);
  const auto findings = study::judge(record, same_place());
  REQUIRE(findings.size() == 1); // of one rank per node
  REQUIRE(remark<model::NoteOfFile>(findings) != nullptr);
  CHECK(remark<model::NoteOfFile>(findings)->text.find("messages between ranks of one node were not measured") !=
        std::string::npos);
}

TEST_CASE("a file of before messages to itself were measured: remarks say what is assumed") {
  std::string text = file_of(600, 0.01);
  for (const std::string name : {"smpi/async-small-thresh", "farcast:self_message", "farcast:reduction", "farcast:copy"}) {
    const std::size_t at = text.find("id=\"" + name);
    REQUIRE(at != std::string::npos);
    text.replace(at + 4, name.size(), "of/another");
  }
  const auto findings = study::judge(record_of(text), same_place());
  REQUIRE(findings.size() == 5);
  CHECK(std::get<model::FigureMissing>(findings[0].what).property == "smpi/async-small-thresh");
  CHECK(std::get<model::FigureMissing>(findings[1].what).property == "farcast:self_message");
  CHECK(std::get<model::FigureMissing>(findings[2].what).property == "farcast:reduction");
  for (const model::Finding& finding : findings) CHECK(!finding.fault);
}

TEST_CASE("few samples, scatter, another library and another host are found") {
  CHECK(fault<model::FewSamples>(study::judge(record_of(file_of(25, 0.01)), same_place())) != nullptr);
  const auto scattered = study::judge(record_of(file_of(600, 0.25)), same_place());
  REQUIRE(fault<model::LargeResiduals>(scattered) != nullptr);
  CHECK(fault<model::LargeResiduals>(scattered)->residual > fault<model::LargeResiduals>(scattered)->bound);
  const CalibrationRecord good = record_of(file_of(600, 0.01));
  study::Surroundings here = same_place();
  here.libraries = {"MPICH Version: 4.0.2"};
  const auto reinstalled = study::judge(good, here);
  REQUIRE(fault<model::LibraryNotInstalled>(reinstalled) != nullptr);
  CHECK(fault<model::LibraryNotInstalled>(reinstalled)->installed == here.libraries);
  here = same_place();
  here.program = "./app";
  here.program_library = "mpich";
  const auto relinked = study::judge(good, here);
  REQUIRE(fault<model::OtherLibrary>(relinked) != nullptr);
  CHECK(fault<model::OtherLibrary>(relinked)->linked == "MPICH");
  here.program_library = "openmpi";
  CHECK(study::judge(good, here).size() == 1); // the remark of one rank per node
  here.host = "beta";
  const auto findings = study::judge(good, here);
  REQUIRE(findings.size() == 2);
  REQUIRE(remark<model::MeasuredElsewhere>(findings) != nullptr);
  CHECK(remark<model::MeasuredElsewhere>(findings)->host == "alpha");
}

TEST_CASE("a part of the network that is not known to what a message takes in all is found") {
  CalibrationRecord record = record_of(file_of(600, 0.01));
  const auto part =
      std::find_if(record.sections.begin(), record.sections.end(), [](const auto& s) { return s.curve == "network"; });
  REQUIRE(part != record.sections.end());
  part->base_interval_s = {-6.7e-3, 13e-3};
  const auto findings = study::judge(record, same_place());
  REQUIRE(fault<model::LargeResiduals>(findings) != nullptr);
  CHECK(fault<model::LargeResiduals>(findings)->section.find("network") == 0);
}

TEST_CASE("what is no calibration is refused with the file's name, wherever it is cut") {
  const std::string whole = file_of(60, 0.01);
  for (std::size_t length = 0; length + 1 < whole.size(); length += 97) {
    const auto record = study::read_calibration(std::string_view(whole).substr(0, length), "cut.xml");
    INFO(length);
    REQUIRE_FALSE(record);
    CHECK(record.error().message.starts_with("cut.xml"));
  }
  for (const char* text : {"plain", "<platform/>", "{}", "{\"farcast_calibration\": 3}", "[1]"}) {
    const auto record = study::read_calibration(text, "x");
    REQUIRE_FALSE(record);
    CHECK(record.error().message.find("farcast calibrate") != std::string::npos);
  }
}

TEST_CASE("a section that somebody changed by hand is refused") {
  std::string text = file_of(60, 0.01);
  const std::size_t at = text.find("curve=send");
  REQUIRE(at != std::string::npos);
  text.replace(at, 10, "curb=send!");
  const auto record = study::read_calibration(text, "net.xml");
  REQUIRE_FALSE(record);
  CHECK(record.error().message.find("curb=send!") != std::string::npos);
}

TEST_CASE("block formulas come back from measurements, through the file") {
  study::ProbeOutput output;
  output.facts["mpi"] = "Open MPI v4.1.4";
  const fit::BlockParameters truth{5e-6, 2e-9, 2048};
  for (int processes = 2; processes <= 8; ++processes) {
    for (double bytes = 100; bytes < 1e6; bytes *= 1.7) {
      const double seconds = fit::block_time(fit::Block::broadcast, truth, processes, bytes);
      output.samples.push_back({"broadcast", "all", bytes, processes, seconds});
    }
  }
  const auto calibration = study::calibrate_collectives(output);
  REQUIRE(calibration);
  REQUIRE(calibration->blocks.size() == 1);
  CHECK(calibration->blocks[0].start_s.value == Approx(truth.start_s).epsilon(1e-6));
  CHECK(calibration->blocks[0].per_byte_s.value == Approx(truth.per_byte_s).epsilon(1e-6));
  CHECK(calibration->blocks[0].unit_bytes == 2048);
  CHECK(calibration->notes.size() == std::size(fit::kBlocks) - 1);
  const CalibrationRecord record = record_of(study::collectives_file(*calibration, some_provenance()));
  CHECK(record.kind == "collectives");
  REQUIRE(record.sections.size() == 1);
  CHECK(record.sections[0].curve == "broadcast");
  CHECK(record.sections[0].per_byte_s == Approx(2e-9));
  CHECK(record.sections[0].samples == output.samples.size());
  const auto findings = study::judge(record, same_place());
  for (const auto& finding : findings) CHECK_FALSE(finding.fault);
}
