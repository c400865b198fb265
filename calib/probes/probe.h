// What the measuring programs share: clock, random numbers, what goes to farcast, and waiting
// without disturbing.
//
// A probe is started by `farcast calibrate ...` in the place of each rank. Rank 0 writes lines to
// the descriptor that its options name (a pipe that farcast reads), and nothing while a measurement
// is under way:
//   farcast-probe 2
//   fact NAME VALUE...                          once per name; the value goes to the end of the line
//   batch N                                     the samples that follow are of it, from 0 on; a probe may have none
//   sample KIND CLASS BYTES MESSAGES SECONDS
//   progress SHARE                              0 to 1
//   end                                         everything was written
// KIND and CLASS are words. All times are of CLOCK_MONOTONIC on one rank, less the clock's own cost.
#ifndef FARCAST_CALIB_PROBES_PROBE_H
#define FARCAST_CALIB_PROBES_PROBE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct probe_options {
  int output; // descriptor; only rank 0 has it
  double duration_s;
  long max_bytes;
  uint64_t seed;
  const char* directory; // collectives: where files are written and read; NULL: none
  int refused;           // rank 0 has to give up: it takes part only to end the others
};

// Writes the MPI library's name to the descriptor of "--library FD", without starting MPI. Returns:
// whether that was asked for.
int probe_tell_library(int argc, char** argv);
// Ends MPI and exits with 2 on all ranks when rank 0 was refused, and with a sentence when the
// command line is wrong: farcast makes it, so only a mismatch of versions comes there. All ranks
// call it.
struct probe_options probe_parse(int argc, char** argv, int rank);

// Seconds since some moment.
double probe_now(void);
// How often this thread has gone to sleep. That it was pushed aside, or gave its core away and
// stayed ready, does not count.
long probe_sleeps(void);
// Median cost of one probe_now, to be taken off every measured interval.
double probe_clock_cost(void);
// Sorts the values. Returns: the middle one.
double probe_median(double* values, int count);
// Lets the core go for long waits, spins for short ones. Never calls MPI.
void probe_wait(double seconds);
// A barrier whose early ranks sleep: they leave the cores to those that still measure.
void probe_quiet_barrier(MPI_Comm comm);

// The same numbers on every machine for one seed (splitmix64).
uint64_t probe_random(uint64_t* state);
double probe_uniform(uint64_t* state); // in [0, 1)
// Logarithmically uniform in [least, most]; `slot` of `slots` is the stratum that it falls into, so
// that few sizes cover all.
long probe_log_uniform(uint64_t* state, long least, long most, int slot, int slots);
void probe_shuffle(uint64_t* state, int* values, int count);

// One measurement. Kept in memory until a round is over.
struct probe_record {
  int kind; // of the probe's own list of names
  int pair_class;
  long bytes;
  int messages;
  double seconds;
};
struct probe_records {
  struct probe_record* data;
  int count;
  int room;
};
void probe_record_add(struct probe_records* records, int kind, int pair_class, long bytes, int messages, double seconds);

// For rank 0. A reader that is gone ends the program: nobody wants the measurement any more.
void probe_write(int output, const char* format, ...) __attribute__((format(printf, 2, 3)));
void probe_write_records(int output, const struct probe_records* records, const char* const* kinds, const char* const* classes);
// MPI library, sizes, seed: what every probe tells first.
void probe_write_header(int output, const struct probe_options* options, int ranks, int hosts);

// Where each rank stands. Classes of pairs, from near to far.
enum probe_class { CLASS_SAME_CACHE, CLASS_SAME_SOCKET, CLASS_OTHER_SOCKET, CLASS_SAME_NODE, CLASS_OTHER_NODE, CLASS_COUNT };
enum { CLASS_SELF = CLASS_COUNT }; // a rank and itself: of samples, not of pairs
extern const char* const probe_class_names[CLASS_COUNT + 1];
struct probe_place {
  char host[64];
  int cache;   // logical number of the last-level cache that the rank is bound to; -1: not bound to one
  int package; // the same for the socket
  int cores;   // of the node
};
// Returns: the places of all ranks, on every rank; to be freed.
struct probe_place* probe_places(int size);
enum probe_class probe_classify(const struct probe_place* a, const struct probe_place* b);
int probe_count_hosts(const struct probe_place* places, int size);

#endif
