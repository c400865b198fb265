// Calls whose outcome the program waits for: the engine decides them in virtual time.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace answers_test {

using namespace scenario;
using trace::Completes;

namespace {

constexpr double kSmall = 1000; // detached
constexpr double kLarge = 1e6;  // by rendezvous
constexpr double kPoll = 2e-6;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

using Positions = std::vector<std::uint32_t>;

std::vector<int> sources(const trace::Answer& answer) {
  std::vector<int> out;
  for (const trace::Match& match : answer.matches) out.push_back(match.source);
  return out;
}

} // namespace

TEST_CASE("MPI_Waitany takes the request that is complete first, and leaves the others") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  program.rank(1).compute(0.2).send(0, kSmall);
  program.rank(2).compute(0.1).send(0, kSmall);
  program.rank(0).ireceive(1, 1).ireceive(2, 2).wait_for(Completes::any, {1, 0, 2}).wait_for(Completes::any, {1, 0, 0});
  program.rank(0).wait_for(Completes::any, {0, 0, 0});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const auto& answers = program.answers.at(0);
  REQUIRE(answers.size() == 3);
  REQUIRE(answers[0].done == Positions{2});
  REQUIRE(answers[0].time.value() == near(0.1 + alone(platform, kSmall)));
  REQUIRE(answers[1].done == Positions{0});
  REQUIRE(answers[1].time.value() == near(0.2 + alone(platform, kSmall)));
  REQUIRE(answers[2].done.empty()); // no active request: MPI_UNDEFINED, at once
  REQUIRE(answers[2].found);
  REQUIRE(p.time.value() == near(0.2 + alone(platform, kSmall)));
}

TEST_CASE("MPI_Waitsome takes all that is complete at its instant; a finished send counts") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  program.rank(1).send(0, kSmall).receive(0, 9);
  program.rank(2).compute(0.3).send(0, kSmall);
  program.rank(0).isend(1, kSmall, 3, 9).ireceive(1, 1).ireceive(2, 2).compute(0.1);
  program.rank(0).wait_for(Completes::some, {1, 2, 3}).wait_for(Completes::some, {0, 2, 0});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(program.answers.at(0)[0].done == Positions{0, 2});
  REQUIRE(program.answers.at(0)[0].time.value() == near(0.1));
  REQUIRE(program.answers.at(0)[1].done == Positions{1});
}

TEST_CASE("polls look when their cost has passed, and what the program does next hangs on it") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init().rank(1).compute(0.1).send(0, kLarge).finalize();
  program.rank(0).ireceive(1, 1).test(Completes::all, {1}, kPoll);
  program.then = [&program](int timeline, const trace::Answer& answer) {
    if (answer.found)
      program.rank(timeline).finalize();
    else
      program.rank(timeline).compute(1e-3).test(Completes::all, {1}, kPoll);
  };
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const double arrives = 0.1 + alone(platform, kLarge);
  const double period = 1e-3 + kPoll;
  const double polls = std::ceil((arrives - kPoll) / period);
  const auto& answers = program.answers.at(0);
  REQUIRE(static_cast<double>(answers.size()) == polls + 1);
  REQUIRE(!answers[answers.size() - 2].found);
  REQUIRE(answers.back().done == Positions{0});
  REQUIRE(p.time.value() == near(kPoll + polls * period));
}

TEST_CASE("MPI_ANY_SOURCE takes the message that comes first, in the order in which receives were posted") {
  const platform::Platform platform = flat(4);
  Program program(4);
  program.all_init();
  program.rank(1).compute(0.3).send(0, kSmall, 5);
  program.rank(2).compute(0.1).send(0, kSmall, 5).compute(0.1).send(0, kSmall, 5);
  program.rank(3).compute(0.4).send(0, kLarge, 6);
  Script& root = program.rank(0);
  root.ireceive(2, 1, 5).ireceive(trace::kAnyPeer, 2, 5).asked().ireceive(trace::kAnyPeer, 3, 5).asked();
  root.receive(trace::kAnyPeer, trace::kAnyTag).asked().wait({2, 3}).asked().wait({1});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const auto& answers = program.answers.at(0);
  REQUIRE(answers.size() == 2);
  REQUIRE(sources(answers[0]) == std::vector<int>{2, 1, 3}); // the first message of rank 2 went to request 1
  REQUIRE(answers[0].matches[0].request == 2);
  REQUIRE(answers[0].matches[2].request == 0);
  REQUIRE(answers[0].matches[2].tag == 6);
  REQUIRE(answers[0].time.value() == near(0.4 + alone(platform, kLarge)));
  REQUIRE(answers[1].matches.empty());
}

TEST_CASE("a message that waits meets the receive that fits, exact or not, and probes see it before") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  program.rank(1).compute(0.1).send(0, kSmall, 1).send(0, kSmall, 2);
  program.rank(2).compute(0.2).send(0, kSmall, 2);
  Script& root = program.rank(0);
  root.iprobe(trace::kAnyPeer, trace::kAnyTag, kPoll).probe(trace::kAnyPeer, 2).asked().receive(1, 2);
  root.compute(0.5).iprobe(trace::kAnyPeer, trace::kAnyTag, kPoll).receive(trace::kAnyPeer, 2).asked();
  root.iprobe(2, 2, kPoll).receive(1, 1);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const auto& answers = program.answers.at(0);
  REQUIRE(answers.size() == 5);
  REQUIRE(!answers[0].found);
  REQUIRE(answers[0].time.value() == near(kPoll));
  REQUIRE((answers[1].found && answers[1].source == 1 && answers[1].tag == 2));
  REQUIRE((answers[2].found && answers[2].source == 1 && answers[2].tag == 1));
  REQUIRE(sources(answers[3]) == std::vector<int>{2});
  REQUIRE(!answers[4].found);
}

TEST_CASE("MPI_Improbe takes its message out: the next one finds another message, or nothing") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(1).send(0, kSmall, 1).compute(0.5).send(0, kSmall, 2);
  Script& root = program.rank(0);
  root.compute(0.1).iprobe(1, trace::kAnyTag, kPoll).of_message(1).iprobe(1, trace::kAnyTag, kPoll).of_message(2);
  root.probe(trace::kAnyPeer, trace::kAnyTag).asked().of_message(3).receive(1, 2).of_message(3).receive(1, 1).of_message(1);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const auto& answers = program.answers.at(0);
  REQUIRE(answers.size() == 3);
  CHECK((answers[0].found && answers[0].tag == 1));
  CHECK(!answers[1].found);
  CHECK((answers[2].found && answers[2].tag == 2));
  CHECK(answers[2].time.value() >= 0.5);
}

TEST_CASE("a cancelled receive of any source is withdrawn") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(1).compute(0.1).send(0, kSmall, 1);
  program.rank(0).ireceive(trace::kAnyPeer, 1, 1).asked().forget(1).receive(trace::kAnyPeer, 1).asked();
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(sources(program.answers.at(0).at(0)) == std::vector<int>{1});
}

TEST_CASE("what nobody models is cancelled really; a receive that has met its message is not") {
  const bool modelled = GENERATE(true, false);
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(1).send(0, kSmall, 1);
  auto& root = program.rank(0).ireceive(1, 1, 1).compute(0.1);
  if (modelled) root.forget(1).asked();
  if (!modelled) root.forget(0).asked().away();
  root.wait({1});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  CHECK(program.answers.at(0).at(0).found == !modelled);
}

TEST_CASE("a receive of any source that is freed takes its message: no probe finds it") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(1).compute(0.1).send(0, kSmall, 1).compute(0.1).send(0, kSmall, 2);
  program.rank(0).ireceive(trace::kAnyPeer, 1, 1).asked().forget(1, true).probe(trace::kAnyPeer, trace::kAnyTag).asked();
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const std::vector<trace::Answer>& answers = program.answers.at(0);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].tag == 2);
}

TEST_CASE("the time that a program asks for is virtual, and which sender comes first hangs on the platform") {
  const bool near_first = GENERATE(true, false);
  platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  program.rank(1).compute(near_first ? 0.1 : 0.4).send(0, kSmall);
  program.rank(2).compute(0.2).send(0, kSmall);
  program.rank(0).receive(trace::kAnyPeer, 0).asked().local(1e-7).asked();
  program.then = [&program](int timeline, const trace::Answer& answer) {
    if (!answer.matches.empty()) program.rank(timeline).compute(answer.matches[0].source == 1 ? 1.0 : 2.0);
    if (answer.matches.empty()) program.rank(timeline).receive(trace::kAnyPeer, 0).finalize();
  };
  program.rank(1).finalize();
  program.rank(2).finalize();
  static_cast<void>(play(program, platform));
  const auto& answers = program.answers.at(0);
  REQUIRE(answers[0].matches.at(0).source == (near_first ? 1 : 2));
  REQUIRE(answers[1].time.value() == near((near_first ? 0.1 : 0.2) + alone(platform, kSmall) + 1e-7));
}

TEST_CASE("a collective is answered when all have entered it, or when its caller leaves it before") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  std::vector<int> order;
  std::vector<int> told; // while they wait
  program.then = [&](int timeline, const trace::Answer& answer) { (answer.found ? order : told).push_back(timeline); };
  program.rank(2).compute(0.1);
  program.rank(1).compute(0.2);
  for (int rank = 0; rank < 3; ++rank) program.rank(rank).collective(trace::CollectiveKind::barrier, 0).asked();
  for (int rank = 0; rank < 3; ++rank) program.rank(rank).collective(trace::CollectiveKind::bcast, kSmall).asked();
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(order.size() == 6);
  REQUIRE(told.size() == 1); // the one that has entered the broadcast when another one leaves it
  for (const trace::Answer& answer : program.answers.at(static_cast<std::size_t>(told[0])))
    CHECK((answer.found || answer.together == trace::Answer::Together::apart));
  REQUIRE(std::vector<int>(order.begin(), order.begin() + 3) == std::vector<int>{0, 2, 1}); // in the order of their entries
  for (int rank = 0; rank < 3; ++rank) REQUIRE(program.answers.at(static_cast<std::size_t>(rank))[0].time.value() == near(0.2));
}

TEST_CASE("a poll that finds nothing tells how long its rank may say so itself, and no longer") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init().rank(1).compute(0.1).send(0, kLarge).compute(0.2).finalize();
  program.rank(0).ireceive(1, 1).test(Completes::all, {1}, kPoll);
  // The rank polls by itself as long as it may, then it asks.
  program.then = [&program](int timeline, const trace::Answer& answer) {
    Script& rank = program.rank(timeline);
    if (answer.found)
      rank.finalize();
    else
      rank.compute(answer.quiet.value()).test(Completes::all, {1}, kPoll);
  };
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  const auto& answers = program.answers.at(0);
  const double arrives = 0.1 + alone(platform, kLarge);
  REQUIRE(answers.size() <= 4); // the send, the flow's events
  REQUIRE(answers[0].time.value() == near(kPoll));
  // Until the other one sends, and the quickest message comes.
  REQUIRE(answers[0].quiet.value() == near(0.1 - kPoll + platform.route(1, 0).latency.value()));
  REQUIRE(answers[0].poll.value() == 0);
  for (std::size_t i = 0; i + 1 < answers.size(); ++i) {
    CHECK(!answers[i].found);
    CHECK(answers[i].time.value() + answers[i].quiet.value() <= arrives * (1 + 1e-12)); // never beyond the message
  }
  REQUIRE(answers.back().found);
  REQUIRE(answers.back().time.value() <= arrives + 2 * kPoll);
}

TEST_CASE("who polls while others act at the same instant is told nothing about later") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  for (const int rank : {0, 1, 2}) program.rank(rank).ireceive((rank + 1) % 3, 1).compute(0.1).test(Completes::all, {1}, kPoll);
  program.rank(2).isend(1, kSmall, 2);
  program.rank(0).isend(2, kSmall, 2);
  program.rank(1).isend(0, kSmall, 2);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  CHECK(program.answers.at(0)[0].quiet.value() == 0);
  CHECK(program.answers.at(1)[0].quiet.value() == 0);
}

} // namespace answers_test
