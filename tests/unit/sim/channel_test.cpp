// The engine with ordered channels: Open MPI's protocol over one connection per pair of processes.
#include "unit/sim/channels.h"

using namespace scenario;
using sim::Activity;

TEST_CASE("channels: an eager message takes its bytes, the latency and its wake-up latency") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall);
  program.rank(1).receive(0);
  program.all_finalize();
  const sim::Prediction result = play(program, connected(2));
  CHECK(result.time.value() == near(heard(22 + kSmall)));
  CHECK(result.transport == kInCalls);
  CHECK(result.complete);
}

TEST_CASE("channels: a rendezvous asks, is answered, sends everything, and says so") {
  for (const double bytes : {65481.0, 1e6, kBulk}) {
    Program program(2);
    program.all_init();
    program.rank(0).send(1, bytes);
    program.rank(1).receive(0);
    program.all_finalize();
    const sim::Prediction result = play(program, connected(2));
    INFO("bytes " << bytes);
    CHECK(result.time.value() == near(rendezvous(bytes)));
    // All of it fits the socket's buffer: the sender has finished when it has heard the answer.
    CHECK(seconds(result, 0, Activity::point_to_point) + seconds(result, 0, Activity::waiting) == near(heard(40) + heard(64)));
  }
}

TEST_CASE("channels: a sender with more than the socket takes stays until the rest fits") {
  platform::Platform platform = connected(2);
  platform.transport.socket_buffer = 1e6;
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kBulk);
  program.rank(1).receive(0);
  program.all_finalize();
  const sim::Prediction result = play(program, platform);
  CHECK(seconds(result, 0, Activity::point_to_point) + seconds(result, 0, Activity::waiting) ==
        near(heard(40) + heard(64) + leaving(24 + kBulk - 1e6) + kWakeup));
}

TEST_CASE("channels: many small messages to one peer arrive in order, and latency is paid once") {
  Program program(2);
  program.all_init();
  for (int i = 0; i < 64; ++i) program.rank(0).send(1, kSmall, i);
  for (int i = 0; i < 64; ++i) program.rank(1).receive(0, i);
  program.all_finalize();
  const double all = 64 * leaving(22 + kSmall) + kWay;
  const double time = play(program, connected(2)).time.value();
  CHECK(time >= all * (1 - 1e-9));
  CHECK(time <= all + handed_on(22 + kSmall) + 2 * kWakeup);
}

TEST_CASE("channels: both directions at once take the time of one when both answers go before the bulk") {
  Program program(2);
  program.all_init();
  for (int rank = 0; rank < 2; ++rank) program.rank(rank).ireceive(1 - rank, 1).isend(1 - rank, kBulk, 2).wait({1, 2});
  program.all_finalize();
  CHECK(play(program, connected(2)).time.value() == near(rendezvous(kBulk)));
}

TEST_CASE("channels: an answer that queues behind bulk data doubles the time of its direction, not of the other") {
  Program program(2);
  write_skewed_exchange(program);
  const sim::Prediction ordered = play(program, connected(2));
  const double once = leaving(24 + kBulk);
  CHECK(ordered.time.value() == Approx(2 * once).epsilon(0.02));
  CHECK(seconds(ordered, 0, Activity::ended) == near(0));
  CHECK(seconds(ordered, 1, Activity::ended) == Approx(once).epsilon(0.02));
  const sim::Prediction passing = play(program, connected(2, platform::TransportKind::rdma));
  CHECK(passing.time.value() == Approx(once).epsilon(0.02));
}

TEST_CASE("channels: the answer to what came in one read with a clear-to-send stands before the end of the data") {
  Program program(2);
  write_skewed_exchange(program);
  const double data = leaving(24 + kBulk) + handed_on(24 + kBulk);
  // In one segment with `fin`: both were written while the data stood in the card.
  CHECK(play(program, connected(2)).time.value() ==
        near(heard(22) + heard(64) + data + leaving(64) + leaving(32) + kWay + kWakeup + heard_all(kBulk)));
}

TEST_CASE("channels: the smpi model can be asked for, and gives the platform's time without a transport") {
  Program program(2);
  write_skewed_exchange(program);
  sim::Options options;
  options.p2p = sim::MessageModel::smpi;
  platform::Platform plain = connected(2);
  plain.transport = platform::Transport{};
  const sim::Prediction asked = play_with(program, connected(2), options);
  CHECK(asked.transport == sim::TransportUse{});
  CHECK(asked.time.value() == play(program, plain).time.value());
  options.p2p = sim::MessageModel::channel;
  CHECK(play_with(program, plain, options).transport == kInCalls);
}

TEST_CASE("channels: a computing rank answers when it comes back, unless progress is asynchronous") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kBulk);
  program.rank(1).ireceive(0, 1).compute(1.0).wait({1});
  program.all_finalize();
  const platform::Platform platform = connected(2);
  CHECK(play(program, platform).time.value() == near(1.0 + rendezvous(kBulk) - heard(40)));
  sim::Options options;
  options.progress = sim::ProgressRule::async;
  const sim::Prediction helped = play_with(program, platform, options);
  CHECK(helped.time.value() == near(1.0));
  CHECK(helped.transport == sim::TransportUse{sim::MessageModel::channel, sim::ProgressRule::async, 0});
}

TEST_CASE("channels: an eager message that comes while its receiver computes is there when it is wanted") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall);
  program.rank(1).compute(1.0).receive(0);
  program.all_finalize();
  CHECK(play(program, connected(2)).time.value() == near(1.0));
}

TEST_CASE("channels: a small synchronous send waits for its receive") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall, 0, trace::SendMode::synchronous);
  program.rank(1).compute(1.0).receive(0);
  program.all_finalize();
  const sim::Prediction result = play(program, connected(2));
  CHECK(result.time.value() == near(1.0 + heard(64) + heard_all(kSmall)));
}

TEST_CASE("channels: a probe returns once its message has been read") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall);
  program.rank(1).probe(0).receive(0);
  program.all_finalize();
  CHECK(play(program, connected(2)).time.value() == near(heard(22 + kSmall)));
}

TEST_CASE("channels: what cannot end is reported as a deadlock, and a ring of rendezvous with receives posted ends") {
  Program stuck(2);
  stuck.all_init();
  for (int rank = 0; rank < 2; ++rank) stuck.rank(rank).send(1 - rank, kBulk).receive(1 - rank);
  stuck.all_finalize();
  const sim::Prediction blocked = play(stuck, connected(2));
  CHECK_FALSE(blocked.complete);
  REQUIRE_FALSE(blocked.problems.empty());
  CHECK(blocked.problems[0].kind == sim::ProblemKind::deadlock);

  constexpr int kRanks = 16;
  Program ring(kRanks);
  ring.all_init();
  for (int round = 0; round < 5; ++round) {
    for (int rank = 0; rank < kRanks; ++rank) {
      ring.rank(rank).send_receive((rank + 1) % kRanks, kBulk, (rank + kRanks - 1) % kRanks);
    }
  }
  ring.all_finalize();
  const sim::Prediction result = play(ring, connected(kRanks));
  CHECK(result.complete);
  CHECK(result.time.value() > 5 * rendezvous(kBulk));
  CHECK(result.time.value() < 5.05 * rendezvous(kBulk)); // and the acknowledgements of what comes
}

TEST_CASE("channels: collectives, and the same prediction again") {
  Program program(8);
  program.all_init();
  for (int rank = 0; rank < 8; ++rank) {
    program.rank(rank).collective(trace::CollectiveKind::allreduce, 8).collective(trace::CollectiveKind::alltoall, 8 * 100000.0);
    program.rank(rank).collective(trace::CollectiveKind::barrier, 0);
  }
  program.all_finalize();
  const sim::Prediction first = play(program, connected(8));
  CHECK(first.complete);
  CHECK(first.time.value() > 7 * 100000 / kBandwidth);
  CHECK(play(program, connected(8)).time.value() == first.time.value());
}
