/* Three ranks of which one may compute at a time (--isolate 1): whoever waits lets another one go on, between the parts of an
 * answer (twenty messages are more than fit into one), in a collective that others leave early, and at the end, for a message
 * that has not left while its receiver waits for its turn. Prints what rank 1 got. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "../pause.h"

enum { MESSAGES = 20, BLOCK = 200000, LARGE = 4000000 };

int main(int argc, char** argv) {
  int rank, got[MESSAGES], sum = 0;
  MPI_Request requests[MESSAGES];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const data = calloc(LARGE, 1);
  for (int i = 0; i < MESSAGES; ++i) {
    if (rank == 1) MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 2) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
  }
  if (rank == 0) pause_ms(20);
  if (rank == 1) MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; rank == 1 && i < MESSAGES; ++i) sum += got[i];
  pause_ms(5 * rank);
  MPI_Gather(data, BLOCK, MPI_CHAR, data + BLOCK, BLOCK, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    pause_ms(20); /* the other one has its message now, and wants to go on */
    data[LARGE - 1] = 7;
    MPI_Send(data, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    MPI_Recv(&got[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", sum, data[LARGE - 1]);
  }
  MPI_Finalize();
  free(data);
  return 0;
}
