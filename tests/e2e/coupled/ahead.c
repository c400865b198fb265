/* Two ranks exchange messages of which it is known what they are, in each way of waiting for them, and then each computes until
 * the other one does, too: neither may be kept until virtual time has got to where its messages came. Prints how many ways that
 * was. Then one sends much while the other computes, and keeps no copies of all of it: prints 1. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int rank;

static void meet(int way) {
  char own[32], other[32];
  snprintf(own, sizeof own, "computes.%d.%d", way, rank);
  snprintf(other, sizeof other, "computes.%d.%d", way, 1 - rank);
  close(open(own, O_CREAT | O_WRONLY, 0600));
  while (access(other, F_OK) != 0) {
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
}

static int send_much(void) {
  enum { MESSAGES = 400, SIZE = 1000000 };
  static char data[SIZE];
  struct rusage before, after;
  if (rank == 1) usleep(1000000);
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Request request;
    if (rank == 0) MPI_Isend(data, SIZE, MPI_CHAR, 1, 30, MPI_COMM_WORLD, &request);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Recv(data, SIZE, MPI_CHAR, 0, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  getrusage(RUSAGE_SELF, &after);
  return after.ru_maxrss - before.ru_maxrss < 130000; /* KB */
}

int main(int argc, char** argv) {
  int got = -1, right = 1, way = 0;
  MPI_Request requests[2];
  MPI_Comm turned;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  for (; way < 4; ++way) {
    const MPI_Comm comm = way % 2 ? turned : MPI_COMM_WORLD;
    const int other = way % 2 ? rank : 1 - rank, tag = 20 + way;
    if (way == 0) MPI_Sendrecv(&rank, 1, MPI_INT, other, tag, &got, 1, MPI_INT, other, tag, comm, MPI_STATUS_IGNORE);
    if (way == 1) {
      MPI_Send(&rank, 1, MPI_INT, other, tag, comm);
      MPI_Recv(&got, 1, MPI_INT, other, tag, comm, MPI_STATUS_IGNORE);
    }
    if (way > 1) {
      MPI_Irecv(&got, 1, MPI_INT, other, tag, comm, &requests[0]);
      MPI_Isend(&rank, 1, MPI_INT, other, tag, comm, &requests[1]);
    }
    if (way == 2) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (way == 3) {
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    right = right && got == 1 - rank;
    got = -1;
    meet(way);
  }
  MPI_Comm_free(&turned);
  if (rank == 0) printf("%d\n", right ? way : -1);
  const int bounded = send_much();
  if (rank == 0) printf("%d\n", bounded);
  MPI_Finalize();
  return 0;
}
