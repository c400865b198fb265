// The same with exceptions: thrown by an MPI_Op, through the C library, caught by the caller of MPI.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>

static void operation(void*, void*, int*, MPI_Datatype*) { throw std::runtime_error("from the operation"); }

__attribute__((noinline)) static int deep(int levels) {
  volatile char more[2000];
  more[0] = 0;
  if (levels > 0) return deep(levels - 1) + more[0];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Op op;
  MPI_Op_create(operation, 1, &op);
  int value = 1, sum = 0, caught = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      MPI_Reduce_local(&value, &sum, 1, MPI_INT, op);
    } catch (const std::exception& error) {
      std::printf("caught: %s\n", error.what());
      ++caught;
    }
    deep(3);
  }
  std::printf("caught %d times\n", caught);
  MPI_Finalize();
  return 0;
}
