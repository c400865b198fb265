/* Ends well as far as MPI is concerned, and returns 7. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("returning 7\n");
  fflush(stdout); /* the launcher may end the other ranks as soon as one has returned */
  MPI_Finalize();
  return 7;
}
