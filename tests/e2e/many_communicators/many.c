/* More communicators at a time than any table of fixed size would hold. */
#include <mpi.h>
#include <stdio.h>

enum { kMany = 20000 };

static MPI_Comm copies[kMany];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < kMany; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]);
  for (int i = 0; i < kMany; ++i) MPI_Barrier(copies[i]);
  for (int i = 0; i < kMany; ++i) MPI_Comm_free(&copies[i]);
  MPI_Finalize();
  puts("done");
  return 0;
}
