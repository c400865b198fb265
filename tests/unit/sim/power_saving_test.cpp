// Collectives at a lower clock or throttled, and waits without a core: against the papers' formulas
// in model/.
#include "predictor/model/blocking_wait.h"
#include "predictor/model/collective_power.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

using namespace scenario;
using sim::Activity;
using sim::CollectivePolicy;
using trace::CollectiveKind;

namespace {

constexpr int kNodes = 2;
constexpr int kCores = 4;
constexpr int kRanks = kNodes * kCores;
constexpr double kDvfs = 12e-6;
constexpr double kThrottle = 10e-6;
constexpr double kPolling = 180; // W of the whole node
constexpr double kSlowed = 140;
constexpr double kStatic = 100;

// Calls cost their messages alone, so that what a policy adds can be told to the last bit.
platform::Platform nodes() {
  platform::Platform platform = flat(kNodes, kBandwidth, kLatency, kCores);
  platform.p2p.loopback_latency = Seconds(1e-6);
  const platform::NodePower fast{Watts(90), Watts(kStatic), Watts(200), Watts(kPolling), Watts(160), false};
  const platform::NodePower slow{Watts(90), Watts(kStatic), Watts(150), Watts(kSlowed), Watts(130), false};
  auto processor = std::make_shared<platform::Processor>();
  processor->states = {{base::FlopsPerSecond(2e9), {}, fast}, {base::FlopsPerSecond(1e9), {}, slow}};
  processor->saving.sockets = 2;
  processor->saving.dvfs_latency = Seconds(kDvfs);
  processor->saving.throttle_latency = Seconds(kThrottle);
  for (platform::Host& host : platform.hosts) {
    host.power = fast;
    host.processor = processor;
  }
  return platform;
}

platform::Placement filled() {
  platform::Placement placement;
  for (int rank = 0; rank < kRanks; ++rank) {
    placement.host_of.push_back(static_cast<platform::HostId>(rank / kCores));
    placement.core_of.push_back(rank % kCores);
  }
  return placement;
}

sim::Prediction played(CollectiveKind kind, CollectivePolicy policy, const platform::Platform& platform,
                       const std::string& collectives = "openmpi") {
  Program program(kRanks);
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) program.rank(rank).collective(kind, 100000);
  program.all_finalize();
  sim::Options options;
  options.policy = policy;
  options.collectives = collective::parse_selection(collectives).value();
  return sim::predict(program, platform, filled(), options);
}

Approx near(double value) { return Approx(value).epsilon(1e-9); }

// The time and the mean power of all nodes but for what an idle core saves: ranks leave a bcast one
// after another, so that watts are compared of a call that all leave together.
double watts(const sim::Prediction& prediction) { return prediction.energy->value() / prediction.time.value(); }

} // namespace

TEST_CASE("Kandalla10 eq. (3), (5) to (7): an alltoall by policy") {
  const platform::Platform platform = nodes();
  const sim::Prediction usual = played(CollectiveKind::alltoall, CollectivePolicy::none, platform);
  const sim::Prediction dvfs = played(CollectiveKind::alltoall, CollectivePolicy::dvfs, platform);
  const sim::Prediction throttled = played(CollectiveKind::alltoall, CollectivePolicy::throttle, platform);
  CHECK(dvfs.time.value() == near(usual.time.value() + 2 * kDvfs));
  // Throttled, the messages are those of the four phases; with an algorithm by name they stay its own.
  const sim::Prediction phases = played(CollectiveKind::alltoall, CollectivePolicy::none, platform, "alltoall=four_phase");
  CHECK(phases.time > usual.time);
  CHECK(throttled.time.value() == near(phases.time.value() + 2 * kDvfs + kNodes * kThrottle));
  const sim::Prediction named = played(CollectiveKind::alltoall, CollectivePolicy::throttle, platform, "alltoall=linear");
  const sim::Prediction linear = played(CollectiveKind::alltoall, CollectivePolicy::none, platform, "alltoall=linear");
  CHECK(named.time.value() == near(linear.time.value() + 2 * kDvfs + kNodes * kThrottle));
  // Ranks leave within some of the last messages' time: until then their cores are idle.
  CHECK(watts(usual) == Approx(kNodes * kPolling).epsilon(0.05));
  CHECK(watts(dvfs) == Approx(kNodes * kSlowed).epsilon(0.05));
  const double share =
      model::dynamic_share(model::PowerScheme::throttled_alltoall, {kNodes, kCores, 2, base::BytesPerSecond(1), 1.0});
  CHECK(watts(throttled) == Approx(kNodes * (kStatic + share * (kSlowed - kStatic))).epsilon(0.05));
  CHECK(watts(throttled) < watts(dvfs));
  CHECK(dvfs.energy_parts.computing.value() == 0.0);
}

TEST_CASE("Kandalla10 eq. (4), (8): a reduction with its leaders throttled, by sockets and by cores") {
  const platform::Platform platform = nodes();
  const sim::Prediction dvfs = played(CollectiveKind::reduce, CollectivePolicy::dvfs, platform);
  const sim::Prediction sockets = played(CollectiveKind::reduce, CollectivePolicy::throttle, platform);
  const sim::Prediction cores = played(CollectiveKind::reduce, CollectivePolicy::core_throttle, platform);
  CHECK(sockets.time.value() == near(dvfs.time.value() + 2 * kThrottle));
  CHECK(cores.time.value() == near(dvfs.time.value() + 2 * kThrottle));
  // What a core in the call draws: the leader's alone is not throttled, against two of four in T4.
  const base::Joules of_cores = cores.energy_parts.polling, of_sockets = sockets.energy_parts.polling;
  CHECK(of_sockets < dvfs.energy_parts.polling);
  CHECK(of_cores < dvfs.energy_parts.polling);
  CHECK(of_cores != of_sockets);
}

TEST_CASE("overheads inside a call take as much longer as the clock is slower, twice that with throttled leaders") {
  platform::Platform platform = nodes();
  platform.p2p.send_overhead = {platform::OverheadSection{0, 1e-3, 0}};
  platform.p2p.isend_overhead = platform.p2p.receive_overhead = platform.p2p.send_overhead;
  // A bcast to the ranks' neighbours is a chain of overheads and of messages: what is not overhead
  // stays.
  const auto time = [&](CollectivePolicy policy) { return played(CollectiveKind::bcast, policy, platform).time.value(); };
  const double usual = time(CollectivePolicy::none);
  const double slower = time(CollectivePolicy::dvfs) - 2 * kDvfs - usual;
  CHECK(slower >= 1e-3);
  CHECK(time(CollectivePolicy::throttle) - 2 * kDvfs - 2 * kThrottle - usual == Approx(3 * slower).epsilon(0.01));
  CHECK(time(CollectivePolicy::core_throttle) - 2 * kDvfs - 2 * kThrottle - usual == Approx(slower).epsilon(0.01));
}

TEST_CASE("calls within a node, of other kinds and without blocking save by the clock alone") {
  const platform::Platform platform = nodes();
  for (const CollectiveKind kind : {CollectiveKind::allreduce, CollectiveKind::barrier})
    CHECK(played(kind, CollectivePolicy::throttle, platform).time == played(kind, CollectivePolicy::dvfs, platform).time);
  Program program(2);
  program.all_init();
  for (int rank = 0; rank < 2; ++rank) program.rank(rank).icollective(CollectiveKind::bcast, 1000, 1).wait({1});
  program.all_finalize();
  sim::Options dvfs;
  dvfs.policy = CollectivePolicy::dvfs;
  const sim::Prediction saved = sim::predict(program, platform, one_per_host(2), dvfs);
  program.rewind();
  CHECK(saved.time == sim::predict(program, platform, one_per_host(2), {}).time);
}

TEST_CASE("Kandalla10 II-C: a wait without its core, with both message layers") {
  platform::Platform platform = nodes();
  constexpr double kComputes = 5e-3;
  const auto kind = GENERATE(platform::TransportKind::smpi, platform::TransportKind::rdma);
  const double spin = GENERATE(0.0, 1e-3, 1.0);
  platform.transport.kind = kind;
  platform.transport.blocking_spin = Seconds(spin);
  platform.transport.blocking_wakeup = Seconds(70e-6);
  Program program(2);
  program.rank(0).init().compute(kComputes).send(1, 8).finalize();
  program.rank(1).init().receive(0).finalize();
  const auto asked = [&](sim::WaitMode mode) {
    program.rewind();
    sim::Options options;
    options.wait = mode;
    return sim::predict(program, platform, one_per_host(2), options);
  };
  const sim::Prediction polled = asked(sim::WaitMode::poll);
  const sim::Prediction blocked = asked(sim::WaitMode::block);
  const base::Seconds waited = polled.time;
  const base::Watts polling = Watts((kPolling - kStatic) / kCores),
                    idle = Watts(90 - kStatic); // a lone core's, with the static part
  const model::Wait expected = model::blocking_wait(waited, {Seconds(spin), Seconds(70e-6)}, polling, idle);
  CHECK(blocked.time.value() == near(expected.time.value()));
  // The receiver's node has one rank: static and polling while that polls, else idle.
  CHECK(blocked.nodes[1].total.value() == near((Watts(kStatic) * expected.time + expected.energy).value()));
  CHECK(polled.nodes[1].total.value() == near((Watts(kStatic) * waited + polling * waited).value()));
  if (spin == 1.0) CHECK(blocked.time == polled.time);
}

TEST_CASE("with progress at any time a process without its core is woken once, when all that it waits for is there") {
  platform::Platform platform = nodes();
  platform.transport.kind = platform::TransportKind::rdma;
  platform.transport.eager_limit = 1000; // three fragments come to the receiver, and one to the sender
  platform.transport.blocking_wakeup = Seconds(70e-6);
  Program program(2);
  program.rank(0).init().compute(5e-3).send(1, 1e5).finalize();
  program.rank(1).init().receive(0).finalize();
  const auto time = [&](sim::WaitMode mode, sim::ProgressRule rule) {
    program.rewind();
    sim::Options options;
    options.wait = mode;
    options.progress = rule;
    return sim::predict(program, platform, one_per_host(2), options).time.value();
  };
  const auto later = [&](sim::ProgressRule rule) {
    return (time(sim::WaitMode::block, rule) - time(sim::WaitMode::poll, rule)) / 70e-6;
  };
  CHECK(later(sim::ProgressRule::async) == Approx(1.0).epsilon(1e-6));
  CHECK(later(sim::ProgressRule::in_call) > 1.9); // the request, the answer, and the data each wake somebody
}

TEST_CASE("what is there already, and a loop of MPI_Test, is not waited for without a core") {
  platform::Platform platform = nodes();
  platform.p2p.eager_flow_below_bytes = 1000;
  platform.transport.blocking_wakeup = Seconds(1.0);
  Program program(2);
  program.rank(0).init().send(1, 8, 1).compute(1e-3).send(1, 8, 2).finalize();
  program.rank(1).init().compute(5e-4).receive(0, 1).ireceive(0, 5, 2).wait({5}, true).finalize();
  sim::Options options;
  options.wait = sim::WaitMode::block;
  CHECK(sim::predict(program, platform, one_per_host(2), options).time < Seconds(0.1));
}
