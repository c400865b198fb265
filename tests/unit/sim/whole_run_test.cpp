#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <thread>

namespace whole_run_test {

using namespace scenario;
using sim::Activity;
using trace::CollectiveKind;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(1e-15); }

// Returns: the first problem of that kind, about that rank when one is named; a problem without
// threads otherwise.
sim::Problem problem_of(const sim::Prediction& p, sim::ProblemKind kind, int rank = -1) {
  const auto found = std::find_if(p.problems.begin(), p.problems.end(), [&](const sim::Problem& problem) {
    return problem.kind == kind && (rank < 0 || problem.rank == rank);
  });
  REQUIRE(found != p.problems.end());
  return *found;
}

// Halo exchange, allreduce and compute that differs by rank.
void write_busy_program(Program& program, int steps) {
  const int ranks = program.ranks();
  program.all_init();
  for (int rank = 0; rank < ranks; ++rank) {
    const int right = (rank + 1) % ranks;
    const int left = (rank + ranks - 1) % ranks;
    for (int step = 0; step < steps; ++step) {
      program.rank(rank).compute(1e-3 * (1 + rank % 5)).ireceive(left, 1).isend(right, 2000.0 * (1 + rank % 7), 2).wait({1, 2});
      program.rank(rank).at_site(4, 2).send_receive(left, 1e5, right).collective(CollectiveKind::allreduce, 8);
    }
  }
  program.all_finalize();
}

std::vector<double> fingerprint(const sim::Prediction& p) {
  std::vector<double> values{p.time.value(), p.energy ? p.energy->value() : -1.0, static_cast<double>(p.events)};
  for (const sim::RankTimes& rank : p.ranks) {
    for (const Seconds in : rank.in) values.push_back(in.value());
    values.push_back(rank.sent.value());
  }
  for (const auto& [site, times] : p.sites) {
    for (const sim::SiteTimes& t : times) values.insert(values.end(), {t.total.value(), t.max.value(), t.min.value()});
  }
  return values;
}

platform::NodePower power() { return {Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false}; }

} // namespace

TEST_CASE("an empty run takes no time") {
  for (const int ranks : {1, 2, 64}) {
    Program program(ranks);
    program.all_init().all_finalize();
    const sim::Prediction p = play(program, flat(ranks));
    REQUIRE(p.complete);
    REQUIRE(p.problems.empty());
    REQUIRE(p.time.value() == 0);
    REQUIRE(p.ranks.size() == static_cast<std::size_t>(ranks));
    REQUIRE(p.nodes_used == ranks);
    REQUIRE_FALSE(p.energy.has_value());
    REQUIRE(p.transport == sim::TransportUse{});
  }
}

TEST_CASE("clocks start at the exit of MPI_Init and end at the entry of MPI_Finalize") {
  Program program(1);
  program.rank(0).compute(5).local(3).compute(7).init().compute(2).local(0.5).at_site(3, 6).compute(0.25).finalize();
  program.rank(0).compute(9).local(1);
  const sim::Prediction p = play(program, flat(1));
  REQUIRE(p.time.value() == near(2.75));
  REQUIRE(seconds(p, 0, Activity::compute) == near(2.25));
  REQUIRE(seconds(p, 0, Activity::local) == near(0.5));
  REQUIRE(p.sites.at(3)[0].count == 1);
  REQUIRE(p.regions.at(6).measured.value() == near(2));
}

TEST_CASE("computation is corrected by relative speed") {
  Program program(1);
  program.all_init();
  program.rank(0).compute(1).local(0).at_site(1, 1).compute(1).local(0).at_site(2, 2).finalize();
  platform::Platform platform = flat(1);
  sim::Options options;
  REQUIRE(sim::predict(program, platform, one_per_host(1), options).time.value() == near(2));
  platform.hosts[0].relative_speed = 2;
  program.rewind();
  const sim::Prediction p = sim::predict(program, platform, one_per_host(1), options);
  REQUIRE(p.time.value() == near(1));
  REQUIRE(p.regions.at(2).predicted.value() == near(0.5));
  options.relative_speed = 4;
  program.rewind();
  REQUIRE(sim::predict(program, platform, one_per_host(1), options).time.value() == near(0.5));
}

TEST_CASE("each rank's activities sum up to the predicted time") {
  Program program(16);
  write_busy_program(program, 5);
  const sim::Prediction p = play(program, flat(16));
  REQUIRE(p.complete);
  for (const sim::RankTimes& rank : p.ranks) {
    double sum = 0;
    for (const Seconds in : rank.in) {
      REQUIRE(in.value() >= 0);
      sum += in.value();
    }
    REQUIRE(sum == near(p.time.value()));
  }
  REQUIRE(p.sites.at(4)[3].count == 5);
}

TEST_CASE("the same input gives the same bytes, also in threads beside each other") {
  platform::Platform platform = flat(64);
  platform.p2p.crosstraffic = true;
  for (platform::Host& host : platform.hosts) host.power = power();
  std::vector<std::vector<double>> prints(4);
  const auto predict_into = [&](std::size_t i) {
    Program program(64);
    write_busy_program(program, 3);
    prints[i] = fingerprint(play(program, platform));
  };
  predict_into(0);
  predict_into(1);
  std::thread first(predict_into, 2);
  std::thread second(predict_into, 3);
  first.join();
  second.join();
  for (std::size_t i = 1; i < prints.size(); ++i) {
    REQUIRE(prints[i].size() == prints[0].size());
    REQUIRE(std::memcmp(prints[i].data(), prints[0].data(), prints[0].size() * sizeof(double)) == 0);
  }
}

TEST_CASE("energy is power times time in each state of the cores") {
  platform::Platform platform = flat(2);
  for (platform::Host& host : platform.hosts) host.power = power();
  Program program(2);
  program.all_init();
  program.rank(0).compute(3).send(1, 1000);
  program.rank(1).compute(1).receive(0);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  const double transfer = alone(platform, 1000);
  // Host 0 computes for 3 s and is idle while the message travels; host 1 computes for 1 s and
  // polls for the rest.
  const double host0 = 3 * 200 + transfer * 90;
  const double host1 = 1 * 200 + (2 + transfer) * 180;
  REQUIRE(p.energy.has_value());
  REQUIRE(p.energy->value() == near(host0 + host1));
  REQUIRE(p.energy_parts.computing.value() == near(4 * 100));
  REQUIRE(p.energy_parts.polling.value() == near((2 + transfer) * 80));
  REQUIRE(p.nodes.size() == 2);
  REQUIRE(p.nodes[0].idle.value() == near(transfer));
}

TEST_CASE("a wait that the program spun for draws probing power") {
  platform::Platform platform = flat(2);
  for (platform::Host& host : platform.hosts) host.power = power();
  Program program(2);
  program.all_init();
  program.rank(0).compute(2).send(1, 1000);
  program.rank(1).ireceive(0, 1).wait({1}, true);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.energy_parts.probing.value() == near((2 + alone(platform, 1000)) * 60));
  REQUIRE(p.energy_parts.polling.value() == near(0));
}

TEST_CASE("collectives are played as messages") {
  const platform::Platform platform = flat(4);
  const auto time_of = [&](int ranks, CollectiveKind kind, double bytes) {
    Program program(ranks);
    program.all_init();
    for (int rank = 0; rank < ranks; ++rank) program.rank(rank).collective(kind, bytes);
    program.all_finalize();
    const sim::Prediction p = play(program, platform);
    REQUIRE(p.complete);
    REQUIRE(p.problems.empty());
    return p.time.value();
  };
  REQUIRE(time_of(1, CollectiveKind::barrier, 0) == near(0));
  // Two ranks exchange once; four need at least two rounds of what one message takes.
  REQUIRE(time_of(2, CollectiveKind::barrier, 0) == near(alone(platform, 0)));
  REQUIRE(time_of(2, CollectiveKind::allreduce, 8) == near(alone(platform, 8)));
  REQUIRE(time_of(4, CollectiveKind::allreduce, 8) == near(2 * alone(platform, 8)));
  // Linear at four ranks: in and out, and the root's three releases leave one after another.
  const double barrier = time_of(4, CollectiveKind::barrier, 0);
  REQUIRE(barrier > 2 * alone(platform, 0));
  REQUIRE(barrier < 2.01 * alone(platform, 0));
}

TEST_CASE("a late member holds up a blocking collective, and a non-blocking one only at its wait") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).icollective(CollectiveKind::allreduce, 8, 1).at_site(5).compute(0.25).wait({1});
  program.rank(1).compute(1).icollective(CollectiveKind::allreduce, 8, 1).wait({1});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.sites.at(5)[0].total.value() == near(0));
  REQUIRE(p.time.value() == near(1 + 2 * alone(platform, 8))); // a reduction, then a broadcast (libnbc)
  REQUIRE(seconds(p, 0, Activity::compute) == near(0.25));
  REQUIRE(seconds(p, 0, Activity::completion) == near(1 + alone(platform, 8) - 0.25)); // the reduction's root goes first

  Program hidden(2); // computation covers it
  hidden.all_init();
  for (int rank = 0; rank < 2; ++rank) hidden.rank(rank).icollective(CollectiveKind::allreduce, 8, 1).compute(1).wait({1});
  hidden.all_finalize();
  REQUIRE(play(hidden, platform).time.value() == near(1));
}

TEST_CASE("messages inside collectives do not meet the program's own") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).send(1, 1000).collective(CollectiveKind::barrier, 0);
  program.rank(1).collective(CollectiveKind::barrier, 0).receive(0);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.time.value() == near(alone(platform, 0) + alone(platform, 1000)));
}

TEST_CASE("a deadlock is told with who waits for whom") {
  Program program(3);
  program.all_init();
  program.rank(0).receive(1, 4).at_site(7);
  program.rank(1).send(0, 1e6, 5);
  program.all_finalize();
  const sim::Prediction p = play(program, flat(3));
  REQUIRE_FALSE(p.complete);
  REQUIRE(p.problems.size() == 3);
  REQUIRE(problem_of(p, sim::ProblemKind::deadlock).rank == -1);
  const sim::Problem receiving = problem_of(p, sim::ProblemKind::blocked, 0);
  REQUIRE(receiving.operation == trace::OperationKind::receive);
  REQUIRE(receiving.peer == 1);
  REQUIRE(receiving.tag == 4);
  REQUIRE(receiving.site == 7u);
  const sim::Problem sending = problem_of(p, sim::ProblemKind::blocked, 1);
  REQUIRE(sending.operation == trace::OperationKind::send);
  REQUIRE(sending.peer == 0);
  REQUIRE(sending.tag == 5);
}

TEST_CASE("a deadlock counts ranks, and says when more of their threads are blocked") {
  Program program(2);
  program.all_init();
  for (int tag = 1; tag <= 3; ++tag) program.thread(0).receive(1, tag);
  program.rank(1).send(0, 1e6, 5);
  program.all_finalize();
  const sim::Prediction p = play(program, flat(2));
  REQUIRE_FALSE(p.complete);
  const sim::Problem both = problem_of(p, sim::ProblemKind::deadlock);
  REQUIRE(both.count == 2);
  REQUIRE(both.ranks == 2);
  REQUIRE(both.threads == 4);
  Program single(2);
  single.all_init();
  single.rank(0).receive(1, 1);
  single.thread(0);
  single.all_finalize();
  const sim::Problem one = problem_of(play(single, flat(2)), sim::ProblemKind::deadlock);
  REQUIRE(one.count == 1);
  REQUIRE(one.threads == 1);
}

TEST_CASE("odd input is reported and played as far as it goes") {
  SECTION("a receive whose source was never seen") {
    Program program(2);
    program.all_init();
    program.rank(0).receive(trace::kUnknownPeer);
    program.all_finalize();
    REQUIRE(problem_of(play(program, flat(2)), sim::ProblemKind::blocked).peer == trace::kUnknownPeer);
  }
  SECTION("collectives that do not match") {
    Program program(2);
    program.all_init();
    program.rank(0).collective(CollectiveKind::barrier, 0);
    program.rank(1).collective(CollectiveKind::bcast, 1e6);
    program.all_finalize();
    const sim::Prediction p = play(program, flat(2));
    REQUIRE_FALSE(p.complete);
    REQUIRE(problem_of(p, sim::ProblemKind::mismatch).count == 0);
  }
  SECTION("a peer outside the run") {
    Program program(2);
    program.all_init();
    program.rank(0).send(7, 10).receive(-5).send_receive(9, 10, 12);
    program.all_finalize();
    const sim::Prediction p = play(program, flat(2));
    REQUIRE_FALSE(p.complete);
    REQUIRE(problem_of(p, sim::ProblemKind::no_such_rank).peer == 7);
    REQUIRE(p.time.value() == 0);
  }
  SECTION("a timeline that stops short") {
    Program program(2);
    program.all_init();
    program.rank(0).compute(2).local(0);
    program.rank(1).compute(1).finalize();
    const sim::Prediction p = play(program, flat(2));
    REQUIRE_FALSE(p.complete);
    REQUIRE(p.time.value() == near(2));
    REQUIRE(problem_of(p, sim::ProblemKind::unfinished, 0).at_s == near(2));
  }
  SECTION("figures that are no times") {
    Program program(1);
    program.all_init();
    program.rank(0).compute(-1).local(std::numeric_limits<double>::quiet_NaN()).compute(1.0 / 0.0).local(1).finalize();
    const sim::Prediction p = play(program, flat(1));
    REQUIRE(p.time.value() == near(1));
  }
}

TEST_CASE("threads of a rank share its requests") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).ireceive(1, 1).compute(3);
  program.rank(1).compute(1).send(0, 1000);
  program.thread(0).compute(0.5).wait({1}).at_site(8);
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.time.value() == near(3));
  REQUIRE(p.sites.at(8)[0].total.value() == near(0.5 + alone(platform, 1000)));
}

TEST_CASE("threads of a rank reach their collectives in another order than in the real run") {
  using trace::CollectiveKind;
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).compute(2).icollective(CollectiveKind::barrier, 0, 1).numbered(0).wait({1});
  program.thread(0).compute(1).icollective(CollectiveKind::allreduce, 8, 2).numbered(1).wait({2});
  program.rank(1).icollective(CollectiveKind::barrier, 0, 1).icollective(CollectiveKind::allreduce, 8, 2).wait({1, 2});
  program.all_finalize();
  const sim::Prediction p = play(program, platform);
  REQUIRE(p.complete);
  REQUIRE(p.problems.empty());
  REQUIRE(p.time.value() > 2);
}

TEST_CASE("sixty-four ranks on one node") {
  const platform::LinkFigures loopback{BytesPerSecond(1e9), Seconds(1e-6), platform::Sharing::fatpipe};
  const platform::Platform platform = flat(1, kBandwidth, kLatency, 64, {}, loopback);
  platform::Placement placement;
  placement.host_of.assign(64, 0);
  for (int i = 0; i < 64; ++i) placement.core_of.push_back(i);
  Program program(64);
  write_busy_program(program, 2);
  const sim::Prediction p = sim::predict(program, platform, placement, {});
  REQUIRE(p.complete);
  REQUIRE(p.nodes_used == 1);
  REQUIRE(p.time.value() > 2 * 5e-3);
}

} // namespace whole_run_test
