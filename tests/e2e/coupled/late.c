/* Calls that the real library would not end before another rank comes, while that one comes later on the virtual cluster than
 * something that must happen first: each hangs, or takes the wrong path or data, where the library is left to wait. Prints what
 * came of each: the rank whose message came first, or 1 for right data. Four ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../pause.h"

enum { COUNT = 50000, ROUNDS = 3 };
static char mine[4 * COUNT], theirs[4 * COUNT];
static int rank;

static int filled(const char* data, int count, char with) {
  for (int i = 0; i < count; ++i) {
    if (data[i] != with) return 0;
  }
  return 1;
}

/* A persistent receive from any source, each time posted before anybody has sent. A later named one must not take its message. */
static int persistent_receive(void) {
  MPI_Request requests[2];
  int first = 0, right = 1;
  if (rank == 0) {
    MPI_Recv_init(theirs, COUNT, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(mine, COUNT, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &requests[1]);
  }
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Status statuses[2];
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, statuses);
      const int came = statuses[0].MPI_SOURCE;
      if (round > 0 && came != first) right = 0;
      first = came;
      right = right && statuses[1].MPI_SOURCE == 1 && filled(theirs, 1, (char)came) && filled(mine, 1, 1);
      MPI_Start(&requests[0]); /* the other one's message, or rank 1's second */
      MPI_Wait(&requests[0], &statuses[0]);
      right = right && statuses[0].MPI_SOURCE == 3 - came;
    } else if (rank == 1) {
      MPI_Recv(theirs, COUNT, MPI_CHAR, 3, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(mine, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
      MPI_Send(mine, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
    } else if (rank == 2) {
      pause_ms(20);
      MPI_Send(mine, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
    } else {
      MPI_Send(mine, COUNT, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    }
  }
  if (rank == 0) {
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
  return right ? first : -1;
}

/* A persistent send that is over on the virtual cluster once it is posted, and is not in the library before its receive is there.
 */
static int persistent_send(void) {
  int right = 1;
  MPI_Request request;
  if (rank == 3) MPI_Send_init(mine, COUNT, MPI_CHAR, 0, 6, MPI_COMM_WORLD, &request);
  for (int round = 0; round < ROUNDS; ++round) {
    if (rank == 3) {
      memset(mine, 10 + round, COUNT);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      memset(mine, 0, COUNT);
      MPI_Send(mine, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Recv(theirs, 1, MPI_CHAR, 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(theirs, COUNT, MPI_CHAR, 3, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      right = right && filled(theirs, COUNT, (char)(10 + round));
    }
  }
  if (rank == 3) MPI_Request_free(&request);
  memset(mine, rank, sizeof(mine));
  return right;
}

/* Rank `late` comes to a collective once it has a message that rank 2 sends after 20 ms; who leaves it earlier asks for the time.
 */
static void come_late(int late, int other) {
  if (rank == other) {
    pause_ms(20);
    MPI_Send(mine, 1, MPI_CHAR, late, 8, MPI_COMM_WORLD);
  } else if (rank == late) {
    MPI_Recv(theirs, 1, MPI_CHAR, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static int broadcast(void) {
  int right = 1;
  for (int late = 1; late < 4; ++late) {
    MPI_Barrier(MPI_COMM_WORLD);
    memset(theirs, rank == 0 ? 7 : 0, COUNT);
    come_late(late, late == 3 ? 2 : late + 1);
    if (rank == late) memset(theirs, 0, COUNT);
    MPI_Bcast(theirs, COUNT, MPI_CHAR, 0, MPI_COMM_WORLD);
    right = right && filled(theirs, COUNT, 7);
    memset(theirs, 0, COUNT);
    if (rank == 0) MPI_Recv(mine, 1, MPI_CHAR, late, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(theirs, 0, MPI_CHAR, 0, MPI_COMM_WORLD); /* of nothing: nobody waits for the root */
    if (rank == late) MPI_Send(mine, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD);
    MPI_Wtime();
  }
  return right;
}

static int scatterv(void) {
  int right = 1;
  const int counts[4] = {COUNT, COUNT - 1, COUNT - 2, COUNT - 3}, offsets[4] = {3 * COUNT, 2 * COUNT, COUNT, 0};
  for (int late = 1; late < 4; ++late) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i) memset(mine + offsets[i], 20 + i, COUNT);
    come_late(late, late == 3 ? 2 : late + 1);
    MPI_Scatterv(mine, counts, offsets, MPI_CHAR, theirs, counts[rank], MPI_CHAR, 0, MPI_COMM_WORLD);
    memset(mine, 0, sizeof(mine));
    MPI_Wtime();
    right = right && filled(theirs, counts[rank], (char)(20 + rank));
  }
  memset(mine, rank, sizeof(mine));
  return right;
}

static int gatherv(void) {
  int right = 1;
  const int counts[4] = {COUNT, COUNT - 1, COUNT - 2, COUNT - 3}, offsets[4] = {3 * COUNT, 2 * COUNT, COUNT, 0};
  for (int late = 0; late < 4; ++late) {
    MPI_Barrier(MPI_COMM_WORLD);
    memset(mine, 30 + rank, COUNT);
    come_late(late, late == 3 ? 2 : late + 1);
    MPI_Gatherv(mine, counts[rank], MPI_CHAR, theirs, counts, offsets, MPI_CHAR, 0, MPI_COMM_WORLD);
    memset(mine, 0, COUNT);
    MPI_Wtime();
    for (int i = 0; i < 4 && rank == 0; ++i) right = right && filled(theirs + offsets[i], counts[i], (char)(30 + i));
  }
  memset(mine, rank, sizeof(mine));
  return right;
}

static void first_of_both(void* in, void* inout, int* count, MPI_Datatype* type) { /* is associative, and does not commute */
  (void)type;
  memcpy(inout, in, (size_t)*count);
}

static int scans(void) {
  int right = 1;
  MPI_Op first;
  MPI_Op_create(first_of_both, 0, &first);
  for (int late = 1; late < 4; ++late) {
    MPI_Barrier(MPI_COMM_WORLD);
    come_late(late, late == 3 ? 2 : late + 1);
    memset(mine, 40 + rank, COUNT);
    MPI_Scan(mine, theirs, COUNT, MPI_CHAR, first, MPI_COMM_WORLD);
    memset(mine, 0, COUNT);
    MPI_Wtime();
    right = right && filled(theirs, COUNT, 40);
    memset(mine, 1 + rank, COUNT);
    MPI_Exscan(mine, theirs, COUNT, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
    right = right && (rank == 0 || filled(theirs, COUNT, (char)(rank * (rank + 1) / 2)));
    MPI_Reduce(mine, theirs, COUNT, MPI_CHAR, MPI_SUM, 0, MPI_COMM_WORLD);
    right = right && (rank != 0 || filled(theirs, COUNT, 10));
  }
  MPI_Op_free(&first);
  memset(mine, rank, sizeof(mine));
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(mine, rank, sizeof(mine));
  static int (*const cases[])(void) = {persistent_receive, persistent_send, broadcast, scatterv, gatherv, scans};
  static const char* const names[] = {"persistent_receive", "persistent_send", "broadcast", "scatterv", "gatherv", "scans"};
  for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const int came = cases[i]();
    int least = came;
    if (i > 0) MPI_Allreduce(&came, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %d\n", names[i], least);
  }
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
