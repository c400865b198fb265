#include "calib/instruments/region_runs.h"

#include <catch2/catch.hpp>

namespace farcast::instruments {

TEST_CASE("companies are powers of two below what can compute at a time, and that") {
  CHECK(companies_of(1, 8) == std::vector<int>{1});
  CHECK(companies_of(4, 8) == std::vector<int>{1, 2, 4});
  CHECK(companies_of(6, 8) == std::vector<int>{1, 2, 4, 6});
  CHECK(companies_of(64, 2) == std::vector<int>{1, 2});
  CHECK(companies_of(4, 0) == std::vector<int>{1});
}

} // namespace farcast::instruments
