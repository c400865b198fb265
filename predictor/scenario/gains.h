// What would help most: the same run with one thing at a time a little better.
//
// In: a point, its prediction with the critical path. Out: points that differ from it in one thing,
// each with the option of `farcast whatif` that asks for it. Pure functions.
#pragma once

#include "predictor/scenario/what_if.h"
#include "predictor/sim/prediction.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace farcast::scenario {

struct Improvement {
  std::string what;   // "bandwidth of all links"
  std::string option; // "--bandwidth x1.1"
  Point point;        // its speedups are `faster`
  std::string faster; // call site whose computation, before and behind it, is; empty: none
  double times = 1.0; // as fast
  bool limit = false; // more than anybody can have
};

// Returns: places of calls (file:line), those with most of the critical path's computation before and
// behind them first, at most `most`. Requires: prediction.bottlenecks; `names` of all sites.
std::vector<std::string> sites_on_path(const sim::Prediction& prediction, const trace::SiteTable& sites,
                                       const std::map<trace::Frame, std::string>& names, std::size_t most);

// Returns: each site's computation `percent` faster, bandwidth `percent` more, latency `percent` less,
// the ideal network, and all
// ranks computing equally long. Figures are those that the options say, to the last bit.
std::vector<Improvement> improvements_of(const Point& base, double percent, const std::vector<std::string>& sites);

} // namespace farcast::scenario
