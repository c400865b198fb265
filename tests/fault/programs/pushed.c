// pushed MILLISECONDS [sleep]: one rank that shares its core with a process that never rests. It
// computes, in a region and in a local call (MPI_Reduce_local with an operation of its own), with
// `sleep` it sleeps in both. A file `times` says how long both took, less the time in the run queue
// that the kernel tells, and how long by the clock on the wall.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double milliseconds;
static int sleeps;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double queued(void) {
  double ran = 0, waited = 0;
  FILE* file = fopen("/proc/thread-self/schedstat", "r");
  if (file == NULL || fscanf(file, "%lf %lf", &ran, &waited) != 2) _exit(77);
  fclose(file);
  return waited * 1e-9;
}

static void work(void) {
  const double until = seconds(CLOCK_THREAD_CPUTIME_ID) + milliseconds * 1e-3;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
  if (sleeps) usleep((useconds_t)(milliseconds * 1e3));
  while (sleeps && seconds(CLOCK_THREAD_CPUTIME_ID) < until + milliseconds * 1e-3) {
  }
}

static double lasted[2], wall[2];

static void measured(int which) {
  const double from = seconds(CLOCK_MONOTONIC), before = queued();
  work();
  lasted[which] = -(queued() - before);
  wall[which] = seconds(CLOCK_MONOTONIC) - from;
  lasted[which] += wall[which];
}

static void operation(void* in, void* out, int* count, MPI_Datatype* type) {
  (void)in, (void)out, (void)count, (void)type;
  measured(1);
}

int main(int count, char** arguments) {
  milliseconds = atof(arguments[1]);
  sleeps = count > 2;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof(one), &one);
  const pid_t other = fork();
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile long forever = 0;; ++forever) {
    }
  }
  int in = 1, out = 2, rank = 0;
  MPI_Op op;
  MPI_Init(NULL, NULL);
  MPI_Op_create(operation, 1, &op);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  measured(0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
  MPI_Op_free(&op);
  MPI_Finalize();
  kill(other, SIGKILL);
  FILE* file = fopen("times", "w");
  fprintf(file, "%.6f %.6f %.6f %.6f\n", lasted[0], wall[0], lasted[1], wall[1]);
  return fclose(file) == 0 ? 3 : 9;
}
