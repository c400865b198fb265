/* Other clocks beside MPI_Wtime (--virtual-clocks): a megabyte comes, and then rank 1 waits by a clock. Rank 1 prints how long
   each took by each clock, how far each went back at MPI_Init and MPI_Finalize at most, and how long the run was from MPI_Init on
   by each. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

enum { kBytes = 1000000, kClocks = 3 };

static double at(int clock) {
  if (clock == 2) {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
  }
  struct timespec now;
  clock_gettime(clock == 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  double began[kClocks], before[kClocks], joined[kClocks], left[kClocks], end[kClocks];
  for (int clock = 0; clock < kClocks; ++clock) began[clock] = at(clock);
  MPI_Init(&argc, &argv);
  for (int clock = 0; clock < kClocks; ++clock) joined[clock] = at(clock);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const bytes = calloc(kBytes, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int clock = 0; clock < kClocks; ++clock) before[clock] = at(clock);
  const double start = MPI_Wtime();
  if (rank == 0) MPI_Send(bytes, kBytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(bytes, kBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double came = MPI_Wtime() - start;
    double by[kClocks];
    for (int clock = 0; clock < kClocks; ++clock) by[clock] = at(clock) - before[clock];
    printf("message %.6f %.6f %.6f %.6f\n", came, by[0], by[1], by[2]);
    const double waits = MPI_Wtime(), until = at(2) + 0.25;
    while (at(2) < until) continue;
    printf("wait %.6f\n", MPI_Wtime() - waits);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int clock = 0; clock < kClocks; ++clock) left[clock] = at(clock);
  MPI_Finalize();
  for (int clock = 0; clock < kClocks; ++clock) end[clock] = at(clock);
  if (rank == 1) {
    for (int clock = 0; clock < kClocks; ++clock)
      printf("clock %.6f %.6f %.6f\n", joined[clock] - began[clock], end[clock] - left[clock], end[clock] - joined[clock]);
  }
  free(bytes);
  return 0;
}
