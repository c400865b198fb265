// A recorded run as files that other simulators play: SimGrid's time-independent trace, LogGOPSim's
// GOAL.
//
// In: the run's timelines, twice the same (read through once before the first line is written).
// Out: files that appear complete or not at all, and what they could not say. Formats:
// trace/ti_trace.md; GOAL: Hoefler, Schneider, Lumsdaine 2010 (LogGOPSim).
// Threads: one.
#pragma once

#include "predictor/base/result.h"
#include "predictor/collective/selection.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace farcast::convert {

enum class Format : std::uint8_t { ti, goal };

struct Options {
  Format format = Format::ti;
  bool plain = false;              // ti: nothing beyond SimGrid 3.32; its collectives on other communicators as their messages
  double flops_per_second = 1e9;   // ti: what a second of computation is
  collective::Selection selection; // the algorithms of collectives that become messages
  std::string origin;              // the run, for the comment at the top
};

struct Outcome {
  std::uint64_t actions = 0;       // lines, or vertices
  std::vector<std::string> losses; // sentences
};

// ti: `path` becomes a folder with the index file `trace` and a file per rank; goal: a file.
// Errors: no such place, the folder exists already, disk full; a run that the format cannot hold.
base::Result<Outcome> convert(trace::Timelines& first, trace::Timelines& second, const Options& options, const std::string& path);

} // namespace farcast::convert
