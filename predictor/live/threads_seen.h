// What a rank's header says of its threads.
#pragma once

#include "libinterpose/stream/segment.h"
#include "predictor/trace/rank_threads.h"

namespace farcast::live {

// The process may still write there: no number is believed beyond what a rank can have.
trace::RankThreads threads_seen(const stream::RankHeader& head);

} // namespace farcast::live
