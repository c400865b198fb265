#include "calib/instruments/load_steps.h"

#include <catch2/catch.hpp>
#include <set>

namespace farcast::instruments {

TEST_CASE("few cores are measured in each number, many in powers of two and all") {
  CHECK(numbers_of_cores(1) == std::vector<int>{1});
  CHECK(numbers_of_cores(3) == std::vector<int>{1, 2, 3});
  CHECK(numbers_of_cores(8).size() == 8);
  CHECK(numbers_of_cores(12) == std::vector<int>{1, 2, 4, 8, 12});
  CHECK(numbers_of_cores(16) == std::vector<int>{1, 2, 4, 8, 16});
  CHECK(numbers_of_cores(0).empty());
}

TEST_CASE("at each frequency the node is idle once, and has each workload on each number of cores") {
  const auto steps = plan_steps(2, false, {1.2e9, 2.4e9});
  REQUIRE(steps.size() == 2 * (1 + 2 * 2));
  CHECK(steps[0].workload == "idle");
  CHECK(steps[0].active_cores == 0);
  CHECK(steps[5].workload == "idle");
  for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i].frequency_hz == (i < 5 ? 1.2e9 : 2.4e9));
}

TEST_CASE("polling and probing are measured where there is an MPI library to do them") {
  std::set<std::string> workloads;
  for (const study::LoadStep& step : plan_steps(1, true, {0.0})) workloads.insert(step.workload);
  CHECK(workloads == std::set<std::string>{"idle", "compute", "memory", "polling", "probing"});
}

} // namespace farcast::instruments
