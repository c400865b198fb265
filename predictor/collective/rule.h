// A library's decision table as plain data, and how it is read.
//
// The first rule that holds wins. Invariant: a table's last rule holds for every call.
#pragma once

#include "predictor/collective/steps.h"

#include <limits>
#include <span>

namespace farcast::collective {

inline constexpr int kAny = std::numeric_limits<int>::max(); // no bound

enum class Only : std::uint8_t {
  always,
  powers_of_two, // communicators whose size is a power of two
  few_elements,  // fewer elements than the largest power of two that is not above the communicator's size
};

struct Rule {
  int below_size;  // the rule holds for smaller communicators ...
  int below_bytes; // ... and fewer bytes
  int algorithm;   // its number in the library's list, from 1
  Only only = Only::always;
};

inline bool holds(const Rule& rule, int size, double bytes, double elements) {
  if (rule.below_size != kAny && size >= rule.below_size) return false;
  if (rule.below_bytes != kAny && bytes >= rule.below_bytes) return false;
  if (rule.only == Only::powers_of_two) return is_power_of_two(size);
  return rule.only == Only::always || elements < floor_power_of_two(size);
}

// Returns: the number of the algorithm; 0 when no rule holds.
inline int decide(std::span<const Rule> rules, int size, double bytes, double elements) {
  for (const Rule& rule : rules)
    if (holds(rule, size, bytes, elements)) return rule.algorithm;
  return 0;
}

} // namespace farcast::collective
