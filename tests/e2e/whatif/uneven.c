/* Two ranks compute alike; then rank 0 sends a large message to rank 1, which rank 1 answers with an empty one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBytes = 4000000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* block = calloc(kBytes, 1);
  volatile double sum = 0;
  for (int i = 0; i < 20000000; ++i) sum += i;
  if (rank == 0) {
    MPI_Send(block, kBytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(block, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(block, kBytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(block, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
  free(block);
  MPI_Finalize();
  return 0;
}
