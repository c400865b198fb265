// One recorded run: who ran, where, and the streams of all threads of all ranks.
//
// Filled live by the predictor process, or read back from run files; read by the decoder, the tally
// and the run file writer.
// Threads: the metadata is guarded by `mutex` while a run is live; the streams guard themselves.
#pragma once

#include "predictor/trace/rank_threads.h"
#include "predictor/trace/slot_stream.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace farcast::trace {

struct LoadedModule {     // one object in one rank's address space
  std::uint64_t base = 0; // load bias: offset = address - base
  std::uint64_t end = 0;
  std::string build_id; // hexadecimal, empty: none
  std::string path;
};

enum class RankEnd : std::uint8_t { running, finalized, died, switched_off };

struct RankRecording {
  int rank = -1; // in MPI_COMM_WORLD; -1: MPI_Init was not reached
  int pid = 0;
  std::string host;
  double ticks_per_second = 1e9;     // of this rank's node: the nodes of one job may differ
  std::uint64_t overhead_ticks = 0;  // of one call, outside of its two time stamps
  std::uint64_t in_call_ticks = 0;   // of farcast, of one recorded call, between its two time stamps
  std::uint64_t call_cost_ticks = 0; // of one recorded call in all
  bool fixed_clock = false;          // of a test: FARCAST_FIXED_CLOCK
  bool cpu_clock = false;            // all time off the core was taken out of long regions, sleep and I/O too
  bool aside_partial = false;        // time pushed aside is unknown where the thread also slept
  int isolation = 0;                 // ranks of its node that might compute at a time (--isolate); 0: all
  int cores = 0;                     // of its node; 0: unknown
  RankThreads threads_seen;          // of the program, whether they call MPI or not
  bool multithreaded = false; // MPI_THREAD_SERIALIZED or _MULTIPLE was provided: further threads are timelines of their own
  RankEnd end = RankEnd::running;
  std::string off_reason;
  std::string counters_note; // why this rank has no counters; empty: it has what Recording::counters names
  std::uint64_t refused = 0; // calls not recorded
  std::vector<LoadedModule> modules;
  std::vector<std::unique_ptr<SlotStream>> threads; // [0] is the thread that called MPI first
};

// What a place in an object is called, so that a report on a machine without that object shows the
// same lines.
struct ResolvedSite {
  std::string module; // path of the object, as in LoadedModule
  std::string build_id;
  std::uint64_t offset = 0; // of the return address in the object
  std::string text;         // "file.c:123", "symbol+0x1f (module)" ...
  std::string file;         // empty: unknown
  int line = 0;             // 0: unknown
  std::string function;     // empty: unknown
  bool operator==(const ResolvedSite&) const = default;
};

struct Recording {
  explicit Recording(std::uint64_t memory_budget_bytes) : spill(memory_budget_bytes) {}

  std::mutex mutex;
  std::string source;  // the run file that it was read from; empty: live
  std::string program; // argv joined
  std::string executable;
  std::string mpi_library; // "Open MPI", "MPICH"
  std::string mpi_version;
  std::string start_date; // ISO 8601
  int world_size = 0;
  bool complete = true; // false: notes say what is missing
  std::vector<std::string> notes;
  std::vector<std::string> counters;  // hardware events that calls carry, in their order; empty: none were asked for
  double predictor_cpu_s = -1;        // while ranks computed; negative: unknown
  std::uint64_t backlog_records = 0;  // not yet played at Finalize
  double steal_share = -1;            // of the processor time of this node: taken by its hypervisor; negative: unknown
  std::atomic<bool> abandoned{false}; // who reads it may stop: nobody wants to know any more
  std::string coupled_to;             // the platform whose outcomes the program got; empty: those of the machine that it ran on
  std::uint64_t lent = 0;             // --isolate: ranks let through although none of those that computed stopped
  std::vector<ResolvedSite> resolved;
  std::vector<std::unique_ptr<Recording>> joined; // own the spill files of `ranks` when several run files were joined
  SpillFile spill;
  std::vector<std::unique_ptr<RankRecording>> ranks; // in order of appearance while live, by rank once complete
};

} // namespace farcast::trace
