// One numbering of call sites and regions for what came from several tables, independent of who met
// them first.
#pragma once

#include "predictor/sim/prediction.h"
#include "predictor/trace/sites.h"

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace farcast::scenario {

// Numbers of one table -> numbers of another.
struct Translation {
  std::vector<std::uint32_t> site;
  std::vector<std::uint32_t> region;
};

// Returns: the numbers that all sites and regions of `from` have in `to`, which gets those that it
// lacks.
Translation intern(const trace::SiteTable& from, trace::SiteTable& to);

// Returns: a table of everything in `all`, in canonical order (trace::canonical_order).
trace::SiteTable in_canonical_order(const trace::SiteTable& all);

// Returns: the map with its keys translated.
template <class Map> Map renumber(Map&& map, const std::vector<std::uint32_t>& numbers) {
  std::remove_cvref_t<Map> out;
  for (auto& [key, value] : map) out.emplace(numbers[key], std::move(value));
  return out;
}

void renumber(sim::Prediction& prediction, const Translation& numbers);

} // namespace farcast::scenario
