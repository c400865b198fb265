#include "predictor/model/thread_formulas.h"

#include "predictor/model/figures.h"

#include <algorithm>

namespace farcast::model {

base::Result<void> check(const ThreadTime& parameters) {
  return Figures("computation by threads")
      .at_least("P_low", parameters.low_threads, 1)
      .at_least("P_hi", parameters.high_threads, 0)
      .positive("T_min", parameters.minimum.value())
      .at_least("T_low", parameters.low.value(), 0.0)
      .at_least("T_hi", parameters.high.value(), 0.0)
      .at_least("K_hi", parameters.per_thread.value(), 0.0)
      .result();
}

base::Seconds computation_time(const ThreadTime& parameters, double instructions, int threads) {
  if (threads <= parameters.low_threads) return parameters.minimum * instructions;
  if (threads <= parameters.high_threads) return parameters.low * instructions;
  return (parameters.high + parameters.per_thread * threads) * instructions;
}

base::Result<void> check(const ThreadPower& parameters) {
  return Figures("power by threads")
      .at_least("P_low", parameters.low_threads, 1)
      .at_least("P_hi", parameters.high_threads, 0)
      .at_least("PW_low", parameters.low.value(), 0.0)
      .at_least("KW_low", parameters.low_per_thread.value(), 0.0)
      .at_least("PW_hi", parameters.high.value(), 0.0)
      .at_least("KW_hi", parameters.high_per_thread.value(), 0.0)
      .at_least("PW_max", parameters.maximum.value_or(base::Watts(0.0)).value(), 0.0)
      .result();
}

base::Watts thread_power(const ThreadPower& parameters, int threads) {
  const int most = std::max(parameters.low_threads, parameters.high_threads);
  if (threads > most && parameters.maximum) return *parameters.maximum;
  const int counted = std::min(threads, most);
  if (counted <= parameters.low_threads) return parameters.low + parameters.low_per_thread * counted;
  const base::Watts watts = parameters.high + parameters.high_per_thread * counted;
  return parameters.maximum ? std::min(watts, *parameters.maximum) : watts;
}

} // namespace farcast::model
