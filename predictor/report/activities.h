// How reports name the activities of a rank: one row per sim::Activity, in its order.
#pragma once

#include "predictor/sim/prediction.h"

#include <array>

namespace farcast::report {

struct ActivityName {
  sim::Activity activity;
  const char* key;    // JSON: <key>_s
  const char* column; // text tables, at most 9 letters
};

inline constexpr std::array<ActivityName, sim::kActivities> kActivityNames{{
    {sim::Activity::compute, "compute", "compute"},
    {sim::Activity::point_to_point, "point_to_point", "p2p"},
    {sim::Activity::collective, "collective", "coll."},
    {sim::Activity::completion, "completion", "complet."},
    {sim::Activity::waiting, "waiting", "waiting"},
    {sim::Activity::local, "local", "local"},
    {sim::Activity::ended, "ended", "ended"},
}};

inline double seconds_in(const sim::RankTimes& rank, const ActivityName& name) {
  return rank.in[static_cast<std::size_t>(name.activity)].value();
}

} // namespace farcast::report
