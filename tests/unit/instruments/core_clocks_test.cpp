#include "calib/instruments/core_clocks.h"

#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace farcast::instruments {

namespace {

// A folder as the kernel's /sys/devices/system/cpu.
class Cpus {
public:
  explicit Cpus(int cores, const std::string& table = "") {
    for (int core = 0; core < cores; ++core) {
      const std::string own = folder_.file("cpu" + std::to_string(core) + "/cpufreq");
      std::filesystem::create_directories(own);
      put(core, "scaling_min_freq", "1000000");
      put(core, "scaling_max_freq", "2600000");
      put(core, "cpuinfo_min_freq", "1000000");
      put(core, "cpuinfo_max_freq", "2600000");
      if (!table.empty()) put(core, "scaling_available_frequencies", table);
    }
  }
  void put(int core, const std::string& name, const std::string& text) const { std::ofstream(path(core, name)) << text << "\n"; }
  [[nodiscard]] long get(int core, const std::string& name) const {
    long value = 0;
    std::ifstream(path(core, name)) >> value;
    return value;
  }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

private:
  [[nodiscard]] std::string path(int core, const std::string& name) const {
    return folder_.file("cpu" + std::to_string(core) + "/cpufreq/" + name);
  }
  test::TemporaryFolder folder_;
};

} // namespace

TEST_CASE("frequencies are numbers with a unit") {
  CHECK(parse_frequency("1.2GHz").value() == Approx(1.2e9));
  CHECK(parse_frequency("1800 mhz").value() == Approx(1.8e9));
  CHECK(parse_frequency("2").error().message == "found '2', expected a frequency such as 1.8GHz or 1800MHz");
  CHECK_FALSE(parse_frequency("-1GHz"));
  CHECK_FALSE(parse_frequency("0GHz"));
  CHECK_FALSE(parse_frequency("GHz"));
  CHECK_FALSE(parse_frequency("infGHz"));
  CHECK(format_frequency(1.2e9) == "1.2 GHz");
}

TEST_CASE("without a wish a few frequencies are taken, with both ends of what all cores can have") {
  const Cpus free(2);
  const auto any = CoreClocks::open(free.folder()).value().choose({});
  CHECK(any.value() == std::vector<double>{1.0e9, 1.4e9, 1.8e9, 2.2e9, 2.6e9});
  const Cpus listed(1, "1000000 1200000 1400000 1600000 1800000 2000000 2600000");
  const auto some = CoreClocks::open(listed.folder()).value().choose({});
  REQUIRE(some);
  CHECK(some->size() == 5);
  CHECK(some->front() == 1.0e9);
  CHECK(some->back() == 2.6e9);
}

TEST_CASE("a wish is met by what the kernel lists, or refused") {
  const Cpus listed(1, "1000000 1800000 2600000");
  const auto clocks = CoreClocks::open(listed.folder());
  REQUIRE(clocks);
  CHECK(clocks->choose({1.801e9, 1.0e9, 1.8e9}).value() == std::vector<double>{1.0e9, 1.8e9});
  CHECK(clocks->choose({1.4e9}).error().message == "--frequencies: found 1.4 GHz, expected some of 1 GHz, 1.8 GHz, 2.6 GHz");
}

TEST_CASE("clocks are set on all cores and put back") {
  const Cpus cpus(2);
  cpus.put(1, "scaling_min_freq", "1200000");
  {
    auto clocks = CoreClocks::open(cpus.folder());
    REQUIRE(clocks);
    REQUIRE(clocks->set(1.4e9));
    for (const int core : {0, 1}) {
      CHECK(cpus.get(core, "scaling_min_freq") == 1400000);
      CHECK(cpus.get(core, "scaling_max_freq") == 1400000);
      CHECK(fixed_frequency(cpus.folder(), core) == 1.4e9);
    }
    REQUIRE(clocks->put_back());
    CHECK(cpus.get(0, "scaling_min_freq") == 1000000);
    REQUIRE(clocks->set(2.6e9));
  }
  CHECK(cpus.get(0, "scaling_min_freq") == 1000000);
  CHECK(cpus.get(1, "scaling_min_freq") == 1200000);
  CHECK(cpus.get(1, "scaling_max_freq") == 2600000);
  CHECK(fixed_frequency(cpus.folder(), 0) == 0.0);
}

TEST_CASE("a machine without clocks says so before anything is changed") {
  const Cpus none(0);
  CHECK(CoreClocks::open(none.folder()).error().message ==
        "the cores' clocks cannot be set: " + none.folder() + " has no cpuN/cpufreq");
  const Cpus half(2);
  std::filesystem::remove(half.folder() + "/cpu1/cpufreq/scaling_max_freq");
  CHECK_FALSE(CoreClocks::open(half.folder()));
  CHECK(half.get(0, "scaling_min_freq") == 1000000);
}

} // namespace farcast::instruments
