#include "predictor/energy/link_meter.h"

namespace farcast::energy {

std::vector<LinkEnergy> LinkMeter::finish(base::Seconds end) const {
  std::vector<LinkEnergy> out;
  for (const auto& [link, power] : platform_.link_power) {
    const base::Bytes carried(bytes_[link]);
    if (!(carried.value() > 0)) continue;
    out.push_back({link, carried, power.idle * end, (power.busy - power.idle) * (carried / platform_.links[link].bandwidth)});
  }
  return out;
}

} // namespace farcast::energy
