// A fruitless poll is a look at what has come: it answers, and writes what was asked for, while its
// process computes on either side.
#include "unit/sim/channels.h"

namespace channel_polls_test {

using namespace scenario;
using sim::Activity;

namespace {

double in_calls(const sim::Prediction& prediction, int rank) {
  return seconds(prediction, rank, Activity::point_to_point) + seconds(prediction, rank, Activity::waiting) +
         seconds(prediction, rank, Activity::completion);
}

} // namespace

TEST_CASE("channel polls: a request to send is answered by the poll that comes after it, without waking up") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kBulk);
  program.rank(1).ireceive(0, 1).compute(1.0).polls(1, 0).compute(1.0).wait({1});
  program.all_finalize();
  const sim::Prediction result = play(program, connected(2));
  CHECK(in_calls(result, 0) == near(1.0 + heard(64)));
  CHECK(result.time.value() == near(2.0));
}

TEST_CASE("channel polls: bulk data leaves from the poll that finds its clear-to-send") {
  Program program(2);
  program.all_init();
  program.rank(0).isend(1, kBulk, 1).compute(1.0).polls(1, 0).compute(1.0).wait({1});
  program.rank(1).receive(0);
  program.all_finalize();
  CHECK(in_calls(play(program, connected(2)), 1) == near(1.0 + heard_all(kBulk)));

  platform::Platform writes = connected(2); // writing takes its time
  writes.transport.bulk_write_s = 1e-9;
  const sim::Prediction longer = play(program, writes);
  CHECK(longer.time.value() == near(2.0 + (kBulk - 65480) * 1e-9));
  CHECK(seconds(longer, 0, Activity::local) == near((kBulk - 65480) * 1e-9));
}

TEST_CASE("channel polls: what is not there yet waits for the next poll, and a poll that finds nothing costs nothing more") {
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.5).send(1, kBulk);
  program.rank(1).ireceive(0, 1).compute(0.5).polls(1, 0.001).compute(1.0).polls(1, 0.001).compute(1.0).wait({1});
  program.all_finalize();
  const sim::Prediction result = play(program, connected(2));
  CHECK(in_calls(result, 0) == near(1.001 + heard(64)));
  CHECK(seconds(result, 1, Activity::local) == near(0.002));
  CHECK(result.time.value() == near(2.502));
}

TEST_CASE("channel polls: a row of polls with work between them answers soon, and counts all its calls") {
  for (const std::uint64_t polls : {2U, 31U, 33U, 1000U, 1'000'003U}) {
    INFO(polls << " polls");
    Program program(2);
    program.all_init();
    program.rank(0).compute(0.4).send(1, kBulk);
    program.rank(1).ireceive(0, 1).compute(1.0).polls(polls, 0.01).at_site(7).compute(1.0).wait({1});
    program.all_finalize();
    const sim::Prediction result = play(program, connected(2));
    const double each = 1.01 / static_cast<double>(std::min<std::uint64_t>(polls, 16)); // one of 32 at the latest
    CHECK(in_calls(result, 0) >= heard(40) + heard(64) - 2 * kWakeup);
    CHECK(in_calls(result, 0) <= heard(40) + heard(64) + each);
    CHECK(result.time.value() == near(2.01));
    CHECK(seconds(result, 1, Activity::local) == near(0.01));
    CHECK(result.sites.at(7)[1].count == polls);
  }
}

TEST_CASE("channel polls: with a progress of its own a library does not need them") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kBulk);
  program.rank(1).ireceive(0, 1).compute(1.0).polls(1000, 0.01).compute(1.0).wait({1});
  program.all_finalize();
  sim::Options options;
  options.progress = sim::ProgressRule::async;
  CHECK(in_calls(play_with(program, connected(2), options), 0) == near(heard(40) + heard(64)));
}

// Nothing else is to come while its sender waits for the answer: the next poll reads it all the same.
TEST_CASE("channel polls: one that found nothing is told nothing of later while something has come meanwhile") {
  constexpr double kPoll = 0.01;
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.1).send(1, kBulk).finalize();
  program.rank(1).ireceive(0, 1).compute(0.095).test(trace::Completes::all, {1}, kPoll);
  program.then = [&program](int timeline, const trace::Answer& answer) {
    if (answer.found)
      program.rank(timeline).finalize();
    else
      program.rank(timeline).compute(answer.quiet.value()).test(trace::Completes::all, {1}, kPoll);
  };
  const sim::Prediction result = play(program, connected(2));
  REQUIRE(result.complete);
  const auto& answers = program.answers.at(1);
  REQUIRE(answers.size() > 2);
  CHECK(answers[0].quiet.value() == 0);
  CHECK(answers[1].time.value() == near(0.105 + kPoll)); // the request to send has been read, and is answered
  CHECK(result.time.value() < 0.105 + rendezvous(kBulk) + 3 * kPoll);
}

} // namespace channel_polls_test
