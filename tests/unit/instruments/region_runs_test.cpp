#include "calib/instruments/region_runs.h"

#include <catch2/catch.hpp>

namespace farcast::instruments {

TEST_CASE("numbers of co-runners are powers of two below what can compute at a time, and that") {
  CHECK(corunner_counts(1, 8) == std::vector<int>{1});
  CHECK(corunner_counts(4, 8) == std::vector<int>{1, 2, 4});
  CHECK(corunner_counts(6, 8) == std::vector<int>{1, 2, 4, 6});
  CHECK(corunner_counts(64, 2) == std::vector<int>{1, 2});
  CHECK(corunner_counts(4, 0) == std::vector<int>{1});
}

} // namespace farcast::instruments
