// Which regions begin or end at chosen call sites.
//
// (innermost frames of call sites) -> region -> whether. Threads: one owner per object; the sites may
// grow meanwhile, and must outlive it.
#pragma once

#include "predictor/trace/sites.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace farcast::region {

class RegionsAt {
public:
  RegionsAt(std::set<trace::Frame> frames, const trace::SiteTable& sites) : frames_(std::move(frames)), sites_(sites) {}
  bool has(std::uint32_t region) {
    if (frames_.empty()) return false;
    if (region >= known_.size()) known_.resize(region + 1);
    std::optional<bool>& known = known_[region];
    if (!known) {
      const auto [from, to] = sites_.stacks_of(region);
      known = frames_.contains(from.front()) || frames_.contains(to.front());
    }
    return *known;
  }

private:
  std::set<trace::Frame> frames_;
  const trace::SiteTable& sites_;
  std::vector<std::optional<bool>> known_; // [region]
};

} // namespace farcast::region
