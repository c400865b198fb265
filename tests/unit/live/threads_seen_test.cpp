#include "predictor/live/threads_seen.h"

#include <catch2/catch.hpp>
#include <memory>

using namespace farcast;

TEST_CASE("threads and cores of a rank come from its header") {
  const auto head = std::make_unique<stream::RankHeader>();
  head->program_threads = 5;
  head->computing_threads = 4;
  head->peak_cores = 385;
  head->cores[0] = 0xff;
  head->cores[1] = 0x1;
  const trace::RankThreads seen = live::threads_seen(*head);
  CHECK(seen.program == 5);
  CHECK(seen.computing == 4);
  CHECK(seen.peak_cores == Approx(3.85));
  CHECK(seen.cores == std::vector<std::uint64_t>{0xff, 0x1});
  CHECK(trace::cores_allowed(seen) == 9);
}

TEST_CASE("a header that nobody filled in says nothing, one that is damaged nothing impossible") {
  const auto head = std::make_unique<stream::RankHeader>();
  const trace::RankThreads none = live::threads_seen(*head);
  CHECK(none.program == 0);
  CHECK(none.cores.empty());
  head->program_threads = head->computing_threads = 0xffffffff;
  head->peak_cores = 0xffffffff;
  CHECK(live::threads_seen(*head).program == 1 << 16);
  CHECK(live::threads_seen(*head).computing == 1 << 16);
  CHECK(live::threads_seen(*head).peak_cores == 1 << 16);
}
