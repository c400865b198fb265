// Power over time adds up to the joules of the prediction: over nodes, and over ranks with what
// nodes draw beside them.
#include "predictor/sim/power_series.h"

#include <catch2/catch.hpp>
#include <map>
#include <tuple>
#include <unit/sim/scenario.h>

namespace power_series_test {

using namespace farcast;
using namespace scenario;
using energy::CoreState;
using energy::Step;

namespace {

constexpr int kRanks = 6;
constexpr int kNodes = 3; // two ranks of two cores each
constexpr int kCores = 4;

Approx near(double value) { return Approx(value).epsilon(1e-9); }

// 90 W idle, else 100 W and per core 25 W computing, 20 W polling, 15 W probing; node 1 half of it.
platform::Platform cluster(platform::TransportKind kind) {
  platform::Platform platform = flat(kNodes, kBandwidth, kLatency, kCores);
  platform.transport.kind = kind;
  for (platform::Host& host : platform.hosts)
    host.power = platform::NodePower{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  platform.hosts[0].power->all_memory = Watts(150);
  platform.hosts[1].power = platform::NodePower{Watts(45), Watts(50), Watts(100), Watts(90), Watts(80), false};
  const platform::NodePower slow{Watts(40), Watts(50), Watts(80), Watts(74), Watts(70), false}; // for collectives that save power
  auto processor = std::make_shared<platform::Processor>();
  processor->states = {{base::FlopsPerSecond(2e9), {}, platform.hosts[0].power}, {base::FlopsPerSecond(1e9), {}, slow}};
  processor->saving.dvfs_latency = Seconds(12e-6);
  processor->saving.throttle_latency = Seconds(10e-6);
  for (platform::Host& host : platform.hosts) host.processor = processor;
  return platform;
}

platform::Placement two_per_host() {
  platform::Placement placement;
  for (int rank = 0; rank < kRanks; ++rank) {
    placement.host_of.push_back(static_cast<platform::HostId>(rank / 2));
    placement.core_of.push_back(rank % 2 * 2);
  }
  placement.cpus_per_rank = 2;
  return placement;
}

// Threads of the ranks 1 (within its cores) and 3 (more than it has).
void fill(Program& program, int rounds) {
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) {
    const int next = (rank + 1) % kRanks;
    const int before = (rank + kRanks - 1) % kRanks;
    Script& script = program.rank(rank);
    for (int round = 0; round < rounds; ++round) {
      script.compute(1e-3 * (rank + 1 + round % 3)).send_receive(next, round % 2 == 0 ? 8000.0 : 300000.0, before, 6);
      if (rank % 2 == 1) script.memory_bound();
      if (rank == 1) script.took(2e-3).beside(7e-4, 3e-4);
      if (rank == 3) script.took(2e-3).beside(2e-2, 1e-3);
      script.polls(5, 1e-4).collective(trace::CollectiveKind::allreduce, 8);
    }
    if (rank == 2) script.local(2e-3);
  }
  program.all_finalize();
}

// Adds up the joules that each rank's cores make of what they do.
class RanksBeside final : public sim::Observer {
public:
  RanksBeside(const platform::Platform& platform, sim::PowerSeries& series) : platform_(platform), series_(series) {}
  void core(const sim::CoreChange& change) override {
    series_.core(change);
    auto& [state, since] = last_[change.rank];
    joules[change.rank] += watts(change.rank, state) * (change.time - since);
    state = change.state;
    since = change.time;
  }
  void other_threads(const sim::OtherThreads& use) override {
    series_.other_threads(use);
    CHECK(use.end >= use.begin);
  }
  void concluded(const sim::Prediction& prediction) override {
    series_.concluded(prediction);
    for (std::uint32_t rank = 0; rank < prediction.other_threads.size(); ++rank)
      joules[rank] += watts(rank, CoreState::computing) * prediction.other_threads[rank].value();
    for (const auto& [rank, last] : last_) CHECK(last.first == CoreState::idle);
  }
  std::map<std::uint32_t, double> joules; // of a rank's cores, beside what its node draws anyway

private:
  [[nodiscard]] double watts(std::uint32_t rank, CoreState state) const {
    return energy::dynamic_power(platform_.hosts[rank / 2], state).value();
  }
  const platform::Platform& platform_;
  sim::PowerSeries& series_;
  std::map<std::uint32_t, std::pair<CoreState, double>> last_;
};

// The joules of ranks, and of regions and calls, are those of the nodes but for what is idle.
void check_shares(const sim::Prediction& prediction, const platform::Platform& platform,
                  const std::map<std::uint32_t, double>& beside) {
  const double idle = prediction.idle_energy.value();
  double of_ranks = 0, of_sites = 0, of_regions = 0;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    of_ranks += prediction.ranks[rank].energy.value();
    CHECK(prediction.ranks[rank].energy.value() > beside.at(rank)); // and a part of what its node draws anyway
  }
  for (const auto& [site, by_rank] : prediction.sites)
    for (const sim::SiteTimes& one : by_rank) of_sites += one.energy.value();
  for (const auto& [region, one] : prediction.regions) of_regions += one.energy.value();
  CHECK(of_ranks + idle == near(prediction.energy.value().value()));
  CHECK(of_sites + of_regions == near(of_ranks));
  CHECK(of_sites > 0);
  CHECK(of_regions > 0);
  double idle_by_nodes = 0;
  for (const sim::NodeEnergy& node : prediction.nodes)
    idle_by_nodes += platform.hosts[node.host].power->idle.value() * node.idle.value();
  CHECK(idle == near(idle_by_nodes));
}

} // namespace

TEST_CASE("the integral of the power is the energy of the nodes, and of the ranks with what is idle") {
  const platform::Platform platform =
      cluster(GENERATE(platform::TransportKind::smpi, platform::TransportKind::tcp_openmpi, platform::TransportKind::rdma));
  const std::size_t most = GENERATE(2U, 10U, 100U, 1000000U);
  const int rounds = GENERATE(1, 300);
  sim::Options options;
  std::tie(options.policy, options.wait) =
      GENERATE(table<sim::CollectivePolicy, sim::WaitMode>({{sim::CollectivePolicy::none, sim::WaitMode::poll},
                                                            {sim::CollectivePolicy::none, sim::WaitMode::block},
                                                            {sim::CollectivePolicy::dvfs, sim::WaitMode::poll},
                                                            {sim::CollectivePolicy::throttle, sim::WaitMode::poll}}));
  const platform::Placement placement = two_per_host();
  sim::PowerSeries series(platform, placement, most);
  RanksBeside beside(platform, series);
  Program program(kRanks);
  fill(program, rounds);
  const sim::Prediction prediction = sim::predict(program, platform, placement, options, nullptr, &beside);
  REQUIRE(prediction.complete);
  REQUIRE(prediction.other_threads.size() == kRanks);
  CHECK(prediction.other_threads[1].value() > 0);
  CHECK(prediction.other_threads[3].value() == near(prediction.time.value())); // all that it has
  const double end = prediction.time.value();
  CHECK(series.end_s() == end);

  double over_nodes = 0;
  REQUIRE(series.nodes().size() == kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) {
    const sim::PowerSeries::Node& node = series.nodes()[i];
    CHECK(node.name == platform.hosts[i].name);
    CHECK(node.watts.size() <= most);
    const double joules = energy::integral_of(node.watts, end);
    CHECK(joules == near(prediction.nodes[i].total.value()));
    over_nodes += joules;
    for (const Step& step : node.watts) CHECK(step.value >= (i == 1 ? 45 : 90) * (1 - 1e-9));
  }
  CHECK(over_nodes == near(prediction.energy.value().value()));
  CHECK(series.sum().size() <= most);
  CHECK(energy::integral_of(series.sum(), end) == near(over_nodes));

  double over_ranks = 0;
  for (const auto& [rank, joules] : beside.joules) over_ranks += joules;
  CHECK(over_ranks + prediction.energy_parts.baseline.value() == near(over_nodes));
  check_shares(prediction, platform, beside.joules);
}

TEST_CASE("steps stand where cores change") {
  const platform::Platform platform = cluster(platform::TransportKind::smpi);
  const platform::Placement placement = two_per_host();
  Program program(kRanks);
  program.all_init();
  program.rank(0).compute(2);
  program.rank(1).compute(1).local(0).beside(0.5).compute(4);
  program.all_finalize();
  sim::PowerSeries series(platform, placement, 100);
  sim::predict(program, platform, placement, sim::Options{}, nullptr, &series);
  // Beside rank 1's first second a thread has half a core.
  const std::vector<Step> expected{{0, 162.5}, {1, 150}, {2, 125}};
  const std::vector<Step>& found = series.nodes()[0].watts;
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found[i].begin == Approx(expected[i].begin));
    CHECK(found[i].value == Approx(expected[i].value));
  }
  CHECK(series.end_s() == Approx(5));
  REQUIRE(series.nodes()[1].watts.size() == 1);
  CHECK(series.nodes()[1].watts[0].value == Approx(45));
  CHECK(series.sum()[0].value == Approx(162.5 + 45 + 90));
}

} // namespace power_series_test
