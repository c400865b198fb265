// A recorded run as a time line: what each rank really did.
//
// In: the streams of the ranks' main threads. Out: wall-clock time by each rank's own clock, which is
// 0 at its exit of MPI_Init: what pushed a rank aside is part of it. There are no messages: when one
// arrived is not recorded. A row of fruitless polls is one call. Threads: one.
#pragma once

#include "predictor/timeline/time_line.h"
#include "predictor/trace/recording.h"

namespace farcast::timeline {

// Sites and regions get numbers of `sites`. Requires: the run is over; its ranks are sorted.
TimeLine measured(trace::Recording& recording, trace::SiteTable& sites);

} // namespace farcast::timeline
