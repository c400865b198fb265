// Computation and power of a node by its active threads: Proficz16 Table 1 (Table 3: parameters).
//
//   time  t  = T_min h              p <= P_low           h: instructions, p: active threads
//            = T_low h              P_low < p <= P_hi    hyper-threads
//            = (T_hi + K_hi p) h    p > P_hi             more threads than the node has
//   power pw = PW_low + KW_low p                 p <= P_low
//            = min(PW_hi + KW_hi p, PW_max)      P_low < p <= P_hi
//            = PW_max                            p > P_hi
// 1. The paper leaves p = P_hi out of all three pieces. It belongs to the middle one: by section 4
//    the last is for threads beyond the virtual cores.
// 2. The printed power pieces do not join: Galera+ falls from 136.1 W (12 threads) to 133.7 W (13),
//    and passes PW_max = 151 W from 23 threads on. PW_max is the most by its name, so it caps the
//    middle piece; the fall stays as printed.
// 3. "-" of P_hi and T_low is 0: no hyper-threads, no middle piece. "-" of power is not measured.
// Communication and disk: block_formulas.h; success odds: failures.h. Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

#include <optional>

namespace farcast::model {

struct ThreadTime {
  int low_threads = 1;      // P_low: cores
  int high_threads = 0;     // P_hi: hardware threads; <= P_low: no middle piece
  base::Seconds minimum;    // T_min, of one instruction
  base::Seconds low;        // T_low
  base::Seconds high;       // T_hi
  base::Seconds per_thread; // K_hi
};
// Errors: no cores, a negative time, no time at all for an instruction.
base::Result<void> check(const ThreadTime& parameters);
// Requires: threads >= 1, instructions >= 0.
base::Seconds computation_time(const ThreadTime& parameters, double instructions, int threads);

struct ThreadPower {
  int low_threads = 1;                // P_low
  int high_threads = 0;               // P_hi; <= P_low: no middle piece
  base::Watts low;                    // PW_low
  base::Watts low_per_thread;         // KW_low
  base::Watts high;                   // PW_hi
  base::Watts high_per_thread;        // KW_hi
  std::optional<base::Watts> maximum; // PW_max; unset: beyond P_hi as with P_hi
};
// Errors: no cores, negative watts.
base::Result<void> check(const ThreadPower& parameters);
// Of the node. With no thread: PW_low, which stands for idle as well. Requires: threads >= 0.
base::Watts thread_power(const ThreadPower& parameters, int threads);

} // namespace farcast::model
