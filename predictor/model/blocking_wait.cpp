#include "predictor/model/blocking_wait.h"

#include "predictor/model/figures.h"

namespace farcast::model {

base::Result<void> check(const BlockingWait& costs) {
  return Figures("blocking wait").at_least("spin", costs.spin.value(), 0.0).at_least("wake", costs.wake.value(), 0.0).result();
}

Wait polling_wait(base::Seconds wait, base::Watts polling) { return {wait, polling * wait}; }

Wait blocking_wait(base::Seconds wait, const BlockingWait& costs, base::Watts polling, base::Watts idle) {
  if (wait <= costs.spin) return polling_wait(wait, polling);
  return {wait + costs.wake, polling * (costs.spin + costs.wake) + idle * (wait - costs.spin)};
}

} // namespace farcast::model
