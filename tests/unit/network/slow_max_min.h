// The oracle of the network's tests: weighted max-min rates by the obvious method.
#pragma once

#include "predictor/network/max_min.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace slow {

using farcast::network::MaxMin;

struct Group {
  std::vector<MaxMin::Use> uses;
  double bound;
  double penalty;
  int flows;
};

struct System {
  std::vector<double> capacities;
  std::vector<Group> groups;
};

// The oracle: raise one common level for all; whoever reaches its bound or a full link stays there.
// O(groups * links) per step.
inline std::vector<double> rates_of(const System& s) {
  std::vector<double> rates(s.groups.size(), 0);
  std::vector<bool> fixed(s.groups.size(), false);
  for (std::size_t left = s.groups.size(); left > 0;) {
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < s.groups.size(); ++g) {
      if (!fixed[g]) level = std::min(level, s.groups[g].bound * s.groups[g].penalty);
    }
    std::vector<double> full_at(s.capacities.size(), std::numeric_limits<double>::infinity());
    for (std::size_t link = 0; link < s.capacities.size(); ++link) {
      double open = 0;
      double taken = 0;
      for (std::size_t g = 0; g < s.groups.size(); ++g) {
        for (const MaxMin::Use& use : s.groups[g].uses) {
          if (use.link != link) continue;
          if (fixed[g])
            taken += s.groups[g].flows * use.weight * rates[g];
          else
            open += s.groups[g].flows * use.weight / s.groups[g].penalty;
        }
      }
      if (open > 0) full_at[link] = std::max(0.0, s.capacities[link] - taken) / open;
      level = std::min(level, full_at[link]);
    }
    for (std::size_t g = 0; g < s.groups.size(); ++g) {
      if (fixed[g]) continue;
      bool stays = s.groups[g].bound * s.groups[g].penalty <= level * (1 + 1e-13);
      for (const MaxMin::Use& use : s.groups[g].uses) stays = stays || full_at[use.link] <= level * (1 + 1e-13);
      if (!stays) continue;
      rates[g] = std::min(s.groups[g].bound, level / s.groups[g].penalty);
      fixed[g] = true;
      --left;
    }
  }
  return rates;
}

} // namespace slow
