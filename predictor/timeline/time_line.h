// What every rank does over time, measured or predicted, and the messages between ranks.
//
// Filled by recorder.h (a prediction) or measured.h (the run itself), read by the writers of
// files. Times are seconds since the exit of MPI_Init. Of a rank its main thread.
// Invariants: (1) a rank's intervals follow each other without a gap, from 0 to end_s; (2) those of
// one call have the same `entered`; (3) a rank's messages stand in the order of the time at which
// it sent, or received, them.
#pragma once

#include "predictor/sim/prediction.h"
#include "predictor/timeline/names.h"
#include "predictor/timeline/record_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace farcast::timeline {

struct Interval { // as sim::Interval
  double begin = 0;
  double end = 0;
  double entered = 0;
  std::uint32_t site = 0;
  std::uint32_t region = 0;
  sim::Activity activity = sim::Activity::compute;
};

struct Message {
  std::uint64_t id = 0;
  double sent = 0;
  double received = 0; // it is there, and its receive is posted; among those sent: unknown, 0
  double bytes = 0;
  std::uint32_t peer = 0; // rank
};

struct TimeLine {
  explicit TimeLine(std::size_t ranks) : intervals(ranks), sent(ranks), received(ranks) {}

  std::string name;                 // "measured", "predicted on taurus"
  std::vector<std::string> host_of; // [rank]
  double end_s = 0;
  Names names;
  RecordFile<Interval> intervals; // [rank]
  RecordFile<Message> sent;       // [rank]
  RecordFile<Message> received;   // [rank]

  [[nodiscard]] std::size_t ranks() const { return intervals.sequences(); }
  // Errors: not all of it could be kept.
  [[nodiscard]] base::Result<void> check() const {
    for (const auto& whole : {intervals.check(), sent.check(), received.check()})
      if (!whole) return whole;
    return {};
  }
};

} // namespace farcast::timeline
