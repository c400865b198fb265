/* What a coupled program may have open when nobody answers it any more: receives from any source, each in another kind of
 * completing call, a later one of a named source behind them, and messages that are under way. Between posting and completing
 * them rank 0 stands at a gate: it tells the test so, and waits for leave to go on; with "forever" as argument it then waits for
 * a message that nobody sends. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 7, LARGE = 300000 };

static void gate(void) {
  close(open("ready1", O_CREAT | O_WRONLY, 0666));
  while (access("go1", F_OK) != 0) {
    struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
  }
}

static int complete_all(MPI_Request* requests) {
  int sum = 0, index, flag = 0, count, indices[OPEN];
  MPI_Status status, statuses[OPEN];
  MPI_Wait(&requests[0], &status);
  sum += status.MPI_SOURCE;
  while (!flag) MPI_Test(&requests[1], &flag, &status);
  sum += status.MPI_SOURCE + status.MPI_TAG;
  MPI_Waitany(OPEN, requests, &index, &status);
  sum += status.MPI_SOURCE;
  for (flag = 0; !flag;) MPI_Testany(OPEN, requests, &index, &flag, &status);
  MPI_Waitsome(OPEN, requests, &count, indices, statuses);
  for (flag = 0; !flag;) MPI_Testall(OPEN, requests, &flag, statuses);
  return sum;
}

int main(int argc, char** argv) {
  static char in[OPEN][LARGE], out[LARGE];
  MPI_Init(&argc, &argv);
  int rank, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request requests[OPEN];
  const double begin = MPI_Wtime();
  if (rank == 0) {
    for (int i = 0; i + 1 < OPEN; ++i) MPI_Irecv(in[i], LARGE, MPI_CHAR, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Irecv(in[OPEN - 1], LARGE, MPI_CHAR, 1, OPEN - 1, MPI_COMM_WORLD, &requests[OPEN - 1]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) gate();
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "forever") == 0)
    MPI_Recv(out, 1, MPI_CHAR, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) {
    memset(out, 1, LARGE);
    for (int i = 0; i < OPEN; ++i) MPI_Send(out, i % 2 ? LARGE : 1, MPI_CHAR, 0, i, MPI_COMM_WORLD);
  }
  if (rank == 0) sum = complete_all(requests);
  for (int i = 0; i < OPEN; ++i) sum += in[i][i % 2 ? LARGE - 1 : 0];
  MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int found = 0, all = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&sum, 1, MPI_INT, 1 - rank, 50, &all, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %d %s\n", all, found, MPI_Wtime() >= begin ? "on" : "back");
  MPI_Finalize();
  return 0;
}
