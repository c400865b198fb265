// Waiting for a message by polling, or by blocking after a short poll: Kandalla10 II-C and VII-C.
//
// The paper has no equation, only what happens: a blocking process polls for a while, yields its
// core, and goes on when the interrupt has come and it is scheduled again, later than a polling
// one.
//   polling   time w, energy P_poll w
//   blocking  w <= spin: the same
//             else time w + wake, energy P_poll (spin + wake) + P_idle (w - spin)
// That a blocked core draws what an idle one does, and polling power while it wakes, is ours.
// Printed: 2.0 kW blocking, 2.3 kW polling in MPI_Alltoall. Watts are those of one core above the
// node's static part. Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

namespace farcast::model {

struct BlockingWait {
  base::Seconds spin; // polled before the core is given up
  base::Seconds wake; // interrupt and scheduling
};
// Errors: a negative time.
base::Result<void> check(const BlockingWait& costs);

struct Wait {
  base::Seconds time;
  base::Joules energy;
};
// `wait`: from the call until the message is there. Require: wait >= 0, check(costs).
Wait polling_wait(base::Seconds wait, base::Watts polling);
Wait blocking_wait(base::Seconds wait, const BlockingWait& costs, base::Watts polling, base::Watts idle);

} // namespace farcast::model
