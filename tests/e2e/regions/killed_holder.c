/* With --isolate 1: rank 0 is killed while it holds the token that rank 1 waits for. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    usleep(500000);
    raise(SIGKILL);
  }
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_SELF); /* gives the token to rank 0, and asks for it again */
  FILE* file = fopen("survived", "w");
  fputs("yes\n", file);
  fclose(file);
  _exit(0); /* MPI_Finalize would wait for the dead rank */
}
