// Energy by what cores did meanwhile (Heinrich17 eq. (1)).
#pragma once

#include "predictor/base/units.h"

namespace farcast::energy {

struct EnergyParts {
  base::Joules baseline{0.0}; // idle and static power
  base::Joules computing{0.0};
  base::Joules polling{0.0};
  base::Joules probing{0.0};

  [[nodiscard]] base::Joules total() const { return baseline + computing + polling + probing; }
  EnergyParts& operator+=(const EnergyParts& other) {
    baseline += other.baseline;
    computing += other.computing;
    polling += other.polling;
    probing += other.probing;
    return *this;
  }
};

} // namespace farcast::energy
