// What a job is, by what its processes say.
#include "predictor/live/job_claims.h"

#include "libinterpose/stream/protocol.h"

#include <catch2/catch.hpp>

using namespace farcast::live;

namespace {

Claim says(int pid, int rank, int world_size) {
  Claim claim;
  claim.pid = pid;
  claim.rank = rank;
  claim.world_size = world_size;
  return claim;
}

} // namespace

TEST_CASE("the job's size is what most of its processes say") {
  const Claim a = says(1, 0, 2), b = says(2, 1, 2), other = says(3, 0, 5), silent = says(4, -1, 0);
  CHECK(size_by_voices({}) == 0);
  CHECK(size_by_voices({&silent}) == 0);
  CHECK(size_by_voices({&other, &silent, &a, &b}) == 2);
  CHECK(size_by_voices({&other, &a}) == 5); // what was said first
  const Claim again = says(3, 1, 5);
  CHECK(size_by_voices({&other, &again, &a}) == 5); // one process has one voice
  CHECK(size_by_voices({&other, &again, &a, &b}) == 2);
}

TEST_CASE("of several processes that say they are one rank the first is it") {
  const Claim a = says(1, 0, 2), b = says(2, 1, 2), second = says(3, 1, 2), other = says(4, 0, 5), silent = says(5, -1, 0);
  CHECK(accepted({&silent, &b, &other, &second, &a}, 2) == std::vector<bool>{false, true, false, false, true});
}

TEST_CASE("names of events: empty ones are left out, and no more than there can be") {
  CHECK(event_names("A,,B") == std::vector<std::string>{"A", "B"});
  CHECK(event_names("").empty());
  std::string many;
  for (int i = 0; i < 100; ++i) many += "E,";
  CHECK(event_names(many).size() == farcast::stream::kMostCounters);
}
