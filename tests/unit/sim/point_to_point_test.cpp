#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace point_to_point_test {

using namespace scenario;
using sim::Activity;
using trace::SendMode;

namespace {

constexpr double kSmall = 1000;    // detached
constexpr double kLarge = 1000000; // rendezvous

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

double ping_pong(const platform::Platform& platform, double bytes) {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, bytes).receive(1);
  program.rank(1).receive(0).send(0, bytes);
  program.all_finalize();
  return play(program, platform).time.value();
}

} // namespace

TEST_CASE("a ping-pong takes the formula's time in every section of the factors") {
  const platform::Platform platform = flat(2);
  // Sections change strictly above their boundary, envelope included.
  for (const double boundary : {257.0, 732.0, 1426.0, 3484.0, 5776.0, 9376.0, 15424.0, 65472.0}) {
    for (const double size : {boundary - 1, boundary, boundary + 1}) {
      INFO("size " << size);
      REQUIRE(ping_pong(platform, size - 16) == near(2 * alone(platform, size - 16)));
    }
  }
  for (const double payload : {0.0, 1.0, 65535.0, 65536.0, 1e6, 1e9}) {
    REQUIRE(ping_pong(platform, payload) == near(2 * alone(platform, payload)));
  }
}

TEST_CASE("the TCP window limits the bandwidth of long routes") {
  for (const double latency : {1e-6, 1e-3, 2e-2, 1.0}) {
    const platform::Platform platform = flat(2, kBandwidth, latency);
    REQUIRE(ping_pong(platform, kLarge) == near(2 * alone(platform, kLarge, kBandwidth, 2 * latency)));
  }
}

TEST_CASE("without a TCP window the links alone limit") {
  platform::Platform platform = flat(2, kBandwidth, 1.0);
  platform.p2p.tcp_gamma = 0;
  const double size = kLarge + 16;
  const double expected = 11.6436 * 2.0 + size / (0.940694 * kBandwidth);
  REQUIRE(ping_pong(platform, kLarge) == near(2 * expected));
}

TEST_CASE("cross-traffic slows only who shares the way back") {
  platform::Platform platform = flat(2);
  platform.p2p.crosstraffic = true;
  Program one_way(2);
  one_way.all_init();
  one_way.rank(0).send(1, kLarge);
  one_way.rank(1).receive(0);
  one_way.all_finalize();
  REQUIRE(play(one_way, platform).time.value() == near(alone(platform, kLarge)));

  Program both(2);
  both.all_init();
  both.rank(0).send_receive(1, kLarge, 1);
  both.rank(1).send_receive(0, kLarge, 0);
  both.all_finalize();
  REQUIRE(play(both, platform).time.value() == near(alone(platform, kLarge, kBandwidth / 1.05)));
}

TEST_CASE("a small send is detached: the sender goes on at once, the flow starts when the receive is posted") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall).finalize();
  program.rank(1).compute(0.5).receive(0).finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.time.value() == near(0.5 + alone(platform, kSmall)));
  REQUIRE(seconds(p, 0, Activity::ended) == near(p.time.value()));
  REQUIRE(seconds(p, 1, Activity::waiting) == 0);
  REQUIRE(seconds(p, 1, Activity::point_to_point) == near(alone(platform, kSmall)));
}

TEST_CASE("below the eager-flow limit the message travels before the receive is posted") {
  platform::Platform platform = flat(2);
  platform.p2p.eager_flow_below_bytes = 4096;
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall);
  program.rank(1).compute(0.5).receive(0);
  program.all_finalize();
  REQUIRE(play(program, platform).time.value() == near(0.5));

  Program early(2);
  early.all_init();
  early.rank(0).compute(0.25).send(1, kSmall);
  early.rank(1).receive(0);
  early.all_finalize();
  REQUIRE(play(early, platform).time.value() == near(0.25 + alone(platform, kSmall)));
}

TEST_CASE("a large send waits for its receive and for delivery") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kLarge);
  program.rank(1).compute(0.5).receive(0);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.time.value() == near(0.5 + alone(platform, kLarge)));
  REQUIRE(seconds(p, 0, Activity::waiting) == near(0.5));
  REQUIRE(seconds(p, 0, Activity::point_to_point) == near(alone(platform, kLarge)));
  REQUIRE(seconds(p, 1, Activity::compute) == near(0.5));
}

TEST_CASE("the send mode decides between detached and rendezvous") {
  const platform::Platform platform = flat(2);
  const auto sender_end = [&](SendMode mode, double bytes) {
    Program program(2);
    program.all_init();
    program.rank(0).send(1, bytes, 0, mode);
    program.rank(1).compute(0.5).receive(0);
    program.all_finalize();
    const sim::Prediction p = play(program, platform);
    return p.time.value() - seconds(p, 0, Activity::ended);
  };
  REQUIRE(sender_end(SendMode::synchronous, kSmall) == near(0.5 + alone(platform, kSmall)));
  REQUIRE(sender_end(SendMode::buffered, kLarge) == Approx(0).margin(1e-12));
  REQUIRE(sender_end(SendMode::ready, 65535) == Approx(0).margin(1e-12));
  REQUIRE(sender_end(SendMode::ready, kLarge) > 0.5); // as standard ones in Open MPI and MPICH
  REQUIRE(sender_end(SendMode::standard, 65535) == Approx(0).margin(1e-12));
  REQUIRE(sender_end(SendMode::standard, 65536) > 0.5);
}

TEST_CASE("overheads: os and ois before posting, or at the completion of receives that met a detached send") {
  platform::Platform platform = flat(2);
  platform.p2p.send_overhead = {{0, 1e-3, 1e-6}};
  platform.p2p.isend_overhead = {{0, 2e-3, 0}};
  platform.p2p.receive_overhead = {{0, 4e-3, 0}};
  Program detached(2);
  detached.all_init();
  detached.rank(0).send(1, kSmall);
  detached.rank(1).receive(0);
  detached.all_finalize();
  REQUIRE(play(detached, platform).time.value() == near(1e-3 + 1e-6 * kSmall + alone(platform, kSmall) + 4e-3));

  Program rendezvous(2);
  rendezvous.all_init();
  rendezvous.rank(0).send(1, kLarge);
  rendezvous.rank(1).receive(0);
  rendezvous.all_finalize();
  REQUIRE(play(rendezvous, platform).time.value() == near(alone(platform, kLarge)));

  Program several(2); // both arrive long before the wait, which pays `or` for each
  several.all_init();
  several.rank(0).isend(1, kSmall, 1, 1).isend(1, kSmall, 2, 2).wait({1, 2});
  several.rank(1).ireceive(0, 1, 1).ireceive(0, 2, 2).compute(1.0).wait({1, 2});
  several.all_finalize();
  const sim::Prediction p = play(several, platform);
  REQUIRE(p.time.value() == near(1.0 + 2 * 4e-3));
  REQUIRE(p.time.value() - seconds(p, 0, Activity::ended) == near(2 * 2e-3));
}

TEST_CASE("messages of one source and tag do not overtake, other tags may") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).isend(1, kLarge, 1, 7).compute(1.0).isend(1, kSmall, 2, 7).compute(1.0).isend(1, kSmall, 3, 8).wait({1, 2, 3});
  program.rank(1).ireceive(0, 1, 7).ireceive(0, 2, 7).receive(0, 8).at_site(5).wait({2}).at_site(6).wait({1});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.sites.at(5)[1].total.value() == near(2.0 + alone(platform, kSmall)));
  REQUIRE(p.sites.at(6)[1].total.value() == 0);
}

TEST_CASE("a probe returns when its message has been posted, and leaves it there") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.25).send(1, kLarge, 3);
  program.rank(1).probe(0, 3).at_site(9).receive(0, 3).probe(trace::kProcNull).at_site(10);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.sites.at(9)[1].total.value() == near(0.25));
  REQUIRE(p.sites.at(10)[1].total.value() == 0);
  REQUIRE(seconds(p, 1, Activity::waiting) == near(0.25));
  REQUIRE(p.time.value() == near(0.25 + alone(platform, kLarge)));

  Program late(2);
  late.all_init();
  late.rank(0).send(1, kSmall, 3);
  late.rank(1).compute(0.5).probe(0, 3).at_site(9).receive(0, 3);
  late.all_finalize();
  REQUIRE(play(late, platform).sites.at(9)[1].total.value() == 0);
}

TEST_CASE("MPI_Mprobe takes its message out: no other probe or receive finds it, only its MPI_Mrecv") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).send(1, 1000).compute(0.1).send(1, 2000).compute(0.1).send(1, 3000);
  program.rank(1).probe(0).of_message(1).probe(0).of_message(2); // the first waits, and so does the second
  program.rank(1).receive(0).receive(0).of_message(2).receive(0).of_message(1);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  CHECK(seconds(p, 1, Activity::waiting) == near(0.2)); // for the second message, and for the third one
  CHECK(p.time.value() == near(0.2 + alone(platform, 3000) + alone(platform, 2000) + alone(platform, 1000)));
}

TEST_CASE("a wait for several requests ends with the last; transfer and waiting are told apart") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  program.rank(0).ireceive(1, 1).ireceive(2, 2).wait({1, 2, 99});
  program.rank(1).send(0, kLarge);
  program.rank(2).compute(2.0).send(0, kLarge);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.time.value() == near(2.0 + alone(platform, kLarge)));
  REQUIRE(seconds(p, 0, Activity::waiting) == near(2.0));
  REQUIRE(seconds(p, 0, Activity::completion) == near(alone(platform, kLarge)));
}

TEST_CASE("a message to a rank of the same host takes the loopback") {
  const platform::LinkFigures loopback{BytesPerSecond(1e9), Seconds(1e-6), platform::Sharing::fatpipe};
  const platform::Platform platform = flat(1, kBandwidth, kLatency, 2, {}, loopback);
  platform::Placement placement;
  placement.host_of = {0, 0};
  placement.core_of = {0, 1};
  Program program(2);
  program.all_init();
  program.rank(0).send_receive(1, kLarge, 1);
  program.rank(1).send_receive(0, kLarge, 0);
  program.all_finalize();
  const sim::Prediction p = sim::predict(program, platform, placement, {});
  REQUIRE(p.time.value() == near(alone(platform, kLarge, 1e9, 1e-6)));
}

TEST_CASE("peers that do not exist take no time") {
  const platform::Platform platform = flat(1);
  Program program(1);
  program.all_init();
  program.rank(0).send(trace::kProcNull, kLarge).receive(trace::kProcNull).send_receive(trace::kProcNull, 5, trace::kProcNull);
  program.rank(0).isend(trace::kProcNull, kLarge, 1).ireceive(trace::kProcNull, 2).wait({1, 2});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.time.value() == 0);
  REQUIRE(p.ranks[0].messages == 0);
}

TEST_CASE("a cancelled receive leaves its message to the next one") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.1).send(1, kLarge);
  program.rank(1).ireceive(0, 1).forget(1).receive(0);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.time.value() == near(0.1 + alone(platform, kLarge)));
}

TEST_CASE("an empty message pays overheads where they were measured, and none by SimGrid's rule") {
  platform::Platform platform = flat(2);
  const double alone = ping_pong(platform, 0);
  platform.p2p.send_overhead = {{0, 1e-3, 1e-6}};
  platform.p2p.receive_overhead = {{0, 3e-3, 1e-6}};
  CHECK(ping_pong(platform, 0) == near(alone));
  platform.p2p.measured = true;
  CHECK(ping_pong(platform, 0) == near(alone + 2 * (4e-3 + 2e-6)));
}

TEST_CASE("a receive that is freed takes its message all the same") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.1).send(1, kLarge).compute(0.1).send(1, kLarge);
  program.rank(1).ireceive(0, 1).forget(1, true).receive(0);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.time.value() >= (0.2 + alone(platform, kLarge)) * (1 - 1e-9)); // the second one is for the receive
}

TEST_CASE("a forgotten send completes alone") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).isend(1, kLarge, 1).forget(1);
  program.rank(1).compute(0.1).receive(0);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.time.value() == near(0.1 + alone(platform, kLarge)));
  REQUIRE(seconds(p, 0, Activity::ended) == near(p.time.value()));
}

} // namespace point_to_point_test
