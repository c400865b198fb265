// Two processes over TCP connect when one of them first has something for the other.
#include "unit/sim/channels.h"

namespace connecting_test {

using namespace scenario;

namespace {

// The kernels' handshake, which the one that asks reads; who it is, and who the other one is.
double connecting() { return 2 * (heard(0) + heard(24)) - kWakeup; }

double taken(Program& program, const platform::Platform& platform, const platform::Placement& placement,
             bool preconnected = false) {
  program.rewind();
  sim::Options options;
  options.preconnected = preconnected;
  const sim::Prediction prediction = sim::predict(program, platform, placement, options);
  REQUIRE(prediction.complete);
  return prediction.time.value();
}

void write_ping_pongs(Program& program, int count) {
  program.all_init();
  for (int i = 0; i < count; ++i) {
    program.rank(0).send(1, kSmall).receive(1);
    program.rank(1).receive(0).send(0, kSmall);
  }
  program.all_finalize();
}

} // namespace

TEST_CASE("the first message of a pair waits for two round trips, and no other one does") {
  const platform::Platform platform = connected(2);
  for (const int count : {1, 5}) {
    Program program(2);
    write_ping_pongs(program, count);
    CHECK(taken(program, platform, one_per_host(2)) == near(connecting() + 2 * count * heard(22 + kSmall)));
    CHECK(taken(program, platform, one_per_host(2), true) == near(2 * count * heard(22 + kSmall)));
  }
}

TEST_CASE("a blocking send helps to connect before its process computes on; a buffered one does not") {
  constexpr double kBusy = 0.5;
  const auto with = [](trace::SendMode mode) {
    Program program(2);
    program.all_init();
    program.rank(0).send(1, kSmall, 0, mode).compute(kBusy).receive(1);
    program.rank(1).receive(0).send(0, 0);
    program.all_finalize();
    return taken(program, connected(2), one_per_host(2));
  };
  CHECK(with(trace::SendMode::standard) == near(connecting() + kBusy));
  // Its hello waits until it receives: that it was asked for has been there for long.
  CHECK(with(trace::SendMode::buffered) == near(kBusy + 2 * heard(24) + heard(22 + kSmall) + heard(22)));
}

TEST_CASE("a request of a small message is complete when its connection is there") {
  constexpr double kBusy = 0.5;
  Program program(2);
  program.all_init();
  program.rank(0).isend(1, kSmall, 1).wait({1}).compute(kBusy);
  program.rank(1).receive(0);
  program.all_finalize();
  CHECK(taken(program, connected(2), one_per_host(2)) == near(connecting() + kBusy));
}

TEST_CASE("who is asked for a connection answers inside MPI only") {
  constexpr double kBusy = 0.5;
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall).receive(1);
  program.rank(1).compute(kBusy).receive(0).send(0, kSmall);
  program.all_finalize();
  // It reads that it was asked when it comes to its receive; its answer and the two messages follow.
  CHECK(taken(program, connected(2), one_per_host(2)) == near(kBusy + heard(24) + 2 * heard(22 + kSmall)));
}

TEST_CASE("both may ask at a time, and each pair connects once") {
  Program program(3);
  program.all_init();
  for (int rank = 0; rank < 3; ++rank) {
    Script& script = program.rank(rank);
    for (int i = 0; i < 4; ++i)
      script.send_receive((rank + 1) % 3, kSmall, (rank + 2) % 3).send_receive((rank + 2) % 3, kBulk, (rank + 1) % 3);
  }
  program.all_finalize();
  const double before = taken(program, connected(3), one_per_host(3), true);
  const double with = taken(program, connected(3), one_per_host(3));
  CHECK(with > before + connecting() * (1 - 1e-9));
  CHECK(with < before + 2 * connecting());
}

TEST_CASE("processes of one node, and networks without connections, have nothing to wait for") {
  platform::Platform platform =
      flat(1, kBandwidth, kLatency, 2, {}, platform::LinkFigures{base::BytesPerSecond(1e9), Seconds(1e-6)});
  platform.transport.kind = platform::TransportKind::tcp_openmpi;
  platform::Placement together = one_per_host(2);
  together.host_of = {0, 0};
  together.core_of = {0, 1};
  Program program(2);
  write_ping_pongs(program, 3);
  CHECK(taken(program, platform, together) == taken(program, platform, together, true));
  for (const platform::TransportKind kind : {platform::TransportKind::rdma, platform::TransportKind::smpi}) {
    const platform::Platform other = connected(2, kind);
    CHECK(taken(program, other, one_per_host(2)) == taken(program, other, one_per_host(2), true));
  }
}

} // namespace connecting_test
