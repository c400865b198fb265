// What a collective's members reduce and copy by themselves.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

using namespace scenario;
using trace::CollectiveKind;

namespace {

constexpr double kBytes = 80000;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

double taken(const platform::Platform& platform, CollectiveKind kind, const char* algorithm) {
  Program program(4);
  program.all_init();
  for (int rank = 0; rank < 4; ++rank) program.rank(rank).collective(kind, kBytes);
  program.all_finalize();
  sim::Options options;
  options.collectives = collective::parse_selection(algorithm).value();
  const sim::Prediction prediction = sim::predict(program, platform, one_per_host(4), options);
  REQUIRE(prediction.complete);
  return prediction.time.value();
}

} // namespace

TEST_CASE("each round of an allreduce by doubling adds what it reduces") {
  platform::Platform platform = flat(4);
  const double messages_alone = taken(platform, CollectiveKind::allreduce, "allreduce=recursive_doubling");
  platform.p2p.reduction = {platform::OverheadSection{0, 1e-6, 1e-10}};
  CHECK(taken(platform, CollectiveKind::allreduce, "allreduce=recursive_doubling") ==
        near(messages_alone + 2 * (1e-6 + 1e-10 * kBytes)));
}

TEST_CASE("what is copied takes the time of a copy, and nothing where the platform does not say") {
  platform::Platform platform = flat(4);
  const double messages_alone = taken(platform, CollectiveKind::alltoall, "alltoall=pairwise");
  platform.p2p.copy = {platform::OverheadSection{0, 0, 1e-9}};
  const double all = taken(platform, CollectiveKind::alltoall, "alltoall=pairwise");
  CHECK(all == near(messages_alone + 1e-9 * kBytes)); // a rank's block for itself
}
