#include "predictor/scenario/division.h"

#include "predictor/scenario/balance.h"
#include "predictor/scenario/recorded_source.h"
#include "unit/scenario/sample_run.h"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>

using namespace farcast;
using namespace farcast::scenario;

namespace {

using trace::Operation;
using trace::OperationKind;

std::vector<base::Seconds> seconds(std::initializer_list<double> values) {
  std::vector<base::Seconds> out;
  for (const double value : values) out.emplace_back(value);
  return out;
}

Operation operation(OperationKind kind, int peer, double bytes) {
  Operation out;
  out.kind = kind;
  out.peer = peer;
  out.bytes = bytes;
  out.compute = base::Seconds(6);
  out.others_s = 2;
  return out;
}

constexpr std::array kFactors{1.0, 2.0, 4.0, 2.0}; // [rank] powers of two: no rounding

// The ring of sample_run.h as it would have been recorded with other computations and payloads.
trace::SlotScript scaled_ring(int rank, int ranks, int rounds, bool payloads) {
  trace::SlotScript script;
  script.init(ranks);
  const int left = (rank + ranks - 1) % ranks;
  const auto factor = [](int of) { return static_cast<std::uint64_t>(kFactors.at(static_cast<std::size_t>(of))); };
  const auto bytes = [&](int sender) { return payloads ? 8000 * factor(sender) : 8000; };
  for (int round = 0; round < rounds; ++round) {
    script.compute(factor(rank) * static_cast<std::uint64_t>(1000 + 300 * rank + 7 * round));
    script.call(
        "MPI_Irecv",
        {.peer = stream::kAnyPeer, .tag = 4, .bytes = bytes(left), .request = 7, .comm = stream::kCommWorld, .site = 0x1000});
    script.call("MPI_Send",
                {.peer = (rank + 1) % ranks, .tag = 4, .bytes = bytes(rank), .comm = stream::kCommWorld, .site = 0x1010}, 50);
    script.call("MPI_Wait", {.bytes = 7, .site = 0x1020}, 300).status(left, 4, bytes(left));
    if (round % 5 == 4) script.compute(factor(rank) * 500).call("MPI_Barrier", {.comm = stream::kCommWorld, .site = 0x1030}, 900);
  }
  return script.call("MPI_Finalize", {.site = 0x1040}).end();
}

sim::Prediction played(trace::Recording& recording, const Scenario& scenario) {
  RecordedSource source(recording);
  return ask(source, {scenario}).predictions.at(0);
}

} // namespace

TEST_CASE("ranks that compute equally long compute as much together as recorded; those that compute nothing are left alone") {
  const std::vector<double> speeds{2.0, 1.0, 1.0};
  const std::vector<double> factors = even_factors(seconds({6.0, 0.0, 3.0}), speeds);
  // 9 seconds of computation on cores of 2 and 1: 3 seconds each.
  CHECK(factors.empty());
  const std::vector<double> uneven = even_factors(seconds({2.0, 0.0, 7.0}), speeds);
  CHECK((uneven[0] == Approx(3.0) && uneven[1] == 1.0 && uneven[2] == Approx(3.0 / 7)));
  CHECK(even_factors(seconds({4.0, 4.0}), std::vector<double>{1.0, 1.0}).empty());
}

TEST_CASE("factors keep the sum of the computation, and end in proportion to the speeds") {
  const auto computation = seconds({10, 10, 20, 0});
  const std::vector<double> speeds{1, 3, 2, 1};
  // 1 * 10 + 3 * 10 + 2 * 20 = 80 for 40 s: half of each speed
  CHECK(factors_of(computation, speeds, 1.0) == std::vector<double>{0.5, 1.5, 1.0, 0.5});
  CHECK(factors_of(computation, speeds, 0.5) == std::vector<double>{0.75, 1.25, 1.0, 0.75});
  for (const double part : parts_to_play()) {
    const std::vector<double> factors = factors_of(computation, speeds, part);
    double sum = 0;
    for (std::size_t rank = 0; rank < 4; ++rank) sum += computation[rank].value() * (factors.empty() ? 1.0 : factors[rank]);
    CHECK(sum == Approx(40).epsilon(1e-14));
  }
}

TEST_CASE("equal hosts, no part of the way and no computation leave the division as recorded") {
  CHECK(factors_of(seconds({1, 2}), std::vector<double>{0.3, 0.3}, 1.0).empty());
  CHECK(factors_of(seconds({1, 2}), std::vector<double>{1, 2}, 0.0).empty());
  CHECK(factors_of(seconds({0, 0}), std::vector<double>{1, 2}, 1.0).empty());
}

TEST_CASE("a rank's computation, and that of the threads beside it, is divided; sizes stay unless payloads are") {
  const Division division{{0.5, 1.5}, false};
  for (const OperationKind kind : {OperationKind::send, OperationKind::collective, OperationKind::local, OperationKind::wait}) {
    Operation one = operation(kind, 1, 100);
    divide(division, 0, one);
    CHECK(one.compute == base::Seconds(3));
    CHECK(one.others_s == 1.0F);
    CHECK(one.bytes == 100);
  }
}

TEST_CASE("payloads follow their sender, at both ends") {
  const Division division{{0.5, 1.5}, true};
  const auto bytes = [&](OperationKind kind, int rank, int peer, double before) {
    Operation one = operation(kind, peer, before);
    divide(division, rank, one);
    return one.bytes;
  };
  for (const OperationKind send : {OperationKind::send, OperationKind::isend}) {
    CHECK(bytes(send, 0, 1, 1001) == 501); // whole bytes
    CHECK(bytes(send, 1, 0, 1000) == 1500);
  }
  for (const OperationKind receive : {OperationKind::receive, OperationKind::ireceive}) {
    CHECK(bytes(receive, 0, 1, 1000) == 1500);
    CHECK(bytes(receive, 1, 0, 1001) == 501); // as the send
    CHECK(bytes(receive, 1, trace::kUnknownPeer, 77) == 77);
    CHECK(bytes(receive, 1, trace::kProcNull, 0) == 0);
  }
  for (const OperationKind other :
       {OperationKind::collective, OperationKind::transfer, OperationKind::storage, OperationKind::probe})
    CHECK(bytes(other, 1, 0, 1000) == 1000);
  Operation both = operation(OperationKind::send_receive, 1, 1000);
  both.receive_peer = 1;
  both.reply_bytes = 2000;
  divide(division, 0, both);
  CHECK(both.bytes == 500);
  CHECK(both.reply_bytes == 3000);
}

TEST_CASE("a divided run plays as the run with that computation and those payloads") {
  constexpr int kRanks = 4, kRounds = 20;
  const Scenario as_recorded = sample_scenario(0, kRanks);
  for (const bool payloads : {false, true}) {
    SampleRun run(kRanks, kRounds), scaled(kRanks, 0, false);
    for (int rank = 0; rank < kRanks; ++rank) {
      auto& stream = *scaled.recording.ranks[static_cast<std::size_t>(rank)]->threads[0];
      stream.append(scaled_ring(rank, kRanks, kRounds, payloads).slots());
      stream.close();
    }
    Scenario divided = as_recorded;
    divided.division = {{kFactors.begin(), kFactors.end()}, payloads};
    const sim::Prediction base = played(run.recording, as_recorded), found = played(run.recording, divided),
                          wanted = played(scaled.recording, as_recorded);
    CHECK(found.time.value() == Approx(wanted.time.value()).epsilon(1e-12));
    CHECK(found.time > base.time);
    for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
      CHECK(found.ranks[rank].sent == wanted.ranks[rank].sent);
      CHECK(found.ranks[rank].in[0].value() == Approx(wanted.ranks[rank].in[0].value()).epsilon(1e-12));
    }
    CHECK((found.ranks[2].sent == base.ranks[2].sent) == !payloads);
    divided.division.computation.assign(kRanks, 1.0);
    CHECK(figures(played(run.recording, divided)) == figures(base)); // neutral, to the last bit
  }
}

TEST_CASE("what ranks computed, how fast their hosts are, and who gets which share") {
  constexpr int kRanks = 4;
  SampleRun run(kRanks, 10);
  const auto computation = computation_of(run.recording);
  REQUIRE(computation.size() == kRanks);
  // 10 rounds of 1000 + 300 rank + 7 round ns, and 500 ns before each of 2 barriers
  for (int rank = 0; rank < kRanks; ++rank)
    CHECK(computation[static_cast<std::size_t>(rank)].value() == Approx((11000 + 3000 * rank + 315) * 1e-9).epsilon(0.01));
  const Scenario even = sample_scenario(0, kRanks);
  PlacedPlatform placed = *even.where;
  placed.platform.hosts[1].speed = base::FlopsPerSecond(3e9);
  placed.platform.hosts[1].processor.reset();
  const std::vector<double> speeds = speeds_of(placed, even.options);
  CHECK(speeds == std::vector<double>{1, 1, 3, 3});
  const auto equal = seconds({1, 1, 1, 1});
  const Balance balance = balance_of(placed, speeds, equal, factors_of(equal, speeds, 1.0));
  CHECK(balance.computation_gain == Approx(2)); // 1 s on the slow ones; 4 s / (1 + 1 + 3 + 3)
  REQUIRE(balance.kinds.size() == 2);
  const HostKind& fast = balance.kinds[0];
  CHECK(fast.speed == 3);
  CHECK(fast.first == placed.platform.hosts[1].name);
  CHECK(fast.last == fast.first);
  CHECK(fast.hosts == 1);
  CHECK(fast.ranks == 2);
  CHECK(fast.recorded == Approx(0.5));
  CHECK(fast.share == Approx(0.75));
  CHECK(balance.kinds[1].share == Approx(0.25));
  CHECK(balance_of(placed, speeds, equal, {}).kinds[0].share == Approx(0.5));
}
