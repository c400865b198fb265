// Hardware counters of the computation between calls: PAPI, opened at run time, one event set per
// recording thread.
//
// In: FARCAST_COUNTERS, event names with commas between. Out: a `counters` extension with each
// recorded call: what was counted since the exit of the call before. PAPI is opened, not linked: a
// machine without it, or without counters, loses only them.
// Invariants: (1) whatever fails ends counting, with one note in the rank's header that names the
// event and PAPI's reason; the counters of the run are then unavailable, never 0, and the program
// goes on; (2) PAPI that the program itself loaded is left alone: a thread has one running event
// set, and it is the program's; (3) read outside of a call's two time stamps, so that reading costs
// regions (the header's overhead says how much) and not calls.
// Threads: prepare_counters() once; the rest is called by the thread that it is about.
#pragma once

#include "libinterpose/stream/segment.h"

#include <cstdint>

namespace farcast::interpose {

struct Thread;

struct CounterSet { // of one thread; [event], in the order of the names
  int events;
  std::uint32_t count;
  std::uint64_t own[stream::kMostCounters];  // what is counted between two readings in a row: it is taken off
  long long at_exit[stream::kMostCounters];  // at the exit of the last call
  long long at_entry[stream::kMostCounters]; // at the entry of this one
};

// Opens PAPI when FARCAST_COUNTERS asks for events. Requires: the settings are read and the header
// is there.
void prepare_counters();
// Starts to count for this thread; `first`: measures what reading costs.
void start_counters(Thread& thread, bool first);
void stop_counters(Thread& thread);

// Requires, all three: thread.counting.
void read_counters_at_entry(Thread& thread);
void write_counters(Thread& thread); // with the call whose slot has just been reserved
void read_counters_at_exit(Thread& thread);

} // namespace farcast::interpose
