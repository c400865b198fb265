// What the C and C++ programs of this folder share: arguments, the work between messages, the verdict.
//
//   PROGRAM [--size N] [--steps N] [--work N] [--sleep SECONDS]
//
// size is the program's own, mostly the length of its messages. Computation is N sweeps over a
// field of doubles; with --sleep it is a sleep of that length instead, for hosts that have no core
// each. The last line is `time SECONDS`, of the main loop alone.
#ifndef FARCAST_TESTS_PROGRAM_H
#define FARCAST_TESTS_PROGRAM_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct program {
  const char* name;
  int rank, ranks;
  long size, steps, work; // defaults are the program's
  double sleep_s;         // 0: real work
  double late_s;          // how much longer than asked for sleeps last, in the mean of late
  long points;            // of the field: small ones stay in the cache
  double* field;
  double began_s;
};

static inline void* allocate(size_t bytes) {
  void* memory = calloc(bytes ? bytes : 1, 1);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  return memory;
}

// Before MPI_Init.
static inline long option_of(int argc, char** argv, const char* option, long otherwise) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp(argv[i], option) == 0) return atol(argv[i + 1]);
  return otherwise;
}

static inline struct program start(int* argc, char*** argv, const char* name, long size, long steps, long work, long points) {
  struct program p = {name, 0, 0, size, steps, work, 0, 0, points, NULL, 0};
  for (int i = 1; i + 1 < *argc; i += 2) {
    const char *option = (*argv)[i], *value = (*argv)[i + 1];
    if (strcmp(option, "--size") == 0) p.size = atol(value);
    if (strcmp(option, "--steps") == 0) p.steps = atol(value);
    if (strcmp(option, "--work") == 0) p.work = atol(value);
    if (strcmp(option, "--sleep") == 0) p.sleep_s = atof(value);
  }
  p.field = (double*)malloc((size_t)p.points * sizeof(double));
  for (long i = 0; p.field != NULL && i < p.points; ++i) p.field[i] = 1;
  MPI_Init(argc, argv);
  if (p.field == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
  p.began_s = MPI_Wtime();
  return p;
}

static inline double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// As long as that in the mean, under each scheduler: a sleep ends up to 100 us late, by the class
// of its process, by its timer slack, and by how deep an idle core sleeps.
static inline void sleep_for(struct program* p, double seconds) {
  const double asked = seconds > p->late_s ? seconds - p->late_s : 0, began = now_s();
  usleep((useconds_t)(asked * 1e6));
  const double late = now_s() - began - asked;
  p->late_s += 0.25 * ((late < 2e-4 ? late : 2e-4) - p->late_s);
}

// The computation of a step, or a share of it: smooths the field, which is the same everywhere and
// stays so.
static inline void compute(struct program* p, double share) {
  if (p->sleep_s > 0) {
    sleep_for(p, p->sleep_s * share);
    return;
  }
  const long sweeps = (long)((double)p->work * share);
  for (long sweep = 0; sweep < sweeps; ++sweep)
    for (long i = 0; i + 1 < p->points; ++i) p->field[i] = 0.5 * p->field[i] + 0.25 * (p->field[i] + p->field[i + 1]);
}

// 0 to 1, the same for the same two numbers: what differs from rank to rank and from step to step.
static inline double share_of(long one, long other) {
  unsigned long x = (unsigned long)one * 2654435761UL + (unsigned long)other * 40503UL + 12345UL;
  x ^= x >> 15;
  x *= 2246822519UL;
  x ^= x >> 13;
  return (double)(x % 1000003UL) / 1000003.0;
}

// Ends the main loop. right: this rank's own verdict. Returns: the program's exit code.
static inline int finish(struct program* p, int right, double checksum) {
  const double mine = MPI_Wtime() - p->began_s;
  double longest = 0, sum = 0;
  for (long i = 0; i < p->points; ++i) right = right && p->field[i] == 1;
  int all = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&checksum, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (p->rank == 0) printf("%s: %s, checksum %.10g\ntime %.9f\n", p->name, all ? "right" : "WRONG", sum, longest);
  free(p->field);
  MPI_Finalize();
  return all ? 0 : 1;
}

#endif
