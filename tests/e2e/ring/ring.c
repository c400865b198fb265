/* Each rank passes blocks of growing size round a ring, from far below to far above the libraries' eager limits. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int most = 1 << (kRounds - 1);
  unsigned char* out = malloc(most);
  unsigned char* in = malloc(most);
  unsigned long sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int bytes = 1 << round;
    for (int i = 0; i < bytes; ++i) out[i] = (unsigned char)(rank + round + i);
    MPI_Request requests[2];
    MPI_Irecv(in, bytes, MPI_BYTE, (rank + size - 1) % size, round, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, (rank + 1) % size, round, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < bytes; ++i) sum += in[i];
  }
  unsigned long total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("ring of %d, sum %lu\n", size, total);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
