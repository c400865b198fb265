/* 25 messages to nobody; exit code 6. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int value = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 25; ++i) MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  printf("sent\n");
  MPI_Finalize();
  return 6;
}
