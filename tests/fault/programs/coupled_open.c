/* What a coupled program may have open when nobody answers it any more: receives from any source, each in another kind of
 * completing call, a later one of a named source behind them, messages that are under way, and persistent requests of which one
 * is started. Between posting and completing them rank 0 stands at a gate: it tells the test so, and waits for leave to go on;
 * with "forever" as argument it then waits for a message that nobody sends. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 7, KEPT = 3, ROUNDS = 4, LARGE = 300000 };

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

static char kept_in[KEPT][LARGE], kept_out[KEPT][LARGE];

/* A receive from any source, which has been started, one of a named one, and one that is freed while it is active. */
static void keep(int rank, MPI_Request* kept) {
  for (int i = 0; i < KEPT; ++i) {
    if (rank == 0)
      MPI_Recv_init(kept_in[i], LARGE, MPI_CHAR, i == 1 ? 1 : MPI_ANY_SOURCE, 60 + i, MPI_COMM_WORLD, &kept[i]);
    else
      MPI_Send_init(kept_out[i], i == 1 ? LARGE : 1, MPI_CHAR, 0, 60 + i, MPI_COMM_WORLD, &kept[i]);
  }
  if (rank == 0) MPI_Start(&kept[0]);
}

static int complete_kept(int round, MPI_Request* kept) {
  int sum = 0, flag = 0, index, count, indices[2];
  MPI_Status statuses[2];
  if (round == 0) {
    MPI_Waitall(2, kept, statuses);
  } else if (round == 1) {
    while (!flag) MPI_Testall(2, kept, &flag, statuses);
  } else if (round == 2) {
    for (int i = 0; i < 2; ++i) {
      MPI_Waitany(2, kept, &index, &statuses[i]);
      sum += index;
    }
  } else {
    while (!flag) MPI_Request_get_status(kept[0], &flag, &statuses[0]);
    MPI_Waitsome(2, kept, &count, indices, statuses);
    if (count < 2) MPI_Wait(&kept[1 - indices[0]], &statuses[1]);
  }
  return sum + statuses[0].MPI_SOURCE + statuses[1].MPI_SOURCE;
}

static int exchange_kept(int rank, MPI_Request* kept) {
  int sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < KEPT; ++i) memset(kept_out[i], 10 + round + i, LARGE);
    if (rank == 1) {
      MPI_Startall(2, kept);
      MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
    } else {
      if (round == 0)
        MPI_Start(&kept[1]);
      else
        MPI_Startall(2, kept);
      sum += complete_kept(round, kept) + kept_in[0][0] + kept_in[1][LARGE - 1];
    }
  }
  MPI_Start(&kept[2]);
  for (int i = 0; i < KEPT; ++i) MPI_Request_free(&kept[i]);
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
  MPI_Request kept[KEPT];
  keep(rank, kept);
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
  sum += exchange_kept(rank, kept);
  for (int i = 0; i < OPEN; ++i) sum += in[i][i % 2 ? LARGE - 1 : 0];
  MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
  int found = 0, all = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD); /* before it nobody has sent anything that the probe could find */
  MPI_Sendrecv(&sum, 1, MPI_INT, 1 - rank, 50, &all, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %d %s\n", all, found, MPI_Wtime() >= begin ? "on" : "back");
  MPI_Finalize();
  return 0;
}
