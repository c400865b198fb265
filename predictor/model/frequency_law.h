// How the time of a computation, and the power of a node, follow the clock.
//
//   T(f) = T(fmax) (1 + b (fmax / f - 1))     b: the share of the time that the clock rules
//   T(f) = a (f / GHz)^e                      Balladini13 fig. 7, its "potential" regression
//   P(f) = c0 + c1 f + c2 f^2, f in GHz       Balladini13 3.1, a polynomial of degree 2
// The first is Hsu and Kremer's (2003), as Etinski et al. (Heinrich17's [2]) use it. Heinrich17
// itself prints no law in f: its power at each f is measured (node_power.h). Calibration fits all
// three (calib/fit/frequency_law.h, power.h). Threads: pure functions.
#pragma once

#include "predictor/base/units.h"

#include <cmath>

namespace farcast::model {

// Returns: T(f) / T(fmax), exactly 1 at fmax. Requires: 0 <= clock_share <= 1; frequencies above 0.
inline double clock_factor(double clock_share, base::Hertz maximum, base::Hertz frequency) {
  return 1.0 + clock_share * (maximum / frequency - 1.0);
}

struct TimeCurve {
  base::Seconds at_one_ghz; // a
  double exponent = -1.0;   // e: -1 where the clock rules all of the time, 0 where it rules nothing

  // Requires: frequency > 0.
  [[nodiscard]] base::Seconds operator()(base::Hertz frequency) const {
    return at_one_ghz * std::pow(frequency.value() / 1e9, exponent);
  }
};

struct PowerCurve {
  base::Watts constant;   // c0
  base::Watts per_ghz;    // c1
  base::Watts per_square; // c2, per GHz^2

  [[nodiscard]] base::Watts operator()(base::Hertz frequency) const {
    const double ghz = frequency.value() / 1e9;
    return constant + per_ghz * ghz + per_square * ghz * ghz;
  }
};

} // namespace farcast::model
