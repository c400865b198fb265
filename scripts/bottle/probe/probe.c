// farcast_bottle_probe CASE [, CASE]...   with CASE = PATTERN REPETITIONS [BYTES [MESSAGES]]: communication patterns, timed.
//
// All ranks start a repetition at the same time by their clock, which the hosts of a bottle share:
// ranks leave a barrier up to some latencies apart, and would take that skew along. Times are from
// the start of the last one, for few cores wake many ranks one after another; where everything
// waits for rank 0, from its start. Some repetitions that are not counted open the connections and
// their windows first. Rank 0 prints one line of JSON per case: each rank's median time over the
// repetitions; of the quickest rank's and of the slowest rank's in each repetition the median, the
// least, the greatest and the mean; how many cores the ranks kept busy meanwhile, of how many, and
// how much of its core the switch (of the process BOTTLE_SWITCH) for all that it had to do for a
// repetition; their processor time in a repetition, how often they fell asleep in it, and how far
// apart they started at most; and whether all data arrived. Every received byte is checked against
// what the sender must have written, when all ranks are done.
//   ping_pong    ranks 0 and 1, MESSAGES times there and back; the time is of one way
//   ping_pongs   the same of ranks 0 and 1, 2 and 3, ... at once
//   both_ways    ranks 0 and 1 send BYTES to each other at once (irecv, isend, wait, wait)
//   answered     the same, but rank 1 sends when an empty message from rank 0 tells it to, which follows rank 0's own
//   in_flight    rank 0 sends MESSAGES messages of BYTES to rank 1, all posted before any is waited for
//   halo         ranks in a ring exchange BYTES with both neighbours (irecv, irecv, isend, isend, waitall), MESSAGES times
//   many_to_one  all others send BYTES to rank 0; its time
//   one_to_many  rank 0 sends BYTES to each other rank (isend ..., waitall); the receivers' times
//   pairs        rank i of the first half sends BYTES to rank i of the second; the receivers' times
//   bcast, allreduce (doubles, sum), alltoall, allgather (in place: ranks that share cores would
//   copy their own blocks one after
//                another)   of BYTES (per peer, per rank for the last two), MESSAGES times
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,readability-identifier-naming): sched_getaffinity
#include "patterns.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { WARM_UPS = 3, TRIALS = 5 };

static const double kLeastLead = 1e-3; // s, from the message that names a start to that start
static const double kMostLead = 0.1;   // s
static const double kSpin = 200e-6;    // s
static const double kPeace = 1.5;      // so many times as long as the longest repetition nobody looks at what it has received

struct test_case {
  const struct pattern* pattern;
  int repetitions;
  int bytes;
  int messages;
};

// MPI_Wtime starts at zero in each process; this one the hosts of a bottle share.
double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_until(double time_s) {
  const time_t whole = (time_t)time_s;
  const struct timespec until = {whole, (long)((time_s - (double)whole) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

// What this process has had of the cores.
static double cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// What the switch has had of its core; 0 where nobody has said which process it is.
static double switch_s(void) {
  const char* const process = getenv("BOTTLE_SWITCH");
  clockid_t clock;
  struct timespec now = {0, 0};
  if (process == NULL || clock_getcpuclockid((pid_t)strtol(process, NULL, 10), &clock) != 0 || clock_gettime(clock, &now) != 0)
    return 0;
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// How many cores the ranks have between them.
static int cores_there(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// How often this process has fallen asleep.
static double sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_nvcsw;
}

unsigned char mark(int sender, int slot, int at) { return (unsigned char)(sender * 31 + slot * 7 + at); }

static void fill(unsigned char* data, int bytes, int sender, int slot) {
  for (int i = 0; i < bytes; ++i) data[i] = mark(sender, slot, i);
}

int differs(const unsigned char* data, int bytes, int sender, int slot) {
  for (int i = 0; i < bytes; ++i) {
    if (data[i] != mark(sender, slot, i)) return 1;
  }
  return 0;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

// Sorts the values. Returns: the middle one.
static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof values[0], ascending);
  return values[count / 2];
}

static void* room_for(size_t count, size_t size) {
  void* room = calloc(count > 0 ? count : 1, size);
  if (room == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return room;
}

// The median, the least, the greatest, and the mean. Sorts the values.
static void tell(const char* name, double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  const double middle = median(values, count);
  printf("\"%s\": [%.9f, %.9f, %.9f, %.9f]", name, middle, values[0], values[count - 1], sum / count);
}

// A pattern's time is told per part.
static double parts_of(const struct test_case* test) {
  return (double)test->pattern->fixed_parts * (test->pattern->per_message ? test->messages : 1);
}

enum figure { FIGURE_START, FIGURE_TIME, FIGURE_CPU, FIGURE_SLEEPS, FIGURE_SWITCH, FIGURE_COUNT };

static double figure_of(const struct test_case* test, const double* figures, int rank, enum figure which, int repetition) {
  return figures[((size_t)rank * FIGURE_COUNT + (size_t)which) * (size_t)test->repetitions + (size_t)repetition];
}

// Returns: from when the times of a repetition count.
static double origin_of(const struct test_case* test, const double* figures, int size, int repetition) {
  double last = 0;
  for (int rank = 0; rank < size; ++rank) {
    const double start = figure_of(test, figures, rank, FIGURE_START, repetition);
    if (start > last) last = start;
    if (test->pattern->from_root) return start;
  }
  return last;
}

// Returns: how far apart the ranks have started, at most.
static double skew_of(const struct test_case* test, const double* figures, int size) {
  double greatest = 0;
  for (int i = 0; i < test->repetitions; ++i) {
    double first = figure_of(test, figures, 0, FIGURE_START, i);
    double last = first;
    for (int rank = 1; rank < size; ++rank) {
      const double start = figure_of(test, figures, rank, FIGURE_START, i);
      if (start < first) first = start;
      if (start > last) last = start;
    }
    if (last - first > greatest) greatest = last - first;
  }
  return greatest;
}

// Returns: the median of a figure of all ranks together, per part of `parts_s` where that is not NULL.
static double sum_of(const struct test_case* test, const double* figures, int size, enum figure which, const double* parts_s) {
  double* sums = room_for((size_t)test->repetitions, sizeof(double));
  for (int i = 0; i < test->repetitions; ++i) {
    for (int rank = 0; rank < size; ++rank) sums[i] += figure_of(test, figures, rank, which, i);
    if (parts_s != NULL && parts_s[i] > 0) sums[i] /= parts_s[i] * parts_of(test);
  }
  const double middle = median(sums, test->repetitions);
  free(sums);
  return middle;
}

// figures[rank][which][repetition]; a rank without a part has taken no time.
static void report(const struct test_case* test, int size, const double* figures, int bad) {
  const int repetitions = test->repetitions;
  double* seconds = room_for((size_t)repetitions * (size_t)size, sizeof(double));
  double* quickest = room_for((size_t)repetitions, sizeof(double));
  double* slowest = room_for((size_t)repetitions, sizeof(double));
  for (int i = 0; i < repetitions; ++i) {
    const double origin = origin_of(test, figures, size, i);
    for (int rank = 0; rank < size; ++rank) {
      const double own = figure_of(test, figures, rank, FIGURE_TIME, i);
      const double late = origin - figure_of(test, figures, rank, FIGURE_START, i);
      const double took = own > 0 ? (own - late) / parts_of(test) : 0;
      seconds[(size_t)rank * (size_t)repetitions + (size_t)i] = took;
      if (took > slowest[i]) slowest[i] = took;
      if (took > 0 && (!(quickest[i] > 0) || took < quickest[i])) quickest[i] = took;
    }
  }
  // What the switch and the kernel did for the ranks is not in it.
  const double cores = sum_of(test, figures, size, FIGURE_CPU, slowest);
  printf("{\"pattern\": \"%s\", \"ranks\": %d, \"bytes\": %d, \"messages\": %d, \"delivered\": %s, \"seconds\": [",
         test->pattern->name, size, test->bytes, test->messages, bad ? "false" : "true");
  for (int rank = 0; rank < size; ++rank)
    printf("%s%.9f", rank ? ", " : "", median(seconds + (size_t)rank * (size_t)repetitions, repetitions));
  printf("], ");
  tell("quickest", quickest, repetitions);
  printf(", ");
  tell("slowest", slowest, repetitions);
  printf(", \"cores\": %.3f, \"of_cores\": %d", cores, cores_there());
  printf(", \"switch\": %.3f", sum_of(test, figures, size, FIGURE_SWITCH, slowest));
  printf(", \"work_s\": %.9f, \"sleeps\": %.0f, \"skew_s\": %.9f}\n", sum_of(test, figures, size, FIGURE_CPU, NULL),
         sum_of(test, figures, size, FIGURE_SLEEPS, NULL), skew_of(test, figures, size));
  fflush(stdout);
  free(seconds);
  free(quickest);
  free(slowest);
}

// Returns: how long a message of 8 bytes from rank 0 to all others takes until the last has it.
static double way_to_all(void) {
  double longest = 0;
  for (int i = 0; i < TRIALS; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double sent = now_s();
    MPI_Bcast(&sent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const double took = now_s() - sent;
    double slowest = 0;
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (slowest > longest) longest = slowest;
  }
  return longest;
}

// All ranks leave it at the same time, or as soon after it as a core has time for them. Their wait
// is as long as the message that names the start may take, and no longer: after 10 ms a first
// message takes up to 40 us more than after one. (A barrier before it does not tell how long that
// is: for who comes last it takes no time.) way: of way_to_all(). Returns: when this one did.
static double start_together(double way) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double lead = 2 * way > kMostLead ? kMostLead : 2 * way;
  double start = now_s() + (lead > kLeastLead ? lead : kLeastLead);
  MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // Waking up takes tens of microseconds, not the same for all: with a core for each rank they wake
  // before, and spin.
  const double spin = size <= cores_there() ? kSpin : 0;
  sleep_until(start - spin);
  while (now_s() < start) {
  }
  return now_s();
}

// Returns: whether anything wrong was received anywhere.
static int play(const struct test_case* test, int rank, int size) {
  struct pattern_arguments a = {test->bytes, test->messages, rank, size, NULL, NULL, 0, NULL, 0};
  a.slots = (a.messages > size ? a.messages : size) + 1;
  const size_t room = (size_t)a.bytes * (size_t)a.slots + 16;
  a.out = room_for(room, 1);
  a.in = room_for(room, 1);
  a.requests = room_for((size_t)a.slots * 2 + 4, sizeof(MPI_Request));
  const int figures = FIGURE_COUNT * test->repetitions;
  double* mine = room_for((size_t)figures, sizeof(double));
  double* all = room_for((size_t)figures * (size_t)size, sizeof(double));
  for (int slot = 0; slot < a.slots; ++slot) fill(a.out + (size_t)slot * (size_t)a.bytes, a.bytes, rank, slot);
  if (test->pattern->of_doubles) {
    for (size_t at = 0; at + sizeof(double) <= (size_t)a.bytes; at += sizeof(double))
      memcpy(a.out + at, &(double){1.0}, sizeof(double));
  }
  const double way = way_to_all();
  double longest = 0; // that a repetition has lasted on any rank
  int bad = 0;
  for (int i = -WARM_UPS; i < test->repetitions; ++i) {
    memset(a.in, 0, room);
    memcpy(a.in + (size_t)rank * (size_t)a.bytes, a.out, (size_t)a.bytes); // allgather's own block
    a.start = start_together(way);
    const double cpu = cpu_s();
    const double slept = sleeps();
    const double carried = rank == 0 ? switch_s() : 0;
    const double took = test->pattern->play(&a);
    if (i >= 0) {
      mine[FIGURE_START * test->repetitions + i] = a.start;
      mine[FIGURE_TIME * test->repetitions + i] = took;
      mine[FIGURE_CPU * test->repetitions + i] = cpu_s() - cpu;
      mine[FIGURE_SLEEPS * test->repetitions + i] = sleeps() - slept;
    }
    // Looking at megabytes takes milliseconds of a core that the others may need to come to their end.
    const double lasted = now_s() - a.start;
    if (lasted > longest) longest = lasted;
    sleep_until(a.start + kPeace * longest);
    if (i >= 0 && rank == 0) mine[FIGURE_SWITCH * test->repetitions + i] = switch_s() - carried;
    bad |= test->pattern->wrong(&a);
    MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  int any = 0;
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Gather(mine, figures, MPI_DOUBLE, all, figures, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) report(test, size, all, any);
  free(a.out);
  free(a.in);
  free(a.requests);
  free(mine);
  free(all);
  return any;
}

static const struct pattern* pattern_named(const char* name) {
  for (const struct pattern* p = message_patterns; p->name != NULL; ++p) {
    if (strcmp(p->name, name) == 0) return p;
  }
  for (const struct pattern* p = collective_patterns; p->name != NULL; ++p) {
    if (strcmp(p->name, name) == 0) return p;
  }
  return NULL;
}

static int at_least(const char* text, int least) {
  const long value = strtol(text, NULL, 10);
  return value < least ? least : (int)value;
}

// Returns: how many words the case at `words` has; 0: it is none.
static int parse(char** words, int count, struct test_case* test) {
  int length = 0;
  while (length < count && strcmp(words[length], ",") != 0) ++length;
  if (length < 2 || length > 4) return 0;
  test->pattern = pattern_named(words[0]);
  test->repetitions = at_least(words[1], 1);
  test->bytes = length > 2 ? at_least(words[2], 0) : 1;
  test->messages = length > 3 ? at_least(words[3], 1) : 1;
  if (test->pattern == NULL) return 0;
  if (test->pattern->of_doubles) test->bytes = test->bytes < 8 ? 8 : test->bytes / 8 * 8;
  return length;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int any = 0;
  int at = 1;
  do {
    struct test_case test;
    const int words = parse(argv + at, argc - at, &test);
    if (words == 0 || size < 2) {
      if (rank == 0)
        fprintf(stderr, "usage: farcast_bottle_probe PATTERN REPETITIONS [BYTES [MESSAGES]] [, ...], on 2 ranks or more\n");
      MPI_Finalize();
      return 2;
    }
    any |= play(&test, rank, size);
    at += words + 1;
  } while (at <= argc);
  MPI_Finalize();
  return any ? 1 : 0;
}
