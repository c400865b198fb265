// Figures that every report derives from a Prediction. Unset: unavailable.
#pragma once

#include "predictor/model/energy_delay.h"
#include "predictor/sim/prediction.h"

#include <optional>

namespace farcast::report {

inline std::optional<base::Watts> average_power(const sim::Prediction& prediction) {
  if (!prediction.energy || prediction.time.value() <= 0.0) return std::nullopt;
  return *prediction.energy / prediction.time;
}

inline base::Joules total(const sim::LinkEnergy& link) { return link.idle + link.carrying; }
inline base::Joules links_energy(const sim::Prediction& prediction) {
  base::Joules sum{0.0};
  for (const auto& [number, link] : prediction.links) sum += total(link);
  return sum;
}

// Energy-delay product in J s, of nodes and links: Balladini13 eq. (2).
inline std::optional<double> energy_delay(const sim::Prediction& prediction) {
  if (!prediction.energy) return std::nullopt;
  return model::energy_delay(*prediction.energy + links_energy(prediction), prediction.time).value();
}

} // namespace farcast::report
