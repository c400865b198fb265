// Figures of papers in tests: computed by hand to 1e-9, or printed to so many digits.
#pragma once

#include <catch2/catch.hpp>

#include <cmath>

namespace closed_form {

inline constexpr double kMicro = 1e-6;
inline constexpr double kGiga = 1e9;

// A value that was computed by hand: relative difference <= 1e-9; 0 exactly.
inline Approx by_hand(double value) { return Approx(value).epsilon(1e-9).margin(0.0); }

// Whether `value` prints as `printed`, whose last digit counts `last`: 117 minutes is rounds_to(m,
// 117, 1).
inline bool rounds_to(double value, double printed, double last) { return std::fabs(value - printed) <= 0.5 * last * (1 + 1e-9); }

// What a paper prints, known to half of its last digit.
struct Printed {
  double value, last;

  [[nodiscard]] double low() const { return value - 0.5 * last; }
  [[nodiscard]] double high() const { return value + 0.5 * last; }
};

} // namespace closed_form
