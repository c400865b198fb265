/* Wrapper functions round MPI calls: one line of a wrapper is called from several places, which only deeper stack levels tell
   apart. */
#include <mpi.h>
#include <stdio.h>

static volatile double work = 1.0;

static void compute(int rounds) {
  for (int i = 0; i < rounds; ++i) work = work * 1.0000001 + 0.5;
}

__attribute__((noinline)) static void sum(double* value) {
  MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute(1);
}

__attribute__((noinline)) static void first(double* value) {
  sum(value);
  compute(200000);
}

__attribute__((noinline)) static void second(double* value) {
  sum(value);
  compute(100000);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double value = 1.0;
  first(&value);
  second(&value);
  first(&value);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("sum %g\n", value);
  MPI_Finalize();
  return 0;
}
