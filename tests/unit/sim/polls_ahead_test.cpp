// Polls that are answered ahead of their instants: what they are told is what they would have found.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace polls_ahead_test {

using namespace scenario;
using trace::Completes;

namespace {

constexpr double kPoll = 2e-7;

// Ranks of a coupled program, whose operations follow from the answers.
class Asking : public trace::Timelines {
public:
  Asking(int ranks, bool shares) : program_(ranks), ranks_(ranks), shares_(shares) {}
  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] int timelines() const override { return ranks_; }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, trace::Operation& out) override { return program_.next(timeline, out); }
  [[nodiscard]] bool asks() const override { return true; }
  [[nodiscard]] bool shares() const override { return shares_; }

protected:
  Program program_;

private:
  int ranks_;
  bool shares_;
};

// Two ranks that poll for each other's messages, in steps of their own, and send after some of
// their polls.
class Pollers final : public Asking {
public:
  explicit Pollers(bool shares) : Asking(2, shares) {
    program_.all_init();
    for (const int rank : {0, 1}) program_.rank(rank).ireceive(1 - rank, 1);
    for (const int rank : {0, 1}) poll(rank);
  }
  void share(const trace::Bounds& bounds) override { shared.push_back(bounds); }
  [[nodiscard]] double reached(int rank) const override { return told[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::span<const trace::Operation> until_question(int rank) override { return program_.until_question(rank); }
  void answer(int rank, const trace::Answer& answer) override {
    const auto at = static_cast<std::size_t>(rank);
    if (answer.time.value() < last_) ++ahead; // of one that was answered before, for a later instant
    last_ = answer.time.value();
    if (!program_.until_question(rank).empty()) ++early;
    if (answer.found) {
      found[at].push_back(answer.time.value());
      if (found[at].size() == kRounds) {
        while (sent_[at]++ < kRounds) program_.rank(rank).compute(30 * step(rank)).isend(1 - rank, 100, 2);
        program_.rank(rank).finalize();
        return;
      }
      program_.rank(rank).ireceive(1 - rank, 1);
    }
    told[at] = answer.time.value();
    skip(rank, answer);
    poll(rank);
  }

  static constexpr std::size_t kRounds = 40;
  std::vector<double> found[2]; // [rank] when
  std::vector<trace::Bounds> shared;
  double told[2] = {0, 0};
  int ahead = 0;
  int early = 0; // answered while the engine still played polls before it

private:
  [[nodiscard]] double step(int rank) const { return rank == 0 ? 3e-7 : 4.3e-7; }
  void poll(int rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (polls_[at]++ % 37 == static_cast<std::uint64_t>(rank) * 11) {
      program_.rank(rank).isend(1 - rank, 100, 2);
      ++sent_[at];
    }
    program_.rank(rank).compute(step(rank)).test(Completes::all, {1}, kPoll);
  }
  // The polls that the rank answers itself; it sends after none of them that it would not have sent
  // after.
  void skip(int rank, const trace::Answer& answer) {
    const auto at = static_cast<std::size_t>(rank);
    const double each = step(rank) + kPoll;
    std::uint64_t times = answer.quiet.value() > 0 ? static_cast<std::uint64_t>(answer.quiet.value() / each) : 0;
    while (times > 0 && polls_[at] % 37 != static_cast<std::uint64_t>(rank) * 11) {
      program_.rank(rank).compute(step(rank)).polls(1, kPoll);
      ++polls_[at];
      --times;
    }
  }

  std::uint64_t polls_[2] = {0, 0};
  std::size_t sent_[2] = {0, 0};
  double last_ = 0;
};

sim::Prediction play_pollers(Pollers& pollers, const platform::Platform& platform) {
  sim::Options options;
  options.preconnected = true;
  return sim::predict(pollers, platform, one_per_host(2), options);
}

} // namespace

TEST_CASE("ranks that poll at the same time find the same, whether they are answered ahead or not") {
  const platform::Platform platform = flat(2, kBandwidth, 2e-6);
  Pollers alone(false);
  Pollers together(true);
  const sim::Prediction first = play_pollers(alone, platform);
  const sim::Prediction second = play_pollers(together, platform);
  REQUIRE(first.complete);
  REQUIRE(second.complete);
  CHECK(alone.ahead == 0);
  CHECK(alone.shared.empty());
  CHECK(together.ahead > 100);
  CHECK(alone.early == 0);
  CHECK(together.early > 20);
  CHECK(second.time.value() == Approx(first.time.value()).epsilon(1e-12));
  for (const std::size_t rank : {0u, 1u}) {
    REQUIRE(alone.found[rank].size() == Pollers::kRounds);
    REQUIRE(together.found[rank].size() == Pollers::kRounds);
    for (std::size_t i = 0; i < Pollers::kRounds; ++i)
      CHECK(together.found[rank][i] == Approx(alone.found[rank][i]).epsilon(1e-12));
  }
}

TEST_CASE("what all ranks are told bounds them: nobody acts before, and the quickest message takes the delay") {
  const platform::Platform platform = flat(2, kBandwidth, 2e-6);
  Pollers together(true);
  REQUIRE(play_pollers(together, platform).complete);
  REQUIRE(!together.shared.empty());
  for (const trace::Bounds& bounds : together.shared) {
    REQUIRE(bounds.acts.size() == 2);
    CHECK(bounds.delay > 0);
    CHECK(bounds.delay <= platform.route(0, 1).latency.value());
    CHECK(bounds.beside > 0);
    CHECK(bounds.beside < bounds.delay);
    CHECK(bounds.events > std::min(bounds.acts[0], bounds.acts[1]));
  }
}

namespace {

// Rank 0 polls for a message of each of the others until both have come; all go over its link.
class Receiver final : public Asking {
public:
  static constexpr double kBytes = 1e6;
  explicit Receiver(bool shares) : Asking(3, shares) {
    program_.all_init();
    for (const int rank : {1, 2}) {
      program_.rank(rank).compute(rank * 1e-3).send(0, kBytes, 5).finalize();
      program_.rank(0).ireceive(rank, static_cast<std::uint32_t>(rank), 5);
    }
    program_.rank(0).compute(3e-3).test(Completes::all, {1, 2}, kPoll);
  }
  void answer(int rank, const trace::Answer& answer) override {
    if (rank != 0) return;
    ++questions;
    const double now = answer.time.value();
    if (answer.found) {
      found = now;
      program_.rank(0).finalize();
      return;
    }
    const double quiet = answer.quiet.value();
    if (questions == 1) first_until = now + quiet;
    if (quiet > kPoll) program_.rank(0).polls(1, quiet - kPoll / 2); // as many as fit
    program_.rank(0).test(Completes::all, {1, 2}, kPoll);
  }

  int questions = 0;
  double first_until = 0;
  double found = 0;
};

} // namespace

TEST_CASE("a poll finds nothing before the first message for its rank can have come, whatever flows begin") {
  const platform::Platform platform = flat(3, kBandwidth, 1e-3);
  Receiver alone(false);
  Receiver followed(true);
  const auto play = [&](Receiver& receiver) {
    sim::Options options;
    options.preconnected = true;
    return sim::predict(receiver, platform, one_per_host(3), options);
  };
  const sim::Prediction first = play(alone);
  const sim::Prediction second = play(followed);
  REQUIRE(first.complete);
  REQUIRE(second.complete);
  CHECK(second.time.value() == Approx(first.time.value()).epsilon(1e-9));
  CHECK(followed.found == Approx(alone.found).margin(2 * kPoll));
  CHECK(followed.first_until > alone.first_until); // alone: until a flow begins to share
  CHECK(followed.questions < alone.questions);
}

} // namespace polls_ahead_test
