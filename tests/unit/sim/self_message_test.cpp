// Messages of a rank to itself: a copy that crosses no link, in both message models.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <functional>

namespace self_message_test {

using namespace scenario;
using sim::MessageModel;

namespace {

constexpr double kBytes = 56000; // eager, as most programs send to themselves
constexpr double kLarge = 1e6;   // rendezvous
constexpr double kBase = 2e-6;
constexpr double kPerByte = 3e-10;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(1e-15); }

double copied(double bytes) { return kBase + kPerByte * bytes; }

// Calls that cost much, and no loopback: the way of a host to itself is the way to the switch and back.
platform::Platform measured() {
  platform::Platform platform = flat(2);
  platform.p2p.send_overhead = platform.p2p.isend_overhead = platform.p2p.receive_overhead = {{0, 1e-3, 0}};
  platform.p2p.self_message = {{0, kBase, kPerByte}};
  return platform;
}

platform::Platform with_loopback() {
  const platform::LinkFigures loopback{BytesPerSecond(1e9), Seconds(1e-6), platform::Sharing::fatpipe};
  return flat(1, kBandwidth, kLatency, 1, {}, loopback);
}

sim::Prediction play_with(Program& program, const platform::Platform& platform, MessageModel model) {
  program.rewind();
  sim::Options options;
  options.p2p = model;
  return sim::predict(program, platform, one_per_host(program.ranks()), options);
}

} // namespace

TEST_CASE("a message of a rank to itself takes what was measured, whoever is posted first") {
  const auto model = GENERATE(MessageModel::smpi, MessageModel::channel);
  const double bytes = GENERATE(1.0, kBytes, kLarge);
  const std::vector<std::function<void(Script&)>> forms = {
      [&](Script& s) { s.isend(0, bytes, 1).receive(0).wait({1}); },
      [&](Script& s) { s.ireceive(0, 1).send(0, bytes).wait({1}); },
      [&](Script& s) {
        s.ireceive(0, 1).isend(0, bytes, 2).wait({1, 2});
      },
      [&](Script& s) { s.isend(0, bytes, 2).ireceive(0, 1).wait({2}).wait({1}); },
      [&](Script& s) { s.send_receive(0, bytes, 0); },
      [&](Script& s) { s.isend(0, bytes, 1).probe(0).receive(0).wait({1}); },
      [&](Script& s) { s.ireceive(0, 1).send(0, bytes, 0, trace::SendMode::synchronous).wait({1}); },
      [&](Script& s) { s.transfer(0, bytes, trace::kNoReply, 1).wait({1}); },
  };
  for (std::size_t i = 0; i < forms.size(); ++i) {
    INFO("form " << i << " of " << bytes << " bytes, model " << static_cast<int>(model));
    Program program(1);
    program.all_init();
    forms[i](program.rank(0));
    program.all_finalize();
    const sim::Prediction p = play_with(program, measured(), model);
    REQUIRE(p.complete);
    CHECK(p.time.value() == near(copied(bytes)));
    CHECK(p.ranks[0].messages == 1);
  }
}

TEST_CASE("several messages of a rank to itself are copied one after the other, in their order") {
  const auto model = GENERATE(MessageModel::smpi, MessageModel::channel);
  Program program(1);
  program.all_init();
  program.rank(0).isend(0, 100, 1).isend(0, kLarge, 2).receive(0).at_site(5).receive(0).wait({1, 2});
  program.all_finalize();
  const sim::Prediction p = play_with(program, measured(), model);
  REQUIRE(p.complete);
  CHECK(p.time.value() == near(copied(100) + copied(kLarge)));
  CHECK(p.sites.at(5)[0].total.value() == near(copied(100)));
}

TEST_CASE("a receive that another thread of the rank waits in") {
  const auto model = GENERATE(MessageModel::smpi, MessageModel::channel);
  Program program(1);
  program.all_init();
  program.rank(0).compute(1.0).send(0, kLarge).compute(1.0);
  program.thread(0).receive(0).at_site(6);
  program.all_finalize();
  const sim::Prediction p = play_with(program, measured(), model);
  REQUIRE(p.complete);
  CHECK(p.time.value() == near(2.0));
  CHECK(p.sites.at(6)[0].total.value() == near(1.0 + copied(kLarge)));
}

TEST_CASE("what a rank sends itself meets no traffic of its links, and delays none") {
  const auto model = GENERATE(MessageModel::smpi, MessageModel::channel);
  const auto played = [&](bool with_self) {
    Program program(2);
    program.all_init();
    program.rank(0).isend(1, 10e6, 1);
    if (with_self) program.rank(0).send_receive(0, kLarge, 0).at_site(7);
    program.rank(0).wait({1});
    program.rank(1).receive(0);
    program.all_finalize();
    return play_with(program, measured(), model);
  };
  const sim::Prediction with = played(true);
  CHECK(with.sites.at(7)[0].total.value() == near(copied(kLarge)));
  CHECK(with.time.value() == Approx(played(false).time.value()).epsilon(0.02));
}

TEST_CASE("without figures of its own it takes the loopback; without that, SimGrid's rate for hosts of which no way is given") {
  const auto model = GENERATE(MessageModel::smpi, MessageModel::channel);
  Program program(1);
  program.all_init();
  program.rank(0).ireceive(0, 1).isend(0, kLarge, 2).wait({1, 2});
  program.all_finalize();

  const sim::Prediction bare = play_with(program, flat(1), model);
  CHECK(bare.time.value() == near(kLarge / 10e9));
  REQUIRE(bare.assumptions.size() == 1);
  const auto* copied = std::get_if<sim::SelfCopied>(&bare.assumptions[0]);
  REQUIRE(copied != nullptr);
  CHECK(copied->speed.value() == 10e9);

  const platform::Platform looped = with_loopback();
  const sim::Prediction over = play_with(program, looped, model);
  CHECK(over.assumptions.empty());
  CHECK(over.time.value() > kLarge / 1e9);
  if (model == MessageModel::smpi) CHECK(over.time.value() == near(alone(looped, kLarge, 1e9, 1e-6)));
}

TEST_CASE("a generalized request is complete as soon as its rank says so, whatever messages to itself take") {
  const auto model = GENERATE(MessageModel::smpi, MessageModel::channel);
  for (const platform::Platform& platform : {measured(), with_loopback()}) {
    Program program(1);
    program.all_init();
    program.rank(0).ireceive(0, 1, trace::kGeneralizedTag).compute(1e-3).isend(0, 0, 2, trace::kGeneralizedTag).wait({1});
    program.all_finalize();
    const sim::Prediction p = play_with(program, platform, model);
    REQUIRE(p.complete);
    CHECK(p.time.value() == near(1e-3));
    CHECK(p.ranks.at(0).messages == 0);
  }
}

TEST_CASE("replay: SimGrid's way of a host to itself, links to the switch and back where there is no loopback") {
  Program program(1);
  program.all_init();
  program.rank(0).ireceive(0, 1).isend(0, kLarge, 2).wait({1, 2});
  program.all_finalize();
  sim::Options options;
  options.self_over_links = true;
  const platform::Platform platform = flat(1);
  CHECK(sim::predict(program, platform, one_per_host(1), options).time.value() == near(alone(platform, kLarge)));
}

} // namespace self_message_test
