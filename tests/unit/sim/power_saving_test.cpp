// Collectives at a lower clock or throttled, and waits without a core: against the papers' formulas
// in model/.
#include "predictor/model/blocking_wait.h"
#include "predictor/model/collective_power.h"
#include "predictor/sim/observer.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <map>
#include <utility>

namespace power_saving_test {

using namespace scenario;
using energy::CoreState;
using sim::Activity;
using sim::CollectivePolicy;
using trace::CollectiveKind;

namespace {

constexpr int kNodes = 2;
constexpr int kCores = 4;
constexpr double kDvfs = 12e-6;
constexpr double kThrottle = 10e-6;
constexpr double kPolling = 180; // W of the whole node
constexpr double kSlowed = 140;
constexpr double kStatic = 100;

// Calls cost their messages alone, so that what a policy adds can be told to the last bit.
platform::Platform nodes(int count = kNodes, std::optional<platform::LinkFigures> loopback = {}) {
  platform::Platform platform = flat(count, kBandwidth, kLatency, kCores, {}, loopback);
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

platform::Placement filled(int ranks) {
  platform::Placement placement;
  for (int rank = 0; rank < ranks; ++rank) {
    placement.host_of.push_back(static_cast<platform::HostId>(rank / kCores));
    placement.core_of.push_back(rank % kCores);
  }
  return placement;
}

// How long each rank's core is in which state.
class CoreTimes : public sim::Observer {
public:
  void core(const sim::CoreChange& change) override {
    State& state = states_[change.rank];
    seconds_[{change.rank, state.what}] += change.time - state.since;
    state = {change.state, change.time};
  }
  [[nodiscard]] double seconds(std::uint32_t rank, CoreState state) const {
    const auto found = seconds_.find({rank, state});
    return found == seconds_.end() ? 0 : found->second;
  }

private:
  struct State {
    CoreState what = CoreState::idle;
    double since = 0;
  };
  std::map<std::uint32_t, State> states_;
  std::map<std::pair<std::uint32_t, CoreState>, double> seconds_;
};

sim::Prediction played(CollectiveKind kind, CollectivePolicy policy, const platform::Platform& platform,
                       const std::string& collectives = "openmpi", CoreTimes* times = nullptr, double bytes = 100000) {
  const int ranks = static_cast<int>(platform.hosts.size()) * kCores;
  Program program(ranks);
  program.all_init();
  for (int rank = 0; rank < ranks; ++rank) program.rank(rank).collective(kind, bytes);
  program.all_finalize();
  sim::Options options;
  options.policy = policy;
  options.collectives = collective::parse_selection(collectives).value();
  return sim::predict(program, platform, filled(ranks), options, nullptr, times);
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
  // By another algorithm each core counts as throttled for half of the call, as eq. (7) has it.
  const double share =
      model::dynamic_share(model::PowerScheme::throttled_alltoall, {kNodes, kCores, 2, base::BytesPerSecond(1), 1.0});
  CHECK(watts(named) == Approx(kNodes * (kStatic + share * (kSlowed - kStatic))).epsilon(0.05));
  CHECK(watts(throttled) < watts(dvfs));
  CHECK(dvfs.energy_parts.computing.value() == 0.0);
}

TEST_CASE("Kandalla10 V-A: by four phases a core is in T7 for just as long as the other half communicates") {
  const platform::Platform platform = nodes();
  CoreTimes slowed, throttled;
  played(CollectiveKind::alltoall, CollectivePolicy::dvfs, platform, "alltoall=four_phase", &slowed);
  const sim::Prediction prediction =
      played(CollectiveKind::alltoall, CollectivePolicy::throttle, platform, "openmpi", &throttled);
  // On the first node A rests in phase 3, B in phase 2 and in the first half of phase 4; A is done
  // with the other half of it.
  const double rests_a = throttled.seconds(0, CoreState::throttled_t7), rests_b = throttled.seconds(2, CoreState::throttled_t7);
  CHECK(rests_a > 0.1 * prediction.time.value());
  CHECK(rests_b > 1.5 * rests_a);
  CHECK(rests_b < 0.5 * prediction.time.value()); // nobody rests in phase 1
  for (const std::uint32_t rank : {0U, 2U})
    CHECK(throttled.seconds(rank, CoreState::throttled_t7) + throttled.seconds(rank, CoreState::slowed) ==
          near(slowed.seconds(rank, CoreState::slowed) + kNodes * kThrottle));
}

TEST_CASE("Kandalla10 eq. (2), (4), (8): a bcast whose leaders alone communicate between nodes, throttled meanwhile") {
  // Within a node: no time, by VI.
  const platform::Platform platform = nodes(8, platform::LinkFigures{base::BytesPerSecond(1e15), Seconds(1e-12)});
  constexpr double kBytes = 8e6;
  const auto bcast = [&](CollectivePolicy policy, const std::string& collectives, CoreTimes* times = nullptr) {
    return played(CollectiveKind::bcast, policy, platform, collectives, times, kBytes);
  };
  const sim::Prediction plain = bcast(CollectivePolicy::none, "bcast=node_leaders");
  // Eq. (2) with the allgather of blocks of M / N: a scatter of M (1/2 + 1/4 + 1/8), then 7 of M /
  // 8, each a message alone.
  double by_hand = 0;
  for (const double part : {1.0 / 2, 1.0 / 4, 1.0 / 8}) by_hand += alone(platform, part * kBytes);
  by_hand += 7 * alone(platform, kBytes / 8);
  CHECK(plain.time.value() == Approx(by_hand).epsilon(1e-6));
  CoreTimes sockets, cores;
  const sim::Prediction throttled = bcast(CollectivePolicy::throttle, "openmpi", &sockets);
  CHECK(throttled.time.value() == near(plain.time.value() + 2 * kDvfs + 2 * kThrottle));
  CHECK(bcast(CollectivePolicy::core_throttle, "openmpi", &cores).time == throttled.time);
  // While leaders communicate: their socket in T4, the other in T7; the leader's core alone not
  // throttled; all else slowed.
  const double between_nodes = plain.time.value() + kThrottle;
  for (const std::uint32_t rank : {0U, 1U})
    CHECK(sockets.seconds(rank, CoreState::throttled_t4) == Approx(between_nodes).epsilon(1e-2));
  for (const std::uint32_t rank : {2U, 3U})
    CHECK(sockets.seconds(rank, CoreState::throttled_t7) == Approx(between_nodes).epsilon(1e-2));
  CHECK(cores.seconds(0, CoreState::throttled_t4) + cores.seconds(0, CoreState::throttled_t7) == 0.0);
  for (const std::uint32_t rank : {1U, 2U, 3U})
    CHECK(cores.seconds(rank, CoreState::throttled_t7) == Approx(between_nodes).epsilon(1e-2));
  const double share = model::dynamic_share(model::PowerScheme::leader_sockets, {8, kCores, 2, base::BytesPerSecond(1), 1.0});
  CHECK(watts(throttled) == Approx(8 * (kStatic + share * (kSlowed - kStatic))).epsilon(1e-2));
}

TEST_CASE("Kandalla10 eq. (4), (8): a reduction with its leaders throttled, by sockets and by cores") {
  const platform::Platform platform = nodes();
  const sim::Prediction dvfs = played(CollectiveKind::reduce, CollectivePolicy::dvfs, platform, "reduce=node_leaders");
  const sim::Prediction sockets = played(CollectiveKind::reduce, CollectivePolicy::throttle, platform);
  const sim::Prediction cores = played(CollectiveKind::reduce, CollectivePolicy::core_throttle, platform);
  CHECK(sockets.time.value() == near(dvfs.time.value() + 2 * kThrottle));
  CHECK(cores.time.value() == near(dvfs.time.value() + 2 * kThrottle));
  // What a core in the call draws: the leader's alone is not throttled, against two of four in T4.
  const base::Joules of_cores = cores.energy_parts.polling, of_sockets = sockets.energy_parts.polling;
  CHECK(of_sockets < dvfs.energy_parts.polling);
  CHECK(of_cores < dvfs.energy_parts.polling);
  CHECK(of_cores != of_sockets);
  // By another algorithm the whole call is taken for the phase between nodes.
  const sim::Prediction linear = played(CollectiveKind::reduce, CollectivePolicy::dvfs, platform, "reduce=linear");
  const sim::Prediction named = played(CollectiveKind::reduce, CollectivePolicy::throttle, platform, "reduce=linear");
  CHECK(named.time.value() == near(linear.time.value() + 2 * kThrottle));
}

TEST_CASE("overheads inside a call take as much longer as the clock is slower, twice that with throttled leaders") {
  platform::Platform platform = nodes();
  platform.p2p.send_overhead = {platform::OverheadSection{0, 1e-3, 0}};
  platform.p2p.isend_overhead = platform.p2p.receive_overhead = platform.p2p.send_overhead;
  // Small messages: each costs its sender and its receiver an overhead. By an algorithm without
  // phases the whole call is throttled, else the leaders' part of it.
  const auto longer = [&](CollectivePolicy policy, const std::string& how) {
    const auto time = [&](CollectivePolicy by) {
      return played(CollectiveKind::bcast, by, platform, how, nullptr, 30000).time.value();
    };
    return time(policy) - 2 * kDvfs - (policy == CollectivePolicy::dvfs ? 0 : 2 * kThrottle) - time(CollectivePolicy::none);
  };
  const double slower = longer(CollectivePolicy::dvfs, "bcast=basic_linear");
  CHECK(slower >= 7e-3);
  CHECK(longer(CollectivePolicy::throttle, "bcast=basic_linear") == Approx(3 * slower).epsilon(0.01));
  CHECK(longer(CollectivePolicy::core_throttle, "bcast=basic_linear") == Approx(slower).epsilon(0.01));
  const double phased = longer(CollectivePolicy::dvfs, "bcast=node_leaders");
  CHECK(phased >= 2e-3);
  CHECK(longer(CollectivePolicy::core_throttle, "bcast=node_leaders") == Approx(phased).epsilon(0.01));
  // One message between two leaders, sent and received: two overheads of 1 ms at half the clock and
  // half the cycles.
  CHECK(longer(CollectivePolicy::throttle, "bcast=node_leaders") == Approx(phased + 2 * 2e-3).epsilon(0.01));
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

} // namespace power_saving_test
