// A run that exchanges messages with its neighbours and agrees now and then, and platforms to play
// it on.
#pragma once

#include "predictor/platform/cluster.h"
#include "predictor/scenario/questions.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <unit/trace/decoded.h>
#include <vector>

namespace farcast::scenario {

// Calls of a ring: a receive from anybody, a send, computation that grows with the rank, and a sum
// every fifth round.
inline trace::SlotScript ring_of(int rank, int ranks, int rounds) {
  trace::SlotScript script;
  script.init(ranks);
  const int left = (rank + ranks - 1) % ranks;
  for (int round = 0; round < rounds; ++round) {
    script.compute(static_cast<std::uint64_t>(1000 + 300 * rank + 7 * round));
    script.call("MPI_Irecv",
                {.peer = stream::kAnyPeer, .tag = 4, .bytes = 8000, .request = 7, .comm = stream::kCommWorld, .site = 0x1000});
    script.call("MPI_Send", {.peer = (rank + 1) % ranks, .tag = 4, .bytes = 8000, .comm = stream::kCommWorld, .site = 0x1010},
                50);
    script.call("MPI_Wait", {.bytes = 7, .site = 0x1020}, 300).status(left, 4, 8000);
    if (round % 5 == 4) script.compute(500).call("MPI_Barrier", {.comm = stream::kCommWorld, .site = 0x1030}, 900);
  }
  return script.call("MPI_Finalize", {.site = 0x1040}).end();
}

struct SampleRun {
  explicit SampleRun(int ranks, int rounds, bool complete = true) : recording(std::uint64_t{1} << 30) {
    recording.world_size = ranks;
    recording.mpi_library = "Open MPI";
    for (int rank = 0; rank < ranks; ++rank) {
      scripts.push_back(ring_of(rank, ranks, rounds));
      auto made = std::make_unique<trace::RankRecording>();
      made->rank = rank;
      made->host = "here";
      made->cores = 4;
      made->modules = {{0, 0x100000, "abcd", "/home/me/app"}};
      made->threads.push_back(std::make_unique<trace::SlotStream>(recording.spill));
      recording.ranks.push_back(std::move(made));
    }
    if (!complete) return;
    for (std::size_t rank = 0; rank < scripts.size(); ++rank) {
      recording.ranks[rank]->threads[0]->append(scripts[rank].slots());
      recording.ranks[rank]->threads[0]->close();
    }
  }
  trace::Recording recording;
  std::vector<trace::SlotScript> scripts; // [rank]
};

// Scenario `number` of as many as are wanted: hosts of two cores, with other links each, and with
// channels every second time.
inline Scenario sample_scenario(int number, int ranks) {
  platform::Cluster cluster;
  cluster.id = "c";
  for (int i = 0; i < ranks; ++i) cluster.radicals.push_back(static_cast<std::uint32_t>(i));
  cluster.cores = 2;
  cluster.speed = base::FlopsPerSecond(1e9 + 3e7 * number);
  cluster.bandwidth = base::BytesPerSecond(125e6 + 1e6 * number);
  cluster.latency = base::Seconds(25e-6);
  PlacedPlatform placed{platform::build_platform(cluster), {}};
  placed.platform.name = fmt::format("platform {}", number);
  placed.platform.p2p.test_cost = base::Seconds(1e-5 * (1 + number));
  placed.platform.transport.wakeup_latency = base::Seconds(5e-6);
  for (int rank = 0; rank < ranks; ++rank) {
    placed.placement.host_of.push_back(static_cast<platform::HostId>(rank / 2));
    placed.placement.core_of.push_back(rank % 2);
  }
  Scenario out{std::make_shared<const PlacedPlatform>(std::move(placed)), {}};
  out.options.p2p = number % 2 == 1 ? sim::MessageModel::channel : sim::MessageModel::smpi;
  out.options.seed = static_cast<std::uint64_t>(number);
  return out;
}

inline std::vector<Scenario> sample_scenarios(int count, int ranks) {
  std::vector<Scenario> out;
  for (int i = 0; i < count; ++i) out.push_back(sample_scenario(i, ranks));
  return out;
}

// Every figure, to the last bit.
inline std::string figures(const sim::Prediction& p) {
  std::string out = fmt::format("{} {} {:a} {}\n", p.platform, p.complete, p.time.value(), p.events);
  for (const sim::RankTimes& rank : p.ranks) {
    for (const base::Seconds time : rank.in) out += fmt::format(" {:a}", time.value());
    out += fmt::format(" {:a} {} {:a} {:a}\n", rank.sent.value(), rank.messages, rank.given_polls[0].value(),
                       rank.given_polls[1].value());
  }
  for (const auto& [site, ranks] : p.sites) {
    for (const sim::SiteTimes& t : ranks)
      out += fmt::format("site {} {} {:a} {:a} {:a}\n", site, t.count, t.total.value(), t.max.value(), t.min.value());
  }
  for (const auto& [region, t] : p.regions)
    out += fmt::format("region {} {} {:a} {:a}\n", region, t.visits, t.measured.value(), t.predicted.value());
  if (p.slowdowns)
    out += fmt::format("slowdowns {:a} {:a} {:a} {:a} {:a}\n", p.slowdowns->exact.value(), p.slowdowns->neighbour.value(),
                       p.slowdowns->none.value(), p.slowdowns->played.value(), p.slowdowns->beyond.value());
  return out;
}

inline std::vector<std::string> figures(const Answers& answers) {
  std::vector<std::string> out;
  for (const sim::Prediction& prediction : answers.predictions) out.push_back(figures(prediction));
  return out;
}

} // namespace farcast::scenario
