// Many short calls on many ranks: a ring of small messages with a little computation, and now and then
// a collective. Argument: rounds; a round is three calls.
#include <mpi.h>
#include <stdlib.h>

static double work(int rounds) {
  double sum = 1;
  for (int i = 0; i < rounds; ++i) sum += 1.0 / (sum + i);
  return sum;
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, in = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 500;
  double kept = 0;
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    const int step = 1 + round % 7;
    kept += work(500 + 400 * (rank % 5));
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - step) % size, round, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&round, 1, MPI_INT, (rank + step) % size, round, MPI_COMM_WORLD, &requests[1]);
    kept += work(1000);
    MPI_Waitall(2, requests, statuses);
    if (round % 50 == 49) MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return kept == 0;
}
