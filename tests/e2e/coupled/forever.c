/* Two ranks that wait for each other. */
#include <mpi.h>

int main(int argc, char** argv) {
  int value;
  MPI_Init(&argc, &argv);
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
