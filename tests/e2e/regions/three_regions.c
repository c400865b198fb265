/* Three kinds of regions, whose slowdown beside co-runners is known:
 *   steady   compute-bound: as fast beside co-runners as alone
 *   short    compute-bound, a few microseconds, called often
 *   growing  its work grows with the number of ranks that compute at that moment: (1 + 0.5 * others) times the work alone
 * The number of ranks that compute is a counter in memory that the ranks share; whoever measures the program does not see it.
 *
 *   three_regions [ROUNDS [MILLISECONDS]]      of the steady region, and of the growing one alone
 *
 * At its end it says how many ranks it ever found computing at a time.
 */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int* computing; /* [0]: now, [1]: the most so far */
static volatile double sink;
static double loops_per_us;

static void spin(long loops) {
  double x = 1.0;
  for (long i = 0; i < loops; ++i) x = x * 0.999999 + 1e-7;
  sink = x;
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin(void) {
  const int now = atomic_fetch_add(&computing[0], 1) + 1;
  int most = atomic_load(&computing[1]);
  while (now > most && !atomic_compare_exchange_weak(&computing[1], &most, now)) {
  }
}
static void end(void) { atomic_fetch_sub(&computing[0], 1); }

static void steady(double microseconds) {
  begin();
  spin((long)(microseconds * loops_per_us));
  end();
}

/* Pieces of 20 us of work alone; each looks at who else computes when it starts. */
static void growing(double microseconds) {
  const long piece = (long)(20.0 * loops_per_us);
  begin();
  for (double done = 0; done < microseconds; done += 20.0) {
    const int others = atomic_load(&computing[0]) - 1;
    spin(piece + piece * others / 2);
  }
  end();
}

int main(int argc, char** argv) {
  int rank = 0, rounds = argc > 1 ? atoi(argv[1]) : 20;
  const double microseconds = 1000.0 * (argc > 2 ? atof(argv[2]) : 10.0);
  MPI_Win window;
  MPI_Aint size;
  int unit;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof(*computing) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &computing, &window);
  MPI_Win_shared_query(window, 0, &size, &unit, &computing);
  if (rank == 0) {
    atomic_store(&computing[0], 0);
    atomic_store(&computing[1], 0);
    double best = 1e9; /* of several tries: another process may share the core */
    for (int i = 0; i < 20; ++i) {
      const double start = cpu_seconds();
      spin(1000000);
      const double took = cpu_seconds() - start;
      if (took < best) best = took;
    }
    loops_per_us = 1000000 / (best * 1e6);
  }
  MPI_Bcast(&loops_per_us, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    steady(microseconds);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 200; ++i) {
      steady(5.0);
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    growing(microseconds);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("at most %d computed at a time\n", atomic_load(&computing[1]));
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
