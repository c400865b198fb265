// What an observer is told adds up to what the prediction says, whatever carries the messages.
#include "predictor/sim/observer.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

namespace observer_test {

using namespace scenario;
using sim::Activity;
using trace::CollectiveKind;

namespace {

constexpr int kRanks = 4;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(1e-15); }

class Notes final : public sim::Observer {
public:
  void interval(const sim::Interval& interval) override { intervals[interval.rank].push_back(interval); }
  void posted(const sim::MessagePosted& message) override {
    CHECK(messages.emplace(message.id, message).second);
    carried[message.source] += message.bytes;
  }
  void matched(const sim::MessageMatched& message) override { CHECK(met.insert(message.id).second); }
  void arrived(const sim::MessageArrived& message) override {
    CHECK(arrivals.insert(message.id).second);
    REQUIRE(messages.contains(message.id));
    CHECK(message.time >= messages.at(message.id).time);
  }
  void collective(const sim::CollectivePlayed& call) override { calls.push_back(call); }
  void core(const sim::CoreChange& change) override { cores[change.rank].push_back(change); }
  [[nodiscard]] bool wants_links() const override { return true; }
  void link(const network::LinkUse& use) override {
    CHECK(use.end > use.begin);
    link_bytes[use.link] += use.bytes;
  }

  std::map<std::uint32_t, std::vector<sim::Interval>> intervals;
  std::map<std::uint64_t, sim::MessagePosted> messages;
  std::set<std::uint64_t> met, arrivals;
  std::map<std::uint32_t, double> carried;
  std::vector<sim::CollectivePlayed> calls;
  std::map<std::uint32_t, std::vector<sim::CoreChange>> cores;
  std::map<platform::LinkId, double> link_bytes;
};

platform::Platform cluster(platform::TransportKind kind) {
  platform::Platform platform = flat(kRanks);
  platform.transport.kind = kind;
  platform.transport.eager_limit = 1000;
  platform.transport.socket_buffer = 50000;
  platform.transport.wakeup_latency = Seconds(3e-6);
  platform.p2p.send_overhead = {platform::OverheadSection{0, 1e-6, 1e-10}};
  platform.p2p.isend_overhead = platform.p2p.receive_overhead = platform.p2p.send_overhead;
  for (platform::Host& host : platform.hosts)
    host.power = platform::NodePower{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  return platform;
}

void fill(Program& program) {
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) {
    const int next = (rank + 1) % kRanks;
    const int before = (rank + kRanks - 1) % kRanks;
    Script& script = program.rank(rank);
    script.compute(1e-4 * (rank + 1)).at_site(1, 1);
    for (const double bytes : {8.0, 2000.0, 300000.0}) {
      script.ireceive(before, 1, 5).isend(next, bytes, 2, 5).compute(2e-5 * rank).wait({1, 2});
      script.send_receive(next, bytes, before, 6);
    }
    script.collective(CollectiveKind::allreduce, 80000).icollective(CollectiveKind::bcast, 30000, 3).compute(1e-3).wait({3});
    if (rank == 0) script.send(1, 500, 7).transfer(2, 100, 4000, 4).wait({4});
    if (rank == 1) script.compute(5e-3).probe(0, 7).receive(0, 7);
  }
  program.all_finalize();
}

platform::TransportKind any_kind() {
  return GENERATE(platform::TransportKind::smpi, platform::TransportKind::tcp_openmpi, platform::TransportKind::rdma);
}

struct Watched {
  Notes notes;
  sim::Prediction prediction;
};

void watch(Watched& out, const platform::Platform& platform) {
  Program program(kRanks);
  fill(program);
  out.prediction = sim::predict(program, platform, one_per_host(kRanks), sim::Options{}, nullptr, &out.notes);
  REQUIRE(out.prediction.complete);
}

} // namespace

TEST_CASE("the intervals of a rank follow each other and are what its time is made of") {
  Watched run;
  watch(run, cluster(any_kind()));
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    std::map<Activity, double> spent;
    double at = 0;
    for (const sim::Interval& interval : run.notes.intervals[rank]) {
      CHECK(interval.begin == near(at));
      CHECK(interval.end > interval.begin);
      at = interval.end;
      spent[interval.activity] += interval.end - interval.begin;
    }
    CHECK(at == near(run.prediction.time.value()));
    for (int i = 0; i < sim::kActivities; ++i)
      CHECK(spent[static_cast<Activity>(i)] == near(seconds(run.prediction, static_cast<int>(rank), static_cast<Activity>(i))));
  }
}

TEST_CASE("every message is posted, matched and arrives once, and the ranks sent nothing else") {
  Watched run;
  watch(run, cluster(any_kind()));
  const Notes& notes = run.notes;
  std::uint64_t one_sided = 0; // they match nothing
  for (const auto& [id, message] : notes.messages) {
    CHECK(notes.arrivals.contains(id));
    one_sided += notes.met.contains(id) ? 0 : 1;
  }
  CHECK(one_sided == 2); // one way and the other
  CHECK(notes.arrivals.size() == notes.messages.size());
  std::uint64_t sent = 0;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    CHECK(notes.carried.at(rank) == near(run.prediction.ranks[rank].sent.value()));
    sent += run.prediction.ranks[rank].messages;
  }
  CHECK(notes.messages.size() == sent);
}

TEST_CASE("each member's part of a collective is told, blocking or not") {
  Watched run;
  watch(run, cluster(any_kind()));
  std::map<CollectiveKind, std::set<std::uint32_t>> members;
  for (const sim::CollectivePlayed& call : run.notes.calls) {
    CHECK(call.end > call.begin);
    CHECK(call.call == (call.kind == CollectiveKind::allreduce ? 0 : 1));
    CHECK(members[call.kind].insert(call.rank).second);
  }
  CHECK(members.size() == 2);
  CHECK(members[CollectiveKind::allreduce].size() == kRanks);
  CHECK(members[CollectiveKind::bcast].size() == kRanks);
}

TEST_CASE("the cores' states over time are what the energy is made of") {
  const platform::Platform platform = cluster(any_kind());
  Watched run;
  watch(run, platform);
  double joules = 0;
  for (const auto& entry : run.notes.cores) {
    const std::uint32_t rank = entry.first;
    const std::vector<sim::CoreChange>& changes = entry.second;
    energy::CoreState state = energy::CoreState::idle;
    double since = 0;
    const auto draw_until = [&](double time) {
      std::array<int, energy::kCoreStates> active{};
      if (state != energy::CoreState::idle) ++active[static_cast<std::size_t>(state)];
      joules += energy::node_power(platform.hosts[rank], active).value() * (time - since);
      since = time;
    };
    for (const sim::CoreChange& change : changes) {
      CHECK(change.host == rank);
      CHECK(change.state != state);
      draw_until(change.time);
      state = change.state;
    }
    draw_until(run.prediction.time.value());
  }
  CHECK(joules == near(run.prediction.energy.value().value()));
}

TEST_CASE("links carry at least the payload of what crosses them") {
  const platform::TransportKind kind = any_kind();
  platform::Platform platform = cluster(kind);
  platform.p2p.bandwidth_factor = {platform::FactorSection{0, 1.0}};
  Watched run;
  watch(run, platform);
  std::map<platform::LinkId, double> expected;
  for (const auto& [id, message] : run.notes.messages) {
    for (const platform::LinkId link : platform.route(message.source, message.destination).links)
      expected[link] += message.bytes + (kind == platform::TransportKind::smpi ? platform.p2p.envelope_bytes : 0);
  }
  CHECK(expected.size() == run.notes.link_bytes.size());
  for (const auto& [link, bytes] : expected) {
    if (kind == platform::TransportKind::smpi)
      CHECK(run.notes.link_bytes.at(link) == near(bytes));
    else // packet headers (90 on 1448) and control messages come on top
      CHECK((run.notes.link_bytes.at(link) >= bytes && run.notes.link_bytes.at(link) < bytes * 1.1));
  }
}

TEST_CASE("a prediction is the same with and without an observer") {
  const platform::Platform platform = cluster(any_kind());
  Watched run;
  watch(run, platform);
  Program program(kRanks);
  fill(program);
  const sim::Prediction alone = sim::predict(program, platform, one_per_host(kRanks), sim::Options{});
  CHECK(alone.time == run.prediction.time);
  CHECK(alone.energy == run.prediction.energy);
  CHECK(alone.events == run.prediction.events);
  for (std::size_t rank = 0; rank < kRanks; ++rank) CHECK(alone.ranks[rank].in == run.prediction.ranks[rank].in);
}

} // namespace observer_test
