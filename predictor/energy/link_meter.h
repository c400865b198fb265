// What the links of the virtual cluster draw, from what each of them carries (SimGrid 3.32's
// link_energy plugin).
//
// (link, bytes) in any order -> joules per link: P = idle + (busy - idle) load / bandwidth, so that
// over the time T a link draws idle T + (busy - idle) bytes / bandwidth, whatever the rates were.
// 1. A link counts once something crosses it, and then from 0 to the end; others are not the run's,
//    as nodes without ranks are not. (SimGrid counts all links of the platform.)
// 2. Headers, acknowledgements and what a message loses by its bandwidth factor are load too.
// One thread per meter; the platform must outlive it.
#pragma once

#include "predictor/base/units.h"
#include "predictor/platform/platform.h"

#include <vector>

namespace farcast::energy {

struct LinkEnergy {
  platform::LinkId link = 0;
  base::Bytes carried{0.0};
  base::Joules idle{0.0};
  base::Joules carrying{0.0}; // beside idle
};

class LinkMeter {
public:
  explicit LinkMeter(const platform::Platform& platform) : platform_(platform), bytes_(platform.links.size(), 0.0) {}

  void carry(platform::LinkId link, base::Bytes amount) {
    if (link < bytes_.size()) bytes_[link] += amount.value(); // others are disks
  }
  // Returns: the energy from 0 until `end` of each link that has figures and carried something, by link.
  [[nodiscard]] std::vector<LinkEnergy> finish(base::Seconds end) const;

private:
  const platform::Platform& platform_;
  std::vector<double> bytes_; // [link]
};

} // namespace farcast::energy
