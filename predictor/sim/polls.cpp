#include "predictor/sim/polls.h"

#include "predictor/sim/sane.h"

#include <algorithm>
#include <cmath>

namespace farcast::sim {

namespace {

constexpr double kNamedFrom = 0.01; // of a rank's time

bool is_probe(const trace::Operation& operation) { return operation.probes || operation.kind == trace::OperationKind::probe; }

} // namespace

double Polls::cost(const trace::Operation& operation) const {
  const std::optional<base::Seconds>& each = given(is_probe(operation));
  const double seconds = each ? each->value() * static_cast<double>(operation.times) : operation.measured.value();
  return std::isfinite(seconds) ? std::max(0.0, seconds) : 0.0;
}

double Polls::begin(Strand& strand) {
  strand.poll_given = given(is_probe(strand.operation)).has_value();
  const double seconds = cost(strand.operation);
  const double between = strand.operation.between_looks.value();
  if (strand.main && between > 0 && !strand.operation.asked)
    strand.look_s = sane(cores_.compute(strand.rank, sane(between))) + seconds;
  return seconds;
}

double Polls::next_look(const Strand& strand) const {
  const double first = strand.entered + cost(strand.operation);
  const double now = scheduler_.now();
  if (!(now > first)) return now;
  return first + std::ceil((now - first) / strand.look_s) * strand.look_s;
}

void Polls::book(const Strand& strand) {
  if (!strand.main) return;
  const bool probes = is_probe(strand.operation);
  const double cost = given(probes)->value() * static_cast<double>(strand.operation.times);
  account_.given_poll(strand.rank, probes, std::max(0.0, strand.entered + cost - scheduler_.now()));
}

std::vector<GivenPolls> Polls::costly(base::Seconds time) const {
  std::vector<GivenPolls> out;
  for (const bool probes : {true, false}) {
    const std::size_t kind = probes ? 0 : 1;
    const std::vector<RankTimes>& ranks = account_.ranks();
    const auto most = std::max_element(ranks.begin(), ranks.end(), [kind](const RankTimes& a, const RankTimes& b) {
      return a.given_polls[kind] < b.given_polls[kind];
    });
    if (most == ranks.end() || !(most->given_polls[kind] > time * kNamedFrom)) continue;
    out.push_back({probes, *given(probes), most->given_polls[kind] / time, static_cast<int>(most - ranks.begin())});
  }
  return out;
}

} // namespace farcast::sim
