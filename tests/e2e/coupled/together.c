/* Ranks in a ring that all poll at the same time, each in steps of its own, and send to the right after some of them: what a poll
 * finds hangs on how far the left one is. Prints how many polls each round took, and when all were over. */
#include <mpi.h>
#include <stdio.h>

#include "../pause.h"

enum { ROUNDS = 20, MOST = 4096 };

static void compute_us(int us) { farcast_fixed_clock += us * 1000000ull; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static char text[MOST];
  int at = snprintf(text, MOST, "rank %d", rank);
  pause_ms(0);
  for (int round = 0; round < ROUNDS; ++round) {
    char in, out = 0;
    int found = 0, polls = 0;
    MPI_Request left, right;
    const int sends = 20 + (rank * 13 + round * 7) % 50; /* the step at which it does */
    MPI_Irecv(&in, 1, MPI_CHAR, (rank + size - 1) % size, round, MPI_COMM_WORLD, &left);
    for (int step = 0; step <= sends || !found; ++step) {
      compute_us(3 + rank);
      if (step == sends) MPI_Isend(&out, 1, MPI_CHAR, (rank + 1) % size, round, MPI_COMM_WORLD, &right);
      if (found) continue;
      ++polls;
      MPI_Test(&left, &found, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&right, MPI_STATUS_IGNORE);
    at += snprintf(text + at, MOST - at, " %d", polls);
  }
  at += snprintf(text + at, MOST - at, " %.12f\n", MPI_Wtime());
  fputs(text, stdout);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
