// What the used nodes draw over virtual time, and all of them together: an observer's steps.
//
// What cores and threads do -> watts per node, steps of energy/step_series.h. The integral of a
// node's steps is its NodeEnergy::total, but for rounding.
// 1. Other threads of a rank (OtherThreads) count evenly over the computation or call that they ran
//    beside; where a rank's cores do not suffice for all of them, its node's threads have all less in
//    the same proportion.
// 2. Memory: at most `most` steps per node, and so many for their sum, whatever the number of changes.
// One prediction each. Threads: that of predict(); afterwards any. The platform and the placement
// must outlive predict().
#pragma once

#include "predictor/energy/step_series.h"
#include "predictor/platform/placement.h"
#include "predictor/sim/observer.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace farcast::sim {

class PowerSeries final : public Observer {
public:
  // Requires: every host of the placement has power figures; most >= 2.
  PowerSeries(const platform::Platform& platform, const platform::Placement& placement, std::size_t most);

  void core(const CoreChange& change) override;
  void other_threads(const OtherThreads& use) override;
  void concluded(const Prediction& prediction) override;

  // Of the prediction that was concluded.
  struct Node {
    std::string name; // of its host
    std::vector<energy::Step> watts;
  };
  [[nodiscard]] const std::vector<Node>& nodes() const { return results_; } // by host
  [[nodiscard]] const std::vector<energy::Step>& sum() const { return sum_; }
  [[nodiscard]] double end_s() const { return end_s_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; } // the realisation; 0: nothing was left to chance
  [[nodiscard]] const std::string& platform() const { return name_; }

private:
  struct Meter {
    platform::HostId host;
    std::vector<energy::CoreState> state_of;         // [core]
    std::array<int, energy::kCoreStates> cores_in{}; // [state]
    energy::StepSeries watts;                        // without other threads
    std::optional<energy::StepSeries> others;        // cores that other threads keep busy
    double others_s = 0;                             // of cores, as the prediction has them
  };
  [[nodiscard]] double watts_of(const Meter& meter) const;
  void add_others(Meter& meter, double end);

  const platform::Platform& platform_;
  const platform::Placement& placement_;
  std::size_t most_;
  std::vector<Meter> meters_;        // by host
  std::vector<std::uint32_t> index_; // [host] into meters_
  std::vector<Node> results_;
  std::vector<energy::Step> sum_;
  double end_s_ = 0;
  std::uint64_t seed_ = 0;
  std::string name_; // of the platform
};

} // namespace farcast::sim
