// Standard normal deviates as a function of a key: the same key gives the same one, keys that differ
// give independent ones (Box and Muller 1958). Pure function, any thread.
#pragma once

#include "predictor/base/flat_map.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace farcast::base {

inline double normal_deviate(std::uint64_t key) {
  const auto share = [](std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }; // in [0, 1)
  const std::uint64_t first = mix_bits(key + kGolden);
  return std::sqrt(-2 * std::log(1 - share(first))) * std::cos(2 * std::numbers::pi * share(mix_bits(first + kGolden)));
}

} // namespace farcast::base
