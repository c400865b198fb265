// What a collective's members reduce and copy by themselves.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace local_steps_test {

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

enum class Work { none, in_the_call, apart };

// A window of four ranks, made, synchronised and freed; rank 3 comes last and waits least.
double window_taken(const char* algorithm, Work work) {
  Program program(4);
  program.all_init();
  for (int rank = 0; rank < 4; ++rank) {
    Script& script = program.rank(rank);
    const double waits = 0.1 * (3 - rank);
    const auto call = [&](double took, bool as_work) {
      script.collective(CollectiveKind::synchronize, 8).took(took);
      if (!as_work) return;
      if (work == Work::in_the_call) script.works();
      if (work == Work::apart) script.collective(CollectiveKind::synchronize, 8).took(took).works_only();
    };
    script.compute(0.1 * rank);
    call(waits + 0.05, true);
    call(0.3, false); // a fence: whatever it took was waiting
    script.compute(0.1 * rank);
    call(waits + 0.02, true);
  }
  program.all_finalize();
  sim::Options options;
  options.collectives = collective::parse_selection(algorithm).value();
  const sim::Prediction prediction = sim::predict(program, flat(4), one_per_host(4), options);
  REQUIRE(prediction.complete);
  return prediction.time.value();
}

} // namespace

TEST_CASE("members that work in a call beside agreeing take what the one took that waited least") {
  for (const char* algorithm : {"openmpi", "mpich", "closed-form"}) {
    CAPTURE(algorithm);
    const double agreements_alone = window_taken(algorithm, Work::none);
    CHECK(agreements_alone > 0.6);
    CHECK(window_taken(algorithm, Work::in_the_call) == near(agreements_alone + 0.05 + 0.02));
    CHECK(window_taken(algorithm, Work::apart) == near(agreements_alone + 0.05 + 0.02)); // of a coupled run
  }
}

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

} // namespace local_steps_test
