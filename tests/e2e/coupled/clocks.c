/* Other clocks beside MPI_Wtime (--virtual-clocks): a megabyte comes, rank 1 waits by a clock, and another megabyte comes behind
   its last look before MPI_Finalize. Rank 1 also waits until a time by a clock. It prints by each clock, beside the least and the
   most that it can be by MPI_Wtime, how long the first message and the wait took; how far each clock got at MPI_Init, and how
   long the run was from there on; and how far MPI_Wtime and each clock got from the last look to behind MPI_Finalize (end). */

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

enum { kBytes = 1000000, kClocks = 4 };

static double at(int clock) {
  if (clock == 2) {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
  }
  struct timespec now;
  if (clock == 3) timespec_get(&now, TIME_UTC);
  if (clock < 2) clock_gettime(clock == 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A look between two at MPI_Wtime. */
struct look {
  double before[kClocks], at[kClocks], after[kClocks];
};

static void look(struct look* all) {
  for (int clock = 0; clock < kClocks; ++clock) {
    all->before[clock] = MPI_Wtime();
    all->at[clock] = at(clock);
    all->after[clock] = MPI_Wtime();
  }
}

static void print(const char* what, const struct look* from, const struct look* to) {
  for (int clock = 0; clock < kClocks; ++clock)
    printf("%s %.9f %.9f %.9f\n", what, to->at[clock] - from->at[clock], to->before[clock] - from->after[clock],
           to->after[clock] - from->before[clock]);
}

/* Nobody signals: how long a wait until 0.1 s from now took by the clock that it was given. */
static void print_timedwait(void) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const double began = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec;
  until.tv_nsec += 100000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&mutex);
  const int code = pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  printf("timedwait %d %.9f\n", code == ETIMEDOUT, at(1) - began);
}

static void pass(int rank, char* bytes) {
  if (rank == 0) MPI_Send(bytes, kBytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(bytes, kBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  double began[kClocks], joined[kClocks], end[kClocks];
  struct look before, came, waited;
  for (int clock = 0; clock < kClocks; ++clock) began[clock] = at(clock);
  MPI_Init(&argc, &argv);
  for (int clock = 0; clock < kClocks; ++clock) joined[clock] = at(clock);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const bytes = calloc(kBytes, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  look(&before);
  pass(rank, bytes);
  look(&came);
  if (rank == 1) {
    const double until = at(2) + 0.25;
    while (at(2) < until) continue;
  }
  look(&waited);
  if (rank == 1) print_timedwait();
  pass(rank, bytes);
  MPI_Finalize();
#ifdef OPEN_MPI /* MPICH ends who asks it behind MPI_Finalize */
  const double last = MPI_Wtime();
  if (rank == 1) printf("wtime %.9f\n", last - waited.before[0]);
#endif
  for (int clock = 0; clock < kClocks; ++clock) end[clock] = at(clock);
  if (rank == 1) {
    print("message", &before, &came);
    print("wait", &came, &waited);
    for (int clock = 0; clock < kClocks; ++clock)
      printf("clock %.9f %.9f\nend %.9f\n", joined[clock] - began[clock], end[clock] - joined[clock],
             end[clock] - waited.at[clock]);
  }
  free(bytes);
  return 0;
}
