/* Rank 0 polls for what rank 1 sends, and prints when it has found it: by its tests alone (`tests`, after 100 ms of rank 1's
 * work), by a probe beside tests of messages that do not come (`mixed`, after 1 ms), by tests of a hundred requests of which one
 * is left
 * (`sweep`, after 10 ms). Of a clock that stands still but for work and polls (pause.h). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../pause.h"

enum { LARGE = 1000000, MANY = 100 };
static char large[LARGE];

/* The second test comes for the first time when the large message is there already. */
static void mixed(int rank) {
  MPI_Request request[2];
  char bytes[2] = {0, 0};
  int found = 0, never = 0;
  if (rank == 1) {
    pause_ms(1);
    MPI_Send(large, LARGE, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i) MPI_Send(&bytes[i], 1, MPI_CHAR, 0, 2 + i, MPI_COMM_WORLD);
    return;
  }
  for (int i = 0; i < 2; ++i) MPI_Irecv(&bytes[i], 1, MPI_CHAR, 1, 2 + i, MPI_COMM_WORLD, &request[i]);
  for (int turn = 0; !found; ++turn) {
    MPI_Iprobe(1, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Test(&request[0], &never, MPI_STATUS_IGNORE);
    if (turn == 260) MPI_Test(&request[1], &never, MPI_STATUS_IGNORE);
  }
  printf("found %.9f\n", MPI_Wtime());
  MPI_Recv(large, LARGE, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* Of `many` requests all but one are null. */
static void tests(int rank, int many, int ms) {
  MPI_Request requests[MANY];
  MPI_Request* const pending = &requests[many / 2];
  char byte = 0;
  int found = 0;
  if (rank == 1) {
    pause_ms(ms);
    MPI_Send(&byte, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    return;
  }
  for (int i = 0; i < many; ++i) requests[i] = MPI_REQUEST_NULL;
  MPI_Irecv(&byte, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, pending);
  while (*pending != MPI_REQUEST_NULL) {
    for (int i = 0; i < many; ++i) MPI_Test(&requests[i], &found, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const which = argc > 1 ? argv[1] : "";
  pause_ms(0);
  if (strcmp(which, "tests") == 0) tests(rank, 1, 100);
  if (strcmp(which, "mixed") == 0) mixed(rank);
  if (strcmp(which, "sweep") == 0) tests(rank, MANY, 10);
  if (rank == 0) printf("done %.9f\n", MPI_Wtime());
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
