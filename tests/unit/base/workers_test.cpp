#include "predictor/base/workers.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

using farcast::base::Workers;

TEST_CASE("each number is taken once, whatever the number of threads, and each thread begins once") {
  for (const std::size_t threads : {1, 3, 100}) {
    std::mutex mutex;
    std::vector<int> taken(40);
    std::size_t begun = 0;
    Workers workers;
    CHECK(workers.finished());
    workers.start(
        taken.size(), threads,
        [&] {
          const std::lock_guard<std::mutex> lock(mutex);
          ++begun;
        },
        [&](std::size_t number) {
          const std::lock_guard<std::mutex> lock(mutex);
          ++taken.at(number);
        });
    workers.wait();
    CHECK(workers.finished());
    CHECK(taken == std::vector<int>(40, 1));
    CHECK(begun == std::min<std::size_t>(threads, taken.size()));
  }
}

TEST_CASE("nothing to do, and no threads") {
  Workers workers;
  workers.start(0, 4, nullptr, [](std::size_t) { FAIL(); });
  workers.wait();
  CHECK(workers.finished());
}

TEST_CASE("what a part throws ends the work, and is thrown once") {
  std::set<std::size_t> done;
  Workers workers;
  workers.start(100, 1, nullptr, [&](std::size_t number) {
    if (number == 7) throw std::runtime_error("seven");
    done.insert(number);
  });
  CHECK_THROWS_WITH(workers.wait(), "seven");
  CHECK_NOTHROW(workers.wait());
  CHECK(workers.finished());
  CHECK(done.size() == 7);
}
