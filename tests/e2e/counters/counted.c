/* Calls at a few places, often enough that a counter which fails late fails here; with an argument, PAPI is loaded first. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 100 };

int main(int argc, char** argv) {
  if (argc > 1 && dlopen("libpapi.so.7", RTLD_NOW) == NULL) return 3;
  MPI_Init(&argc, &argv);
  setenv("PAPI_STAND_IN_WORK", "1", 1);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < kRounds; ++round) {
    int in = 0;
    MPI_Sendrecv(&round, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
