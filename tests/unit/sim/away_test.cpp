// Ranks of a coupled run in calls that nobody models.
#include "predictor/sim/away.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace away_test {

using namespace scenario;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

// Rank 0 is in such a call from 0.1 s on, which really takes 5 s; rank 1 asks for the time at 0.3 s.
void two_ranks(Program& program) {
  program.all_init();
  program.rank(0).compute(0.1).local(0).away().rest(5).send(1, 1000);
  program.rank(1).compute(0.3).local(0).asked().receive(0);
  program.all_finalize();
}

} // namespace

TEST_CASE("virtual time goes on without who waits for others in a call that nobody models, and it comes back there") {
  const platform::Platform platform = flat(2);
  Program program(2);
  two_ranks(program);
  program.back = [&](int, bool) { return program.answers.size() > 1 && !program.answers[1].empty(); };
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(program.answers.at(0).size() == 1);
  CHECK((program.answers[0][0].outside && program.answers[0][0].away));
  CHECK(program.answers[0][0].time.value() == near(0.1));
  CHECK(program.answers.at(1).at(0).time.value() == near(0.3));
  CHECK((!program.answers[1][0].outside && !program.answers[1][0].away));
  CHECK(p.time.value() == near(0.3 + alone(platform, 1000)));
}

TEST_CASE("who comes back soon from such a call has taken its measured time") {
  const platform::Platform platform = flat(2);
  Program program(2);
  two_ranks(program);
  int looks = 0;
  program.back = [&](int, bool waits) { return (looks += waits ? 1 : 0) > 2; };
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  CHECK(looks > 2);
  CHECK(p.time.value() == near(5.1 + alone(platform, 1000)));
}

TEST_CASE("where nothing else is due, who is away is waited for, however long that takes") {
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.1).local(0).away().rest(5).send(1, 1000);
  program.rank(1).receive(0);
  program.all_finalize();
  const auto began = std::chrono::steady_clock::now();
  const auto past = [&] { return std::chrono::steady_clock::now() - began > 2 * sim::Away::kPatience; };
  program.back = [&](int, bool) { return past(); };
  const platform::Platform platform = flat(2);
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  CHECK(past());
  CHECK(p.time.value() == near(5.1 + alone(platform, 1000)));
}

} // namespace away_test
