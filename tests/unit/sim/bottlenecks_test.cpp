// The critical path and the wait states: what they are in programs where one can see it, that they
// add up, and that the path says what a faster region is worth.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace bottlenecks_test {

using namespace scenario;
using sim::Activity;
using sim::PathPart;
using sim::WaitState;
using trace::CollectiveKind;

namespace {

constexpr double kBig = 1e6;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(1e-12); }

sim::Prediction play_for_bottlenecks(Program& program, const platform::Platform& platform, std::uint64_t seed = 0) {
  program.rewind();
  sim::Options options;
  options.preconnected = true;
  options.bottlenecks = true;
  options.seed = seed;
  return sim::predict(program, platform, one_per_host(program.ranks()), options);
}

double length_of(const sim::Bottlenecks& found) {
  double sum = 0;
  for (const auto& [part, time] : found.path) sum += time.value();
  return sum;
}

double path_of(const sim::Prediction& prediction, PathPart part, std::uint32_t index) {
  const auto at = prediction.bottlenecks->path.find({part, index});
  return at == prediction.bottlenecks->path.end() ? 0.0 : at->second.value();
}

double waits(const sim::Prediction& prediction, std::size_t rank, WaitState state) {
  return prediction.bottlenecks->ranks[rank][static_cast<std::size_t>(state)].value();
}

platform::Platform cluster(int ranks, platform::TransportKind kind) {
  platform::Platform platform = flat(ranks);
  platform.transport.kind = kind;
  platform.transport.eager_limit = 1000;
  platform.transport.socket_buffer = 50000;
  platform.transport.wakeup_latency = Seconds(3e-6);
  platform.p2p.send_overhead = {platform::OverheadSection{0, 1e-6, 1e-10}};
  platform.p2p.isend_overhead = platform.p2p.receive_overhead = platform.p2p.send_overhead;
  return platform;
}

platform::TransportKind any_kind() {
  return GENERATE(platform::TransportKind::smpi, platform::TransportKind::tcp_openmpi, platform::TransportKind::rdma);
}

// All kinds of calls, with regions 1 .. 4 that different ranks are slow in.
void fill(Program& program, const std::vector<double>& scale = {1, 1, 1, 1, 1}) {
  const int ranks = program.ranks();
  program.all_init();
  for (int rank = 0; rank < ranks; ++rank) {
    const int next = (rank + 1) % ranks;
    const int before = (rank + ranks - 1) % ranks;
    Script& script = program.rank(rank);
    for (int round = 0; round < 3; ++round) {
      script.compute(scale[1] * 1e-3 * (1 + (rank * 7 + round * 3) % 5)).ireceive(before, 1, 5).at_site(1, 1);
      script.isend(next, round == 0 ? 8 : kBig, 2, 5).at_site(2, 0);
      script.compute(scale[2] * 2e-3 * (1 + (rank * 5 + round) % 3)).wait({1, 2}).at_site(3, 2);
      script.send_receive(next, 3e5, before, 6).at_site(4, 0);
      script.compute(scale[3] * 1e-3 * (1 + (rank + round) % 4)).collective(CollectiveKind::allreduce, 8e4).at_site(5, 3);
    }
    script.icollective(CollectiveKind::bcast, 3e4, 3).at_site(6, 0);
    script.compute(scale[4] * 1e-3 * (rank + 1)).wait({3}).at_site(7, 4);
    if (rank == 0) script.send(1, 500, 7).at_site(8, 0).transfer(2, 100, 4000, 4).at_site(9, 0).wait({4}).at_site(7, 0);
    if (rank == 1) script.compute(5e-3).probe(0, 7).at_site(10, 0).receive(0, 7).at_site(11, 0);
    if (rank == 2) script.ireceive(2, 9, 1).isend(2, 0, 8, 1).wait({8, 9}).at_site(12, 0); // to itself
  }
  program.all_finalize();
}

} // namespace

TEST_CASE("the critical path is as long as the prediction, and each rank's wait states are its waiting") {
  const int ranks = GENERATE(3, 4, 8);
  Program program(ranks);
  fill(program);
  const platform::Platform platform = cluster(ranks, any_kind());
  const sim::Prediction prediction = play_for_bottlenecks(program, platform, GENERATE(0, 5));
  REQUIRE(prediction.bottlenecks);
  const sim::Bottlenecks& found = *prediction.bottlenecks;
  CHECK(length_of(found) == near(prediction.time.value()));
  sim::WaitTimes sum{}, of_sites{}, of_regions{};
  for (int rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    CHECK(waits(prediction, at, WaitState::late_sender) + waits(prediction, at, WaitState::late_receiver) +
              waits(prediction, at, WaitState::other) ==
          near(seconds(prediction, rank, Activity::waiting)));
    CHECK(waits(prediction, at, WaitState::collective) <= seconds(prediction, rank, Activity::collective) + 1e-12);
    for (std::size_t state = 0; state < sum.size(); ++state) sum[state] += found.ranks[at][state];
  }
  for (std::size_t state = 0; state < sum.size(); ++state) {
    for (const auto& [site, times] : found.sites) of_sites[state] += times[state];
    for (const auto& [region, times] : found.regions) of_regions[state] += times[state];
    CHECK(of_sites[state].value() == near(sum[state].value()));
    CHECK(of_regions[state].value() == near(sum[state].value()));
  }
  double computed = 0;
  for (const auto& [region, imbalance] : found.imbalance) computed += imbalance.mean.value() * ranks;
  double expected = 0;
  for (int rank = 0; rank < ranks; ++rank) expected += seconds(prediction, rank, Activity::compute);
  CHECK(computed == near(expected));
}

TEST_CASE("asking for bottlenecks changes no other figure") {
  Program program(4);
  fill(program);
  const platform::Platform platform = cluster(4, any_kind());
  const sim::Prediction with = play_for_bottlenecks(program, platform, 3);
  program.rewind();
  sim::Options options;
  options.preconnected = true;
  options.seed = 3;
  const sim::Prediction without = sim::predict(program, platform, one_per_host(4), options);
  CHECK_FALSE(without.bottlenecks);
  CHECK(with.time.value() == without.time.value());
  for (int rank = 0; rank < 4; ++rank)
    for (int i = 0; i < sim::kActivities; ++i)
      CHECK(seconds(with, rank, static_cast<Activity>(i)) == seconds(without, rank, static_cast<Activity>(i)));
}

TEST_CASE("a late sender: the path is its computation and the message") {
  const double bytes = GENERATE(8.0, kBig);
  Program program(2);
  program.all_init();
  program.rank(0).compute(1.0).send(1, bytes).at_site(1, 1);
  program.rank(1).compute(0.25).receive(0).at_site(2, 2);
  program.rank(1).compute(0.5).local(0).at_site(3, 3);
  program.all_finalize();
  const sim::Prediction prediction = play_for_bottlenecks(program, cluster(2, any_kind()));
  CHECK(path_of(prediction, PathPart::compute, 1) == near(1.0));
  CHECK(path_of(prediction, PathPart::compute, 2) == 0);
  CHECK(path_of(prediction, PathPart::compute, 3) == near(0.5));
  CHECK(path_of(prediction, PathPart::message, 1) > 0);
  CHECK(prediction.bottlenecks->path_on[0].value() == Approx(1.0).margin(1e-3));
  CHECK(waits(prediction, 1, WaitState::late_sender) == Approx(0.75).margin(1e-3));
  CHECK(prediction.bottlenecks->sites.at(2)[static_cast<std::size_t>(WaitState::late_sender)].value() ==
        Approx(0.75).margin(1e-3));
  CHECK(prediction.bottlenecks->regions.contains(2));
}

TEST_CASE("a late receiver: the path is its computation, for a message that needs it") {
  Program program(2);
  program.all_init();
  program.rank(0).compute(0.25).send(1, kBig, 0, trace::SendMode::synchronous).at_site(1, 1);
  program.rank(0).compute(0.5).local(0).at_site(3, 3);
  program.rank(1).compute(1.0).receive(0).at_site(2, 2);
  program.all_finalize();
  const sim::Prediction prediction = play_for_bottlenecks(program, cluster(2, any_kind()));
  CHECK(path_of(prediction, PathPart::compute, 1) == 0);
  CHECK(path_of(prediction, PathPart::compute, 2) == near(1.0));
  CHECK(path_of(prediction, PathPart::compute, 3) == near(0.5));
  CHECK(waits(prediction, 0, WaitState::late_receiver) == Approx(0.75).margin(1e-3));
  CHECK(waits(prediction, 1, WaitState::late_sender) == Approx(0).margin(1e-5)); // until it has read the request to send
}

TEST_CASE("an early message that nobody waits for is on no path") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, 8).at_site(1, 1);
  program.rank(1).compute(1.0).receive(0).at_site(2, 2);
  program.all_finalize();
  const sim::Prediction prediction = play_for_bottlenecks(program, cluster(2, any_kind()));
  CHECK(path_of(prediction, PathPart::compute, 2) == near(1.0));
  CHECK(path_of(prediction, PathPart::message, 1) == 0);
}

TEST_CASE("collectives: members wait for those whose data they need, and not for the others") {
  struct Expected {
    CollectiveKind kind;
    int late;
    std::vector<double> waits; // [rank]
  };
  const Expected expected = GENERATE(
      Expected{CollectiveKind::barrier, 2, {1, 1, 0, 1}}, Expected{CollectiveKind::allreduce, 0, {0, 1, 1, 1}},
      Expected{CollectiveKind::bcast, 1, {1, 0, 1, 1}}, Expected{CollectiveKind::bcast, 0, {0, 0, 0, 0}}, // the root is 1
      Expected{CollectiveKind::reduce, 3, {0, 1, 0, 0}}, Expected{CollectiveKind::scan, 2, {0, 0, 0, 1}});
  Program program(4);
  program.all_init();
  for (int rank = 0; rank < 4; ++rank)
    program.rank(rank).compute(rank == expected.late ? 2.0 : 1.0).collective(expected.kind, 8, 1).at_site(1, 1);
  program.all_finalize();
  const sim::Prediction prediction = play_for_bottlenecks(program, cluster(4, any_kind()));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const double waited = waits(prediction, rank, WaitState::collective);
    // Who needs one message of an early partner alone may be through before the late one comes.
    const bool may_leave_early = expected.kind == CollectiveKind::scan;
    if (expected.waits[rank] == 0 || !may_leave_early) CHECK(waited == Approx(expected.waits[rank]).margin(1e-9));
  }
  CHECK(path_of(prediction, PathPart::compute, 1) == near(2.0));
  CHECK(length_of(*prediction.bottlenecks) == near(prediction.time.value()));
}

TEST_CASE("what a region's share of the path says is what the prediction gains where it is faster") {
  constexpr double kFaster = 1e-7;
  // Over TCP the segments of a message wait in queues for those of others, which its path does not tell.
  const platform::TransportKind kind = GENERATE(platform::TransportKind::smpi, platform::TransportKind::rdma);
  const platform::Platform platform = cluster(4, kind);
  Program program(4);
  fill(program);
  const sim::Prediction before = play_for_bottlenecks(program, platform);
  double all = 0;
  for (std::uint32_t region = 1; region <= 4; ++region) {
    std::vector<double> scale(5, 1.0);
    scale[region] = 1 - kFaster;
    Program faster(4);
    fill(faster, scale);
    const double gain = (before.time.value() - play_for_bottlenecks(faster, platform).time.value()) / kFaster;
    INFO("region " << region);
    CHECK(gain == Approx(path_of(before, PathPart::compute, region)).margin(2e-5));
    all += gain;
  }
  CHECK(all > 0.2 * before.time.value());
}

} // namespace bottlenecks_test
