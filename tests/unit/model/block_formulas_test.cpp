#include "predictor/model/block_formulas.h"

#include <catch2/catch.hpp>

using namespace farcast::model;

TEST_CASE("times by formula: the paper's Table 1, by hand") {
  const BlockParameters parameters{1e-6, 1e-9, 1000.0};
  CHECK(block_time(Block::point_to_point, parameters, 2, 1) == Approx(1e-6 + 1e-9 * 1000));
  CHECK(block_time(Block::point_to_point, parameters, 2, 1001) == Approx(1e-6 + 1e-9 * 2000));
  CHECK(block_time(Block::point_to_point, parameters, 2, 0) == Approx(1e-6));
  CHECK(block_time(Block::broadcast, parameters, 100, 1000) == Approx(1e-6 + 1e-9 * 1000 * 2));
  CHECK(block_time(Block::scatter, parameters, 100, 1000) == Approx(1e-6 + 1e-9 * 1000 * 0.02));
  CHECK(block_time(Block::gather, parameters, 10, 1000) == Approx(1e-6 + 1e-9 * 1000 * 0.1));
  CHECK(block_time(Block::all_to_all, parameters, 16, 1000) == Approx(1e-6 + 1e-9 * 16000));
  CHECK(block_time(Block::barrier, parameters, 1000, 0) == Approx(1e-6 + 3e-9));
  CHECK(block_time(Block::disk_write, parameters, 1, 1500) == Approx(1e-6 + 1e-9 * 2000));
}

TEST_CASE("a negative T never makes a negative time") {
  const BlockParameters galera{-1.2e-6, 20.6e-6, 1.0};
  CHECK(block_time(Block::barrier, galera, 1, 0) == 0.0);
  CHECK(block_time(Block::barrier, galera, 2, 0) == Approx(5.0012e-6).epsilon(1e-3));
}
