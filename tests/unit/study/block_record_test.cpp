// The file of `farcast calibrate collectives` as predictions read it.
#include "calib/study/block_record.h"
#include "calib/study/collectives_calibration.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::study;

namespace {

std::string with(const std::string& blocks, const std::string& kind = "collectives", int version = 1) {
  return R"({"farcast_calibration":")" + kind + R"(","version":)" + std::to_string(version) +
         R"(,"provenance":{"host":"here"},"notes":[],"blocks":[)" + blocks + "]}";
}

std::string block(const std::string& name, const std::string& start, const std::string& slope, const std::string& unit) {
  return R"({"block":")" + name + R"(","T_s":)" + start + R"(,"K_s_per_byte":)" + slope + R"(,"D_tu_bytes":)" + unit + "}";
}

} // namespace

TEST_CASE("what calibrate collectives writes is read back, block by block") {
  CollectivesCalibration calibration;
  calibration.mpi = "Open MPI";
  for (const fit::Block one : {fit::Block::point_to_point, fit::Block::barrier}) {
    fit::BlockFit fitted;
    fitted.block = one;
    fitted.start_s.value = -1.0 / 3.0e6;
    fitted.per_byte_s.value = 1.0 / 7.0e9;
    fitted.unit_bytes = 4096;
    calibration.blocks.push_back(fitted);
  }
  Provenance provenance;
  provenance.host = "here";
  const auto record = read_block_file(collectives_file(calibration, provenance), "f.json");
  REQUIRE(record);
  CHECK(record->provenance.host == "here");
  REQUIRE(record->formulas.size() == 2);
  const model::BlockParameters& p2p = record->formulas.at(model::Block::point_to_point);
  CHECK(p2p.start_s == -1.0 / 3.0e6);
  CHECK(p2p.per_byte_s == 1.0 / 7.0e9);
  CHECK(p2p.unit_bytes == 4096);
  CHECK(record->formulas.contains(model::Block::barrier));
}

TEST_CASE("a file that is none, and figures that cannot be, are refused with the file's name") {
  const auto refused = [](const std::string& text) {
    const auto record = read_block_file(text, "f.json");
    REQUIRE_FALSE(record);
    CHECK_THAT(record.error().message, Catch::StartsWith("f.json: "));
    return record.error().message;
  };
  CHECK_THAT(refused("{"), Catch::Contains("calibrate collectives"));
  CHECK_THAT(refused(with("", "power")), Catch::Contains("kind 'power'"));
  CHECK_THAT(refused(with("", "collectives", 2)), Catch::Contains("version 2"));
  CHECK_THAT(refused(with("")), Catch::Contains("found no block"));
  CHECK_THAT(refused(with(block("p3p", "0", "0", "1"))), Catch::Contains("block 'p3p'"));
  CHECK_THAT(refused(with(block("p2p", "0", "-1", "1"))), Catch::Contains("K -1"));
  CHECK_THAT(refused(with(block("p2p", "0", "0", "0"))), Catch::Contains("D_tu 0"));
  CHECK_THAT(refused(with(R"({"block":"p2p"})")), Catch::Contains("T_s"));
}
