// Rounds that repeat (sim/repetition.h): every prediction must be the one that plays each round.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

using namespace scenario;
using trace::CollectiveKind;

namespace {

platform::Platform heterogeneous(int hosts) {
  platform::Platform platform = flat(hosts, kBandwidth, kLatency, 2);
  for (std::size_t host = 0; host < platform.hosts.size(); ++host) {
    platform.hosts[host].speed = base::FlopsPerSecond(1e9 * (1 + 0.3 * static_cast<double>(host % 3)));
    platform.hosts[host].power = platform::NodePower{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  }
  return platform;
}

// Each figure, and what its error is measured by: the run's time or energy; 0: it is exact.
std::vector<std::pair<double, double>> figures(const sim::Prediction& p) {
  const double time = p.time.value();
  const double energy = p.energy->value();
  std::vector<std::pair<double, double>> out;
  const auto add = [&out](double scale, std::initializer_list<double> values) {
    for (const double value : values) out.emplace_back(value, std::max(scale, scale > 0 ? std::abs(value) : 0));
  };
  add(time, {time});
  add(energy, {energy, p.energy_parts.baseline.value(), p.energy_parts.computing.value(), p.energy_parts.polling.value(),
               p.energy_parts.probing.value()});
  add(0, {static_cast<double>(p.events)});
  for (const sim::NodeEnergy& node : p.nodes) {
    add(energy, {node.total.value()});
    add(time, {node.idle.value()});
  }
  for (const sim::RankTimes& rank : p.ranks) {
    for (const Seconds in : rank.in) add(time, {in.value()});
    add(0, {rank.sent.value(), static_cast<double>(rank.messages)});
  }
  for (const auto& [site, ranks] : p.sites) {
    for (const sim::SiteTimes& t : ranks) {
      add(0, {static_cast<double>(site), static_cast<double>(t.count)});
      add(time, {t.total.value(), t.max.value(), t.min.value()});
    }
  }
  for (const auto& [region, t] : p.regions) {
    add(0, {static_cast<double>(region), static_cast<double>(t.visits)});
    add(time, {t.measured.value(), t.predicted.value()});
  }
  return out;
}

// Returns: the share of the operations that were played.
double require_same(Program& program, const platform::Platform& platform) {
  sim::Options options;
  options.relative_speed = 1.25;
  options.skip_repetitions = false;
  program.rewind();
  const sim::Prediction all = sim::predict(program, platform, one_per_host(program.ranks()), options);
  const auto operations = static_cast<double>(program.handed_out());
  options.skip_repetitions = true;
  program.rewind();
  const sim::Prediction p = sim::predict(program, platform, one_per_host(program.ranks()), options);
  REQUIRE(p.complete == all.complete);
  REQUIRE(p.problems.size() == all.problems.size());
  for (std::size_t i = 0; i < p.problems.size(); ++i) REQUIRE(p.problems[i].text == all.problems[i].text);
  const auto expected = figures(all);
  const auto found = figures(p);
  REQUIRE(found.size() == expected.size());
  double worst = 0; // error
  bool exact = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i].first - expected[i].first);
    if (expected[i].second > 0)
      worst = std::max(worst, error / expected[i].second);
    else
      exact = exact && error == 0;
  }
  CHECK(exact);
  CHECK(worst <= 1e-12);
  return static_cast<double>(program.handed_out()) / operations;
}

// A round: what each rank does, in an order that cannot deadlock.
using Round = std::function<void(Program&)>;

class RandomRounds {
public:
  RandomRounds(std::uint32_t seed, Program& program)
      : random_(seed), ranks_(program.ranks()), communicators_{program.communicator(), part(7, 0, 2), part(8, 1, 3)} {}

  Round round(int actions) {
    std::vector<Round> all;
    for (int i = 0; i < actions; ++i) all.push_back(action());
    all.push_back(everyone()); // holds ranks together, now and then
    return [all](Program& program) {
      for (const Round& one : all) one(program);
    };
  }

private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  double bytes() {
    const double sizes[] = {0, 8, 1000, 30000, 70000, 1e6};
    return sizes[below(6)];
  }
  std::shared_ptr<const trace::Communicator> part(std::uint32_t id, int first, int step) const {
    auto out = std::make_shared<trace::Communicator>();
    out->id = id;
    for (int rank = first; rank < ranks_; rank += step) out->members.push_back(rank);
    return out;
  }

  Round everyone() {
    const CollectiveKind kind = below(2) == 0 ? CollectiveKind::allreduce : CollectiveKind::bcast;
    if (below(3) == 0) return [](Program&) {};
    return [kind, size = bytes(), this_ranks = ranks_](Program& program) {
      for (int rank = 0; rank < this_ranks; ++rank) program.rank(rank).collective(kind, size).at_site(2, 1);
    };
  }

  Round action() {
    const int a = below(ranks_);
    const int b = (a + 1 + below(ranks_ - 1)) % ranks_;
    const double size = bytes();
    const int tag = below(3);
    const double seconds = 1e-5 * (1 + below(50));
    switch (below(9)) {
    case 0:
      return [=](Program& program) { program.rank(a).compute(seconds).local(seconds / 3).at_site(5, 4); };
    case 1:
      return [=](Program& program) {
        program.rank(a).send(b, size, tag).at_site(3);
        program.rank(b).compute(seconds).receive(a, tag).at_site(3, 3);
      };
    case 2:
      return [=](Program& program) {
        program.rank(a).ireceive(b, 1, tag).isend(b, size, 2, tag).compute(seconds).wait({1, 2}, true).at_site(6, 2);
        program.rank(b).isend(a, size, 4, tag).ireceive(a, 3, tag).wait({4}).wait({3});
      };
    case 3:
      return [=, ranks = ranks_](Program& program) {
        for (int rank = 0; rank < ranks; ++rank)
          program.rank(rank).send_receive((rank + 1) % ranks, size, (rank + ranks - 1) % ranks, tag);
      };
    case 4: { // early, and received at the end of the round
      return [=](Program& program) {
        program.rank(a).send(b, 100, 9);
        program.rank(a).compute(seconds).local(1e-6);
        program.rank(b).compute(2 * seconds).local(1e-6).receive(a, 9);
      };
    }
    case 5: {
      const auto communicator = communicators_[static_cast<std::size_t>(1 + below(2))];
      if (communicator->members.size() < 2) return [](Program&) {};
      const CollectiveKind kinds[] = {CollectiveKind::allreduce, CollectiveKind::barrier, CollectiveKind::allgather};
      const CollectiveKind kind = kinds[below(3)];
      return [=](Program& program) {
        for (const int rank : communicator->members) program.rank(rank).collective(kind, size).on(communicator);
      };
    }
    case 6:
      return [=, ranks = ranks_](Program& program) {
        for (int rank = 0; rank < ranks; ++rank)
          program.rank(rank).icollective(CollectiveKind::allreduce, size, 7).compute(seconds).local(0).wait({7});
      };
    case 7:
      return [=](Program& program) {
        program.rank(a).compute(seconds).send(b, size, tag);
        program.rank(b).probe(a, tag).receive(a, tag);
      };
    default:
      return [=, ranks = ranks_](Program& program) {
        for (int rank = 0; rank < ranks; ++rank) program.rank(rank).compute(seconds * (1 + rank % 4)).local(0);
      };
    }
  }

  std::mt19937 random_;
  int ranks_;
  std::vector<std::shared_ptr<const trace::Communicator>> communicators_;
};

} // namespace

TEST_CASE("random rounds that repeat, with and without playing each", "[repetition]") {
  double least = 1;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const int ranks = 2 + static_cast<int>(seed % 8);
    Program program(ranks);
    RandomRounds random(seed, program);
    const Round prologue = random.round(static_cast<int>(seed % 5));
    std::vector<Round> bodies; // period 1, 2, 3
    for (std::uint32_t i = 0; i <= seed % 3; ++i) bodies.push_back(random.round(1 + static_cast<int>(seed / 3 % 6)));
    const Round inner = random.round(2);
    const Round odd = random.round(2);
    const bool nested = seed % 4 == 0;
    program.all_init();
    prologue(program);
    for (std::size_t round = 0; round < 40; ++round) {
      bodies[round % bodies.size()](program);
      for (int i = 0; nested && i < 15; ++i) inner(program);
      if (seed % 5 == 0 && round == 37) odd(program); // the last rounds differ
    }
    program.all_finalize();
    least = std::min(least, require_same(program, heterogeneous(ranks)));
  }
  REQUIRE(least < 0.2);
}

TEST_CASE("loops of any usual kind are played a few times only", "[repetition]") {
  const int ranks = 8;
  const int rounds = 400;
  const auto share = [&](const std::function<void(Script&, int, int)>& body, int differs_at = -1) {
    Program program(ranks);
    program.all_init();
    for (int rank = 0; rank < ranks; ++rank) {
      for (int round = 0; round < rounds; ++round) {
        if (round == differs_at) program.rank(rank).compute(1e-3);
        body(program.rank(rank), rank, round);
      }
    }
    program.all_finalize();
    return require_same(program, heterogeneous(ranks));
  };
  const auto ring = [&](Script& script, int rank, int) {
    script.ireceive((rank + ranks - 1) % ranks, 1).send((rank + 1) % ranks, 1000).wait({1});
  };
  const auto stencil = [&](Script& script, int rank, int) {
    script.compute(1e-4 * (1 + rank % 3));
    if (rank > 0) script.ireceive(rank - 1, 1).isend(rank - 1, 80000, 2);
    if (rank + 1 < ranks) script.ireceive(rank + 1, 3).isend(rank + 1, 80000, 4);
    script.wait({1, 2, 3, 4});
  };
  const auto allreduce = [](Script& script, int, int) { script.collective(CollectiveKind::allreduce, 8); };
  const auto solver = [&](Script& script, int rank, int round) {
    stencil(script, rank, round);
    allreduce(script, rank, round);
    if (round % 3 == 0) script.compute(1e-5).collective(CollectiveKind::bcast, 1e5, 3);
  };
  CHECK(share(ring) < 0.05);
  CHECK(share(stencil) < 0.1);
  CHECK(share(allreduce) < 0.05);
  CHECK(share(solver) < 0.1);
  CHECK(share(allreduce, rounds / 2) < 0.1);
  CHECK(share(solver, rounds - 2) < 0.1);
  CHECK(share([&](Script& script, int rank, int round) {
          script.compute(1e-4 + 1e-7 * ((round * 7919 + rank) % 1009)); // never
          allreduce(script, rank, round);
        }) == 1.0);
}

TEST_CASE("what goes on beside a loop for longer than a round is played to its end", "[repetition]") {
  const int rounds = 1000;
  const auto write = [&](Program& program, const std::function<void(Script&)>& from, const std::function<void(Script&)>& to) {
    program.all_init();
    from(program.rank(2));
    to(program.rank(3));
    for (int round = 0; round < rounds; ++round) {
      program.rank(0).compute(1e-4).send(1, 1000).receive(1);
      program.rank(1).receive(0).send(0, 1000);
    }
    for (int rank = 0; rank < 4; ++rank) program.rank(rank).collective(CollectiveKind::barrier, 0);
    program.all_finalize();
  };
  SECTION("a flow") {
    Program program(4);
    write(
        program, [](Script& script) { script.send(3, 1e7); }, [](Script& script) { script.receive(2); });
    const double share = require_same(program, heterogeneous(4));
    CHECK(share > 0.1);
    CHECK(share < 0.8);
  }
  SECTION("a computation") {
    Program program(4);
    write(
        program, [](Script& script) { script.compute(0.1).local(0); }, [](Script& script) { script.local(0.05); });
    const double share = require_same(program, heterogeneous(4));
    CHECK(share > 0.1);
    CHECK(share < 0.9);
  }
  SECTION("a wait for a message that only comes at the end") {
    Program program(4);
    write(
        program, [](Script& script) { script.receive(0, 5); }, [](Script& script) { script.ireceive(2, 9, 6); });
    program.rank(0).send(2, 10, 5);
    CHECK(require_same(program, heterogeneous(4)) < 0.1);
  }
  SECTION("messages that pile up") {
    Program program(4);
    program.all_init();
    for (int round = 0; round < 100; ++round) {
      program.rank(0).compute(1e-4).send(1, 100).collective(CollectiveKind::barrier, 0);
      for (int rank = 1; rank < 4; ++rank) program.rank(rank).collective(CollectiveKind::barrier, 0);
    }
    for (int round = 0; round < 100; ++round) program.rank(1).receive(0);
    program.all_finalize();
    require_same(program, heterogeneous(4));
  }
}

TEST_CASE("a run that blocks says the same", "[repetition]") {
  Program program(3);
  program.all_init();
  for (int round = 0; round < 200; ++round) {
    for (int rank = 0; rank < 3; ++rank) program.rank(rank).compute(1e-4).collective(CollectiveKind::allreduce, 100);
  }
  program.rank(1).receive(2);
  program.all_finalize();
  CHECK(require_same(program, heterogeneous(3)) < 0.1);
}
