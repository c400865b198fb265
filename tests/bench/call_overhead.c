/* What an MPI call costs: times calls that do next to nothing in the MPI library, in batches.
 *
 *     call_overhead [CALLS [BATCH]]        CALLS of each kind (10000000), BATCH per time stamp (1000)
 *
 * Prints a JSON line per kind. Nothing is warmed up and no batch is left out, so that whatever a watcher does now and then (new
 * buffers, page faults) is in the mean. `wall` counts what other processes take from us, `cpu` (thread CPU time) does not.
 * The kinds: a send to nobody, one record each; a fruitless probe repeated, which a watcher may fold; many fruitless probes in
 * turn, which it cannot. One rank does the work. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void send_to_nobody(long calls) {
  int word = 0;
  for (long i = 0; i < calls; ++i) MPI_Send(&word, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
}

static void probe(long calls) {
  int found = 0;
  for (long i = 0; i < calls; ++i) MPI_Iprobe(0, 7, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void probe_in_turn(long calls) {
  int found = 0;
  for (long i = 0; i < calls; ++i) MPI_Iprobe(0, (int)(i & 7), MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double mean(const double* values, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum += values[i];
  return sum / (double)count;
}

static void measure(const char* kind, void (*run)(long), long batches, long batch, double* wall, double* cpu) {
  for (long i = 0; i < batches; ++i) {
    const double cpu_before = now_ns(CLOCK_THREAD_CPUTIME_ID), wall_before = now_ns(CLOCK_MONOTONIC);
    run(batch);
    wall[i] = (now_ns(CLOCK_MONOTONIC) - wall_before) / (double)batch;
    cpu[i] = (now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before) / (double)batch;
  }
  const double wall_mean = mean(wall, batches), cpu_mean = mean(cpu, batches);
  qsort(wall, (size_t)batches, sizeof(double), ascending);
  qsort(cpu, (size_t)batches, sizeof(double), ascending);
  printf("{\"kind\": \"%s\", \"calls\": %ld, \"median_ns\": %.2f, \"mean_ns\": %.2f, \"p99_ns\": %.2f, \"cpu_median_ns\": %.2f, "
         "\"cpu_mean_ns\": %.2f}\n",
         kind, batches * batch, wall[batches / 2], wall_mean, wall[batches * 99 / 100], cpu[batches / 2], cpu_mean);
  fflush(stdout);
}

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 10000000, batch = argc > 2 ? atol(argv[2]) : 1000;
  if (calls < 1 || batch < 1 || calls % batch != 0) {
    fprintf(stderr, "call_overhead: found %ld calls in batches of %ld, expected a positive multiple\n", calls, batch);
    return 2;
  }
  const long batches = calls / batch;
  double* wall = malloc((size_t)batches * sizeof(double));
  double* cpu = malloc((size_t)batches * sizeof(double));
  if (wall == NULL || cpu == NULL) return 2;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    measure("send", send_to_nobody, batches, batch, wall, cpu);
    measure("probe", probe, batches, batch, wall, cpu);
    measure("probe in turn", probe_in_turn, batches, batch, wall, cpu);
  }
  MPI_Finalize();
  free(wall);
  free(cpu);
  return 0;
}
