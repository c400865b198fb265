// What was measured: counts and times per function, call site and region, straight from the
// recorded calls.
//
// Independent of any platform. In: a recording (live or complete). Out: Measured, with the numbers
// of its own site table.
#pragma once

#include "predictor/trace/call_reader.h"
#include "predictor/trace/function_info.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/sites.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace farcast::trace {

struct SpreadOf { // of seconds or bytes
  std::uint64_t count = 0;
  double total = 0;
  double max = 0;
  double min = 0;
  void add(double value, std::uint64_t times = 1);
};

struct MeasuredSite { // one site, one rank
  SpreadOf time_s;    // without what farcast took in the calls
  SpreadOf sent_bytes;
};

struct MeasuredRegion { // one region, one rank
  std::uint64_t visits = 0;
  double total_s = 0;
  double squares = 0;                  // sum of squared seconds
  std::vector<std::uint64_t> counters; // sums, [event of the recording]; empty: nothing was counted
};

struct MeasuredRank {
  int rank = -1;
  double app_s = 0;     // exit of Init to entry of Finalize, or to the last record
  double mpi_s = 0;     // of that, inside MPI calls of the thread that called MPI_Init
  double aside_s = 0;   // of app_s: that thread could have run and did not; taken out of its regions and local calls
  double compute_s = 0; // that thread's regions
  double others_s = 0;  // of cores that other threads used meanwhile, beyond that thread's own
  std::uint64_t init_exit_ticks = 0;
  std::uint64_t calls = 0;
  std::uint64_t decisions = 0; // outcomes that hang on timing
  bool initialized = false;
  bool finalized = false;
  bool corrupt = false;
  std::vector<std::uint64_t> functions;                                 // [function number] -> calls
  std::map<std::uint16_t, std::pair<std::uint64_t, double>> unmodelled; // function -> calls, seconds
  std::unordered_map<std::uint32_t, MeasuredSite> sites;
  std::unordered_map<std::uint32_t, MeasuredRegion> regions;
};

// Reads all streams of one rank to their end (blocks while they are open). Sites and regions get
// numbers of `sites`.
MeasuredRank tally(Recording& recording, RankRecording& rank, SiteTable& sites);

} // namespace farcast::trace
