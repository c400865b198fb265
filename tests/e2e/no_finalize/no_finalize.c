/* Ends without MPI_Finalize: by exit(0) (with atexit handlers and destructors) or by _exit(0) (without). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "_exit") == 0) _exit(0);
  exit(0);
}
