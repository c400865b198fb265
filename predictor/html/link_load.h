// How much of each link is in use over virtual time.
//
// What links carry -> per link its bytes and the mean share of its bandwidth in slices of equal
// length. Links that carry nothing, and fat pipes, are not there. One prediction each. Memory: per
// link that carries something at most kSteps steps. Threads: that of predict(); afterwards any.
#pragma once

#include "predictor/energy/step_series.h"
#include "predictor/platform/platform.h"
#include "predictor/sim/observer.h"

#include <map>
#include <string>
#include <vector>

namespace farcast::html {

class LinkLoad final : public sim::Observer {
public:
  // The platform must outlive it.
  explicit LinkLoad(const platform::Platform& platform) : platform_(platform) {}

  [[nodiscard]] bool wants_links() const override { return true; }
  void link(const network::LinkUse& use) override;
  void concluded(const sim::Prediction& prediction) override { end_s_ = prediction.time.value(); }

  struct Link {
    std::string name;
    double bandwidth = 0; // bytes per second
    double bytes = 0;
    double share = 0;           // of its bandwidth, in the mean over the prediction
    std::vector<double> shares; // [slice of equal length]
  };
  // Returns: the links that are used most of their bandwidth, at most so many, and their shares in
  // `slices` slices. Requires: the prediction was concluded; slices > 0.
  [[nodiscard]] std::vector<Link> busiest(std::size_t most, std::size_t slices) const;
  [[nodiscard]] std::size_t used() const { return loads_.size(); } // links

private:
  static constexpr std::size_t kSteps = 512;
  struct Load {
    energy::StepSeries rate{kSteps}; // bytes per second
    double bytes = 0;
  };
  const platform::Platform& platform_;
  std::map<platform::LinkId, Load> loads_;
  double end_s_ = 0;
};

// Returns: the mean of the steps in slices of equal length from 0 to `end`. Requires: slices > 0,
// end > 0.
std::vector<double> means(const std::vector<energy::Step>& steps, double end, std::size_t slices);

} // namespace farcast::html
