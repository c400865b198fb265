/* Exchanges with both neighbours, in steps of unequal length, and sums up: nothing that it does hangs on time. */
#include <mpi.h>
#include <stdlib.h>

#include "../pause.h"

enum { LARGE = 200000, STEPS = 12 };
static double halo[4][LARGE / 8];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < STEPS; ++step) {
    const int bytes = step % 2 ? LARGE : 800;
    MPI_Request requests[4];
    MPI_Irecv(halo[0], bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(halo[1], bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
    pause_ms((rank * 7 + step) % 3);
    MPI_Isend(halo[2], bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(halo[3], bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    double sum, one = rank;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(halo[0], bytes, MPI_BYTE, step % size, MPI_COMM_WORLD);
    if (step % 4 == 3)
      MPI_Sendrecv(halo[2], bytes, MPI_BYTE, right, 3, halo[0], bytes, MPI_BYTE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
