#include "predictor/collective/power_aware.h"

#include "predictor/collective/four_phase.h"
#include "predictor/collective/node_layout.h"
#include "predictor/collective/node_leaders.h"

#include <array>

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

constexpr std::array kFourPhase{Algorithm{"four_phase", four_phase}};
constexpr std::array kNodeLeadersBcast{Algorithm{"node_leaders", node_leaders_bcast}};
constexpr std::array kNodeLeadersReduce{Algorithm{"node_leaders", node_leaders_reduce}};
constexpr std::array kPowerAware{Family{Kind::alltoall, kFourPhase, {}}, Family{Kind::alltoallv, kFourPhase, {}},
                                 Family{Kind::bcast, kNodeLeadersBcast, {}}, Family{Kind::reduce, kNodeLeadersReduce, {}}};

} // namespace

std::span<const Family> power_aware_families() { return kPowerAware; }

std::string_view power_aware_name(Kind kind) {
  const Family* const family = family_of(kPowerAware, kind);
  return family == nullptr ? std::string_view() : family->algorithms.front().name;
}

bool lets_rest(Kind kind, bool commutative, const NodeLayout& nodes) {
  if (kind == Kind::alltoall || kind == Kind::alltoallv) return nodes.rests();
  return nodes.leaders().size() > 1 && (kind == Kind::bcast || (kind == Kind::reduce && commutative));
}

} // namespace farcast::collective
