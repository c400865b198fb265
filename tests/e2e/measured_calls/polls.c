/* Rank 0 polls for a message that never comes; rank 1 polls for one that comes late, with a look at the clock each time. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, found = 0, value = 0;
  const int polls = argc > 1 ? atoi(argv[1]) : 200000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int i = 0; i < polls; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
    while (!found) {
      MPI_Wtime();
      MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
