// The state of the process that we sit in: the shared file, the connection to the predictor, and
// whether we record at all.
//
// Life: quiet -> (first MPI call: start) recording -> (Finalize) finished, or at any time off.
// Switching off is for good, says one line on stderr, and leaves pure pass-through. A forked child
// is off from its first instruction.
// Threads: start() runs once; the rest is read by all threads without locks.
// No dynamic initialiser here or in any other file of the library: start() may run in a constructor
// of the host, before ours.
#pragma once

#include "libinterpose/stream/segment.h"

#include <atomic>
#include <cstdint>

namespace farcast::interpose {

struct Settings {             // from FARCAST_* variables
  std::uint32_t stack_depth;  // FARCAST_STACK: frames per call site
  std::uint32_t max_segments; // FARCAST_BUFFER_MB: bound of a rank's rings
  char skip_libraries[1024];  // FARCAST_SKIP_LIB: comma-separated names of wrapper libraries
  char counters[512];         // FARCAST_COUNTERS
  std::uint32_t isolate;      // FARCAST_ISOLATE: ranks of the node that may compute at a time; 0: all
  bool coupled;               // FARCAST_COUPLED: outcomes and time are those of a virtual cluster (coupled.h)
  bool real_wtime;            // FARCAST_REAL_WTIME: MPI_Wtime stays the machine's
  bool one_thread;            // FARCAST_ONE_THREAD: one thread calls MPI, whatever level it asks for
  bool ends_on_fault;         // FARCAST_ON_FAULT=end: a coupled program does not go on by itself
  std::uint32_t poll_ns;      // FARCAST_FIXED_CLOCK: of a poll (clock.h); without it the clock is the processor's
  bool fixed_clock;
  bool cpu_clock; // FARCAST_CPU_CLOCK: sleep and I/O go out of long regions too
};

struct Process {
  std::atomic<bool> recording; // false: every wrapper passes through
  std::atomic<bool> started;
  std::atomic<bool> multiple; // the rank has several recording threads: calls carry tickets
  bool finalized;
  bool saw_init;
  int file;   // descriptor of the shared file
  int socket; // to the predictor; -1 when there is none. Use it through open_socket()
  stream::RankHeader* header;
  char* rings;                    // mapped ring headers
  std::uint64_t worthwhile_ticks; // what lasts longer is measured by pushed_aside.h
  std::uint64_t refresh_ticks;
  std::uint64_t row_ticks; // a row of repeated calls ends within this
  double ticks_per_ns;
  std::uint32_t ranks_here; // that share this node's memory
  Settings settings;
};
extern constinit Process process;

// Returns: the seconds of a tick.
inline double tick_s() { return 1 / (1e9 * process.ticks_per_ns); }
inline std::uint64_t ns_of(std::uint64_t ticks) {
  return static_cast<std::uint64_t>(static_cast<double>(ticks) / process.ticks_per_ns);
}

// The host may close descriptors that it does not know, and get their numbers for files of its own:
// before ours are used, their identity is checked. Returns: the socket, -1 when it is no longer
// ours; whether the memory file is still ours.
int open_socket();
bool file_is_ours();
// Connects to the predictor (starts it when nobody did) and maps the shared file. Never fails
// loudly: see switch_off.
void start();
// Records `reason`, tells the user in one line, and passes everything through from now on.
void switch_off(const char* reason);
// Says one line, on the first rank of the node alone: what is the matter, and what follows from it.
void tell_first(const char* why, const char* so);
// The same on any rank.
void tell(const char* why, const char* so);
// Prints what the predictor has to say by now.
void print_texts(int socket);
// Waits until what was said has left this process's pipe, if it is one; not for long.
void await_said();
// Returns: this process is the one that `farcast exec` turned into the program, and had run no
// other program when it first called MPI.
bool was_exec_target();
// After the real MPI_Init: who we are in the job.
void after_init(int rank, int size, bool multithreaded, const char* mpi_version);
// Before the real MPI_Finalize: last modules; after it: rank 0 waits for the report and prints it.
void before_finalize();
void after_finalize();

} // namespace farcast::interpose
