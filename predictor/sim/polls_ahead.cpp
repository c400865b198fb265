#include "predictor/sim/polls_ahead.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace farcast::sim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMarginS = 1e-9; // sums of many times are not exact
// In delays: who polls beside a rank asks kBeside before that one's poll looks, which is let on where
// its rank has kLeast to go on for; so much has who asked in any case.
constexpr double kLeast = 0.5;
constexpr double kBeside = 0.375; // less than 1 - kLeast: what a poll takes is not known to the tick

} // namespace

double PollsAhead::limit_of(std::uint32_t rank) const {
  double limit = std::min(bounds_.events, bounds_.comes[rank]);
  for (std::uint32_t other = 0; other < bounds_.acts.size(); ++other) {
    if (other == rank) continue;
    limit = std::min(limit, std::max(bounds_.acts[other], timelines_.reached(static_cast<int>(other))) + bounds_.delay);
  }
  return limit - kMarginS;
}

bool PollsAhead::may_be_in_vain(std::uint32_t rank, const trace::Operation& operation) {
  return !operation.probes && answers_.only_messages(rank, operation) && answers_.in_vain(rank, operation);
}

double PollsAhead::looks_in_vain(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  if (operation.kind != trace::OperationKind::poll || strand.answered_ahead) return kNever;
  if (strand.stage != Stage::enter && strand.stage != Stage::settle && strand.stage != Stage::leave) return kNever;
  double looks = strand.stage == Stage::enter ? strand.clock + polls_.cost(operation) : strand.clock;
  if (operation.asked) return strand.stage != Stage::leave && may_be_in_vain(strand.rank, operation) ? looks : kNever;
  for (const trace::Operation& next : timelines_.until_question(static_cast<int>(strand.timeline))) {
    if (next.kind != trace::OperationKind::poll) return kNever;
    looks += computation_.time_before(strand.rank, next);
    looks += polls_.cost(next);
    if (next.asked) return may_be_in_vain(strand.rank, next) ? looks : kNever;
  }
  return kNever;
}

void PollsAhead::go_along(std::uint32_t rank, MessageLayer& layer, Quiet& quiet) {
  if (!shares_ || scheduler_.others_act() || layer.learns_by_polls()) return;
  horizon_.bound(rank, layer, bounds_);
  if (!(bounds_.delay > 2 * kMarginS)) return;
  bounds_.beside = kBeside * bounds_.delay;
  std::vector<std::pair<std::uint32_t, double>> ahead; // rank, when its poll looks
  for (std::uint32_t other = 0; other < bounds_.acts.size(); ++other) {
    if (other == rank || !(bounds_.acts[other] < kNever)) continue;
    const double looks = looks_in_vain(scheduler_[other]);
    if (!(looks < kNever)) continue;
    if (looks + kLeast * bounds_.delay < limit_of(other)) {
      bounds_.acts[other] = looks;
      ahead.emplace_back(other, looks);
    } else if (looks < std::min(bounds_.events, bounds_.comes[other])) {
      // Too far ahead: it may go on beside the rank once that is near.
      bounds_.acts[other] = std::max(scheduler_.now() + kLeast * bounds_.delay, looks - bounds_.beside) - bounds_.delay;
      quiet.seconds =
          std::min(quiet.seconds, (bounds_.acts[other] + bounds_.delay - scheduler_.now()) / std::max(quiet.pace, 1.0));
    }
  }
  timelines_.share(bounds_);
  quiet.grows = true;
  for (const auto& [other, looks] : ahead)
    answers_.give_ahead(scheduler_[other], looks, horizon_.quiet_until(other, looks, limit_of(other)));
}

} // namespace farcast::sim
