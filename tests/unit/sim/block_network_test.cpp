// --network blocks: Proficz16 Table 1's times for messages between nodes, collectives and files.
#include "predictor/model/block_formulas.h"
#include "predictor/platform/builtin.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace block_network_test {

using namespace scenario;
using sim::Activity;
using trace::CollectiveKind;

namespace {

constexpr double kT = 3.7e-6, kK = 0.63e-9, kD = 2048;

platform::Platform cluster(int hosts) {
  platform::Platform platform = flat(hosts);
  platform.blocks[0] = model::BlockParameters{kT, kK, kD};
  platform.p2p.send_overhead = platform.p2p.receive_overhead = {platform::OverheadSection{0, 1.0, 0}}; // none is paid
  return platform;
}

sim::Options by_blocks() {
  sim::Options options;
  options.network = sim::NetworkModel::blocks;
  return options;
}

double message(double bytes) { return kT + kK * std::ceil(bytes / kD) * kD; }

Approx near(double value) { return Approx(value).epsilon(1e-9); }

} // namespace

TEST_CASE("Proficz16 Table 1: messages between nodes take their formula, whatever else is on the way") {
  constexpr int kRanks = 4;
  const double bytes = GENERATE(1.0, 2048.0, 2049.0, 1e6);
  Program program(kRanks);
  program.all_init();
  for (const int to : {1, 2, 3}) {
    program.rank(0).isend(to, bytes, static_cast<std::uint32_t>(to));
    program.rank(to).receive(0);
  }
  program.rank(0).wait({1, 2, 3});
  program.all_finalize();
  const sim::Prediction prediction = sim::predict(program, cluster(kRanks), one_per_host(kRanks), by_blocks());
  CHECK(prediction.complete);
  CHECK(prediction.time.value() == near(message(bytes)));
  CHECK(prediction.transport.blocks);
}

TEST_CASE("Soares16 eq. (5): messages between hosts take L, o and g of the slower network, at their size") {
  const auto with = [](std::vector<model::LogpNetwork::Row> rows) {
    auto processor = std::make_shared<platform::Processor>();
    processor->states = {{base::FlopsPerSecond(1e9), {}, {}}};
    processor->logp = *model::LogpNetwork::from_rows(std::move(rows));
    return processor;
  };
  platform::Platform platform = flat(4);
  platform.p2p.send_overhead = platform.p2p.receive_overhead = {platform::OverheadSection{0, 1.0, 0}}; // o is part of T
  // Two hosts of a cluster, and a device that is slow to reach but quick with large messages.
  platform.hosts[0].processor = platform.hosts[1].processor =
      with({{Bytes(0), Seconds(1e-6), Seconds(2e-6), Seconds(0)}, {Bytes(1000), Seconds(1e-6), Seconds(2e-6), Seconds(1e-4)}});
  platform.hosts[2].processor =
      with({{Bytes(0), Seconds(1e-5), Seconds(2e-6), Seconds(0)}, {Bytes(1000), Seconds(1e-5), Seconds(4e-6), Seconds(1e-6)}});
  const auto time = [&](int from, int to, double bytes) {
    Program program(4);
    program.all_init();
    program.rank(from).send(to, bytes);
    program.rank(to).receive(from);
    program.all_finalize();
    const sim::Prediction prediction = sim::predict(program, platform, one_per_host(4), by_blocks());
    CHECK(prediction.transport.logp);
    return prediction.time.value();
  };
  CHECK(time(0, 1, 1000) == near(103e-6));
  CHECK(time(0, 1, 500) == near(53e-6));
  CHECK(time(0, 1, 4000) == near(403e-6)); // beyond the table g goes on at its bandwidth
  CHECK(time(0, 2, 1) == near(1e-5 + 2e-6 + (2e-6 + 1e-6) / 1000));
  CHECK(time(2, 1, 1000) == near(103e-6));
  CHECK(time(3, 2, 1000) == near(15e-6)); // host 3 says nothing
  CHECK_FALSE(sim::check(platform, one_per_host(4), by_blocks()));
  CHECK(sim::check(platform, one_per_host(3), by_blocks()));
  platform.blocks[0] = model::BlockParameters{kT, kK, kD};
  CHECK(sim::check(platform, one_per_host(4), by_blocks()));
}

TEST_CASE("within a node messages are flows") {
  Program program(2);
  program.rank(0).init().send(1, 1e5).finalize();
  program.rank(1).init().receive(0).finalize();
  platform::Platform platform = flat(2, kBandwidth, kLatency, 2);
  platform.blocks[0] = model::BlockParameters{1.0, 0, kD};
  platform::Placement one_host = one_per_host(2);
  one_host.host_of = {0, 0};
  one_host.core_of = {0, 1};
  const double blocks = sim::predict(program, platform, one_host, by_blocks()).time.value();
  program.rewind();
  CHECK(blocks == sim::predict(program, platform, one_host, {}).time.value());
  CHECK(blocks < 1.0);
}

TEST_CASE("collectives with a formula take its time, others are messages, and are named") {
  constexpr int kRanks = 4;
  platform::Platform platform = cluster(kRanks);
  platform.blocks[1] = model::BlockParameters{1e-3, 1e-9, kD}; // broadcast
  const auto played = [&](CollectiveKind kind, const sim::Options& options) {
    Program program(kRanks);
    program.all_init();
    for (int rank = 0; rank < kRanks; ++rank) program.rank(rank).collective(kind, 5000);
    program.all_finalize();
    return sim::predict(program, platform, one_per_host(kRanks), options);
  };
  const sim::Prediction bcast = played(CollectiveKind::bcast, by_blocks());
  CHECK(bcast.time.value() == near(model::block_time(model::Block::broadcast, {1e-3, 1e-9, kD}, kRanks, 5000)));
  CHECK(bcast.assumptions.empty());
  const sim::Prediction allreduce = played(CollectiveKind::allreduce, by_blocks());
  REQUIRE(allreduce.assumptions.size() == 1);
  CHECK(std::get<sim::WithoutFormula>(allreduce.assumptions[0]).calls == std::vector<std::string>{"allreduce"});
  CHECK(allreduce.time.value() == near(2 * message(5000))); // recursive doubling: two messages after each other
  sim::Options named = by_blocks();                         // what the user names goes before
  named.collectives = *collective::parse_selection("bcast=binomial");
  CHECK(played(CollectiveKind::bcast, named).time.value() == near(2 * message(5000)));
}

TEST_CASE("Proficz16: files take the formulas of a network disk, also where no disk is known") {
  platform::Platform platform = cluster(1);
  platform.blocks[6] = model::BlockParameters{5e-3, 2e-9, kD};
  platform.blocks[7] = model::BlockParameters{1e-3, 4e-9, kD};
  Program program(1);
  program.rank(0).init().read(3000).took(1.0).write(5000).took(1.0).write(10, 3).wait({3}).finalize();
  const sim::Prediction prediction = sim::predict(program, platform, one_per_host(1), by_blocks());
  CHECK(prediction.time.value() == near(5e-3 + 2e-9 * 4096 + 1e-3 + 4e-9 * 6144 + 1e-3 + 4e-9 * 2048));
}

TEST_CASE("what block formulas need is said; the built-in platforms of the paper have it") {
  const platform::Placement placement = one_per_host(2);
  CHECK_THAT(sim::check(flat(2), placement, by_blocks()).error().message, Catch::Contains("farcast:block_p2p"));
  sim::Options both = by_blocks();
  both.p2p = sim::MessageModel::channel;
  CHECK_THAT(sim::check(cluster(2), placement, both).error().message, Catch::Contains("--p2p channel"));
  for (const char* name : {"galera+", "galera", "kask"}) {
    const auto platform = platform::find_platform(name);
    REQUIRE(platform);
    CHECK(sim::check(*platform, placement, by_blocks()));
    for (const auto& formula : platform->blocks) CHECK(formula.has_value());
  }
  const auto galera = platform::find_platform("galera");
  CHECK(galera->blocks[1]->start_s == -1.1e-6);
  CHECK(galera->blocks[5]->per_byte_s == 20.6e-6);
}

} // namespace block_network_test
