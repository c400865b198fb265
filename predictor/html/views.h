// What the page shows of one prediction beside its figures: a time line, messages, links, power.
//
// One observer that hands on what it is told. One prediction each. Threads: that of predict();
// afterwards any. The platform and the placement must outlive it.
#pragma once

#include "predictor/html/arrows.h"
#include "predictor/html/link_load.h"
#include "predictor/html/traffic.h"
#include "predictor/sim/power_series.h"
#include "predictor/timeline/recorder.h"

#include <optional>
#include <set>

namespace farcast::html {

class Views final : public sim::Observer {
public:
  struct Bounds {
    std::size_t traffic_rows = 256;
    std::size_t power_steps = 400; // per node
  };
  Views(const platform::Platform& platform, const platform::Placement& placement, const Bounds& bounds);

  void interval(const sim::Interval& interval) override;
  void posted(const sim::MessagePosted& message) override;
  void arrived(const sim::MessageArrived& message) override { arrows.arrived(message); }
  void collective(const sim::CollectivePlayed& call) override { collectives.insert(call.kind); }
  void core(const sim::CoreChange& change) override;
  void other_threads(const sim::OtherThreads& use) override;
  [[nodiscard]] bool wants_links() const override { return true; }
  void link(const network::LinkUse& use) override { links.link(use); }
  void concluded(const sim::Prediction& prediction) override;

  timeline::TimeLine line; // without messages
  Traffic traffic;
  Arrows arrows;
  LinkLoad links;
  std::optional<sim::PowerSeries> power;       // unset: some host has no power figures
  std::set<trace::CollectiveKind> collectives; // that were called

private:
  timeline::Recorder recorder_;
};

} // namespace farcast::html
