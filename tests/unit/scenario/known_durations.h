// Timelines of one region whose computation takes given seconds.
#pragma once

#include "predictor/trace/operation.h"
#include "predictor/trace/sites.h"

#include <utility>
#include <vector>

namespace farcast::scenario {

class KnownDurations final : public trace::Timelines {
public:
  // `seconds`: [timeline] one after the other. `alike`: each stands for so many, told as their sum.
  explicit KnownDurations(std::vector<std::vector<double>> seconds, std::uint64_t alike = 1)
      : seconds_(std::move(seconds)), alike_(alike), at_(seconds_.size(), 0) {
    const std::uint32_t site = sites_.site({{{"program", "", 16}}, 1});
    sites_.region(site, site);
  }
  [[nodiscard]] int ranks() const override { return static_cast<int>(seconds_.size()); }
  [[nodiscard]] int timelines() const override { return ranks(); }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, trace::Operation& out) override {
    const auto row = static_cast<std::size_t>(timeline);
    if (at_[row] == seconds_[row].size()) return false;
    out = {};
    out.compute = base::Seconds(seconds_[row][at_[row]++] * static_cast<double>(alike_));
    out.times = alike_;
    out.even = alike_ > 1;
    return true;
  }
  [[nodiscard]] const trace::SiteTable& sites() const { return sites_; }
  [[nodiscard]] const std::vector<std::vector<double>>& seconds() const { return seconds_; }

private:
  std::vector<std::vector<double>> seconds_;
  std::uint64_t alike_;
  std::vector<std::size_t> at_;
  trace::SiteTable sites_;
};

} // namespace farcast::scenario
