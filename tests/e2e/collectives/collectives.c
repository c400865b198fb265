/* Each blocking collective once on MPI_COMM_WORLD and once on each half of it; every result is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 64 };

static int failures = 0;

static void expect(const char* what, int found, int wanted) {
  if (found != wanted) {
    printf("%s: found %d, expected %d\n", what, found, wanted);
    ++failures;
  }
}

static void move_data(MPI_Comm comm, int rank, int size, int root) {
  int in[kMost] = {0}, out[kMost], counts[kMost], offsets[kMost], byte_offsets[kMost];
  MPI_Datatype types[kMost];
  for (int i = 0; i < size; ++i) {
    out[i] = 100 * rank + i;
    counts[i] = 1;
    offsets[i] = i;
    byte_offsets[i] = i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  int one = 7 * (rank == root);
  MPI_Bcast(&one, 1, MPI_INT, root, comm);
  expect("Bcast", one, 7);
  MPI_Gather(&rank, 1, MPI_INT, in, 1, MPI_INT, root, comm);
  if (rank == root) expect("Gather", in[size - 1], size - 1);
  MPI_Gatherv(&rank, 1, MPI_INT, in, counts, offsets, MPI_INT, root, comm);
  if (rank == root) expect("Gatherv", in[size - 1], size - 1);
  MPI_Scatter(out, 1, MPI_INT, &one, 1, MPI_INT, root, comm);
  expect("Scatter", one, 100 * root + rank);
  MPI_Scatterv(out, counts, offsets, MPI_INT, &one, 1, MPI_INT, root, comm);
  expect("Scatterv", one, 100 * root + rank);
  MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, comm);
  expect("Allgather", in[size - 1], size - 1);
  MPI_Allgatherv(&rank, 1, MPI_INT, in, counts, offsets, MPI_INT, comm);
  expect("Allgatherv", in[size - 1], size - 1);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  expect("Alltoall", in[size - 1], 100 * (size - 1) + rank);
  MPI_Alltoallv(out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, comm);
  expect("Alltoallv", in[size - 1], 100 * (size - 1) + rank);
  MPI_Alltoallw(out, counts, byte_offsets, types, in, counts, byte_offsets, types, comm);
  expect("Alltoallw", in[size - 1], 100 * (size - 1) + rank);
}

static void reduce_data(MPI_Comm comm, int rank, int size, int root) {
  int ones[kMost], counts[kMost], result = 0;
  for (int i = 0; i < size; ++i) {
    ones[i] = 1;
    counts[i] = 1;
  }
  MPI_Reduce(ones, &result, 1, MPI_INT, MPI_SUM, root, comm);
  if (rank == root) expect("Reduce", result, size);
  result = 1;
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_SUM, comm);
  expect("Allreduce", result, size);
  MPI_Reduce_scatter(ones, &result, counts, MPI_INT, MPI_SUM, comm);
  expect("Reduce_scatter", result, size);
  MPI_Reduce_scatter_block(ones, &result, 1, MPI_INT, MPI_SUM, comm);
  expect("Reduce_scatter_block", result, size);
  MPI_Scan(ones, &result, 1, MPI_INT, MPI_SUM, comm);
  expect("Scan", result, rank + 1);
  MPI_Exscan(ones, &result, 1, MPI_INT, MPI_SUM, comm);
  if (rank > 0) expect("Exscan", result, rank);
}

static void all_on(MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Barrier(comm);
  move_data(comm, rank, size, size - 1);
  reduce_data(comm, rank, size, size - 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, total = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  all_on(MPI_COMM_WORLD);
  all_on(half);
  MPI_Comm_free(&half);
  MPI_Reduce(&failures, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("collectives: %d failures\n", total);
  MPI_Finalize();
  return failures != 0;
}
