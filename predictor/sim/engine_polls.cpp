// Polls: what a call of Iprobe, Test and their like takes by itself.
#include "predictor/base/format.h"
#include "predictor/sim/engine.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::sim {

namespace {

constexpr double kNamedFrom = 0.01; // of a rank's time

bool is_probe(const trace::Operation& operation) { return operation.probes || operation.kind == trace::OperationKind::probe; }

} // namespace

// Returns: what the polls of this operation take: what the platform says of one, else what they took when they were recorded.
double Engine::begin_poll(std::uint32_t index, const std::optional<base::Seconds>& given) {
  Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  strand.poll_given = given.has_value();
  const double seconds = given ? given->value() * static_cast<double>(operation.times) : operation.measured.value();
  return std::isfinite(seconds) ? std::max(0.0, seconds) : 0.0;
}

void Engine::enter_poll(std::uint32_t index) {
  const Strand& strand = strands_[index];
  const double seconds = begin_poll(index, strand.operation.probes ? platform_.p2p.iprobe_cost : platform_.p2p.test_cost);
  if (strand.poll_given) book_poll(strand);
  advance(index, seconds, CoreState::probing);
}

// What this poll waits for is there: what is left of its cost is the platform's doing.
void Engine::book_poll(const Strand& strand) {
  if (!strand.main) return;
  const bool probes = is_probe(strand.operation);
  const auto& given = probes ? platform_.p2p.iprobe_cost : platform_.p2p.test_cost;
  const double cost = given->value() * static_cast<double>(strand.operation.times);
  account_.given_poll(strand.rank, probes, std::max(0.0, strand.entered + cost - now_));
}

// Returns: each figure of the platform that makes much of some rank's time.
std::vector<GivenPolls> Engine::costly_polls(base::Seconds time) const {
  std::vector<GivenPolls> out;
  for (const bool probes : {true, false}) {
    const std::size_t kind = probes ? 0 : 1;
    const std::vector<RankTimes>& ranks = account_.ranks();
    const auto most = std::max_element(ranks.begin(), ranks.end(), [kind](const RankTimes& a, const RankTimes& b) {
      return a.given_polls[kind] < b.given_polls[kind];
    });
    if (most == ranks.end() || !(most->given_polls[kind] > time * kNamedFrom)) continue;
    const auto& given = probes ? platform_.p2p.iprobe_cost : platform_.p2p.test_cost;
    out.push_back({probes, *given, most->given_polls[kind] / time, static_cast<int>(most - ranks.begin())});
  }
  return out;
}

} // namespace farcast::sim
