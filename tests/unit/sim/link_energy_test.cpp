// Energy of links: SimGrid's link_energy plugin in closed form, whatever carries the messages.
#include "predictor/sim/observer.h"

#include <catch2/catch.hpp>
#include <map>
#include <unit/sim/scenario.h>

namespace link_energy_test {

using namespace farcast;
using namespace scenario;

namespace {

constexpr int kRanks = 4;

Approx near(double value) { return Approx(value).epsilon(1e-9); }

// Host 3's links have no figures.
platform::Platform cluster(platform::TransportKind kind) {
  platform::Platform platform = flat(kRanks);
  platform.transport.kind = kind;
  for (platform::LinkId link = 0; link < platform.links.size(); ++link) {
    if (platform.links[link].name.find("_3_") == std::string::npos)
      platform.link_power[link] = {Watts(10.0 + link), Watts(30.0 + 3 * link)};
  }
  return platform;
}

void fill(Program& program) {
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) {
    const int next = (rank + 1) % kRanks;
    const int before = (rank + kRanks - 1) % kRanks;
    program.rank(rank).compute(1e-3 * (rank + 1)).send_receive(next, 300000, before, 6);
    program.rank(rank).collective(trace::CollectiveKind::allreduce, 80000);
  }
  program.rank(2).send(0, 1e6, 7);
  program.rank(0).receive(2, 7);
  program.all_finalize();
}

class Carried final : public sim::Observer {
public:
  [[nodiscard]] bool wants_links() const override { return true; }
  void link(const network::LinkUse& use) override { bytes[use.link] += use.bytes; }
  std::map<platform::LinkId, double> bytes;
};

} // namespace

TEST_CASE("one message over one way: idle for the whole time, busy as long as it is carried at full bandwidth") {
  platform::Platform platform = flat(3);
  for (platform::LinkId link = 0; link < platform.links.size(); ++link) platform.link_power[link] = {Watts(100), Watts(150)};
  platform.p2p.bandwidth_factor = {platform::FactorSection{0, 0.8}};
  Program program(3);
  program.all_init();
  program.rank(0).compute(2).send(1, 1e9);
  program.rank(1).receive(0);
  program.all_finalize();
  const sim::Prediction prediction = play(program, platform);
  REQUIRE(prediction.links.size() == 2); // there and nowhere else
  for (const auto& [link, energy] : prediction.links) {
    CHECK(energy.name == platform.links[link].name);
    CHECK(energy.idle.value() == near(100 * prediction.time.value()));
    CHECK(energy.carrying.value() == near(50 * (1e9 + platform.p2p.envelope_bytes) / 0.8 / kBandwidth));
    CHECK(energy.carried.value() == near((1e9 + platform.p2p.envelope_bytes) / 0.8));
  }
}

TEST_CASE("links that have figures draw what an observer sees them carry; nothing else changes") {
  const platform::TransportKind kind =
      GENERATE(platform::TransportKind::smpi, platform::TransportKind::tcp_openmpi, platform::TransportKind::rdma);
  const platform::Platform platform = cluster(kind);
  Program program(kRanks);
  fill(program);
  Carried carried;
  const sim::Prediction watched = sim::predict(program, platform, one_per_host(kRanks), sim::Options{}, nullptr, &carried);
  REQUIRE(watched.complete);
  REQUIRE(watched.links.size() == 6); // of the hosts 0 to 2, up and down
  for (const auto& [link, energy] : watched.links) {
    const double bytes = carried.bytes.at(link);
    CHECK(energy.carried.value() == near(bytes));
    CHECK(energy.idle.value() == near((10.0 + link) * watched.time.value()));
    CHECK(energy.carrying.value() == near((20.0 + 2 * link) * bytes / kBandwidth));
  }
  const sim::Prediction alone = play(program, platform);
  program.rewind();
  const sim::Prediction again = sim::predict(program, platform, one_per_host(kRanks), sim::Options{});
  CHECK(again.links.begin()->second.carrying == watched.links.begin()->second.carrying);
  platform::Platform without = platform;
  without.link_power.clear();
  const sim::Prediction plain = play(program, without);
  CHECK(plain.links.empty());
  CHECK(plain.time == alone.time);
  CHECK(plain.events == alone.events);
  for (std::size_t rank = 0; rank < kRanks; ++rank) CHECK(plain.ranks[rank].in == alone.ranks[rank].in);
}

} // namespace link_energy_test
