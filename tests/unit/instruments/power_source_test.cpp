#include "calib/instruments/power_source.h"

#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace farcast::instruments {

namespace {

void add_zone(const test::TemporaryFolder& folder, const std::string& zone, const std::string& name, const std::string& energy) {
  std::filesystem::create_directories(folder.file(zone));
  std::ofstream(folder.file(zone + "/name")) << name << "\n";
  std::ofstream(folder.file(zone + "/energy_uj")) << energy << "\n";
  std::ofstream(folder.file(zone + "/max_energy_range_uj")) << "1000000000\n";
}

} // namespace

TEST_CASE("packages and memory are counted; cores, which packages hold, and the whole platform are not") {
  const test::TemporaryFolder folder;
  add_zone(folder, "intel-rapl:0", "package-0", "5");
  add_zone(folder, "intel-rapl:0:0", "core", "5");
  add_zone(folder, "intel-rapl:0:1", "dram", "5");
  add_zone(folder, "intel-rapl:1", "psys", "5");
  add_zone(folder, "intel-rapl-mmio:0", "package-0", "5");
  const auto source = energy_counters(folder.path());
  REQUIRE(source != nullptr);
  CHECK(source->name() == "2 energy counters of the processor (no fans, disks or power supply)");
}

TEST_CASE("a counter that cannot be read is none") {
  const test::TemporaryFolder folder;
  add_zone(folder, "intel-rapl:0", "package-0", "nothing");
  CHECK(energy_counters(folder.path()) == nullptr);
  CHECK(energy_counters(folder.file("absent")) == nullptr);
}

TEST_CASE("a source that fails says why, and when") {
  int calls = 0;
  const auto source = sampled_energy(
      [&calls]() -> base::Result<double> {
        if (++calls > 1) return base::fail("it is gone");
        return 0.0;
      },
      "a counter");
  source->begin();
  while (!source->failed()) {
  }
  const auto readings = source->end(0.0);
  REQUIRE_FALSE(readings);
  CHECK(readings.error().message.starts_with("it is gone (after "));
}

TEST_CASE("a wattmeter's log is taken without its half-written last line, and shifted by the offset") {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("log.csv")) << "time,watts\n1000,50\n1001,60\n1002,7";
  const auto readings = meter_log(folder.file("log.csv"), 100.0)->end(1101.0);
  REQUIRE(readings);
  REQUIRE(readings->size() == 2);
  CHECK(readings->back().time_s == 1101.0);
  CHECK(readings->back().watts == 60.0);
}

} // namespace farcast::instruments
