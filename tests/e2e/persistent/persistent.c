/* Persistent buffered sends that are started again while the last one is still under way: Open MPI puts another handle into the
 * program's request then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kInts = 1 << 18, kRounds = 4 };

int main(int argc, char** argv) {
  int rank = 0, sum = 0;
  static int data[2][kInts];
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    int size = 2 * kRounds * (int)(sizeof data[0] + MPI_BSEND_OVERHEAD);
    void* buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    for (int tag = 0; tag < 2; ++tag) MPI_Bsend_init(data[tag], kInts, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[tag]);
    for (int round = 0; round < kRounds; ++round) {
      data[0][0] = data[1][0] = round;
      if (round % 2 == 0) {
        MPI_Startall(2, requests);
      } else {
        MPI_Start(&requests[0]);
        MPI_Start(&requests[1]);
      }
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* nothing has been received before it */
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int message = 0; message < 2 * kRounds; ++message) {
      MPI_Recv(data[0], kInts, MPI_INT, 0, message % 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += data[0][0];
    }
    printf("received %d\n", sum);
  }
  MPI_Finalize();
  return 0;
}
