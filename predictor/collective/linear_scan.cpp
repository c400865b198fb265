#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_scan(Place at, double bytes, Schedule& out) {
  if (at.rank > 0) {
    receive(out, at.rank - 1, bytes);
    reduce(out, bytes);
  }
  if (at.rank + 1 < at.size) send(out, at.rank + 1, bytes);
}

} // namespace farcast::collective
