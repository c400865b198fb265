/* Programs that look at the clock all the time. `steps`: rank 0 works until the clock says that 50.005 ms are over, then sends;
 * rank 1 works for 20 ms so, then until its message is there. `spin`: rank 0 does nothing but look, for a second. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../pause.h"

static void compute_us(int us) { farcast_fixed_clock += us * 1000000ull; }

static int turns_until(double end, int us) {
  int turns = 0;
  for (; MPI_Wtime() < end; ++turns) compute_us(us);
  return turns;
}

static void steps(int rank) {
  char byte = 0;
  int found = 0, turns = 0, polls = 0;
  MPI_Request request;
  const double start = MPI_Wtime();
  double now = start;
  if (rank == 0) {
    turns = turns_until(start + 0.050005, 10);
    now = MPI_Wtime();
    MPI_Send(&byte, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Irecv(&byte, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
    turns = turns_until(start + 0.020001, 7);
    for (; !found; ++polls) {
      compute_us(7);
      MPI_Test(&request, &found, MPI_STATUS_IGNORE);
      now = MPI_Wtime();
    }
  }
  printf("rank %d %d %d %.12f\n", rank, turns, polls, now - start);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pause_ms(0);
  if (argc > 1 && strcmp(argv[1], "spin") == 0) {
    const double start = MPI_Wtime();
    double now = start, before = start;
    int back = 0;
    long looks = 0;
    for (; rank == 0 && now - start < 1; before = now, ++looks) {
      now = MPI_Wtime();
      back += now < before;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("spun %.6f back %d looks %ld\n", now - start, back, looks);
  } else {
    steps(rank);
  }
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
