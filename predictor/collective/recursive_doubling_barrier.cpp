#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void recursive_doubling_barrier(Place at, Schedule& out) {
  const int power = floor_power_of_two(at.size);
  // Ranks past the power of two report to a partner below it, and hear from it when all is done.
  if (at.rank >= power) {
    exchange(out, at.rank - power, 0, at.rank - power, 0);
    return;
  }
  const bool has_extra = at.rank + power < at.size;
  if (has_extra) receive(out, at.rank + power, 0);
  for (int bit = 1; bit < power; bit *= 2) exchange(out, at.rank ^ bit, 0, at.rank ^ bit, 0);
  if (has_extra) send(out, at.rank + power, 0);
}

} // namespace farcast::collective
