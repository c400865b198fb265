// What-if of the program's own computation: regions at chosen call sites take so many times less.
//
// (call sites, factor)... -> factor of a region, which begins or ends at two call sites: the
// product of those whose call sites have either. Threads: one owner per object; the sites may grow
// meanwhile, and must outlive it.
#pragma once

#include "predictor/trace/sites.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace farcast::region {

struct Speedup {
  std::set<trace::Frame> at; // innermost frames of call sites
  double factor = 1.0;       // above 0

  bool operator==(const Speedup&) const = default;
};

class Speedups {
public:
  Speedups(std::vector<Speedup> speedups, const trace::SiteTable& sites) : speedups_(std::move(speedups)), sites_(sites) {}
  // Returns: how many times as fast the region computes.
  double of(std::uint32_t region);

private:
  std::vector<Speedup> speedups_;
  const trace::SiteTable& sites_;
  std::vector<double> known_; // [region] 0: not looked up yet
};

} // namespace farcast::region
