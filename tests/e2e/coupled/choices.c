/* Takes another path on another network. Rank 1 sends rank 0 a byte once it has a megabyte from rank 3, rank 2 does so after 200
 * ms: which comes first hangs on the network. Each case prints that, and how long it took by MPI_Wtime. On one real node it is
 * rank 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../pause.h"

enum { LARGE = 1000000 };
static char large[LARGE], small[1];

static void senders(int rank, int tag) {
  if (rank == 3) MPI_Send(large, LARGE, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(large, LARGE, MPI_CHAR, 3, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 2) pause_ms(200);
  if (rank == 1 || rank == 2) MPI_Send(small, 1, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
  if (rank > 0) pause_ms(1); /* the message is alone in the network */
}

static void post_both(MPI_Request* requests, int tag) {
  MPI_Irecv(large, 1, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(small, 1, MPI_CHAR, 2, tag, MPI_COMM_WORLD, &requests[1]);
}

static int by_waitany(int tag) {
  MPI_Request requests[2];
  post_both(requests, tag);
  int index, rest;
  MPI_Status status;
  MPI_Waitany(2, requests, &index, &status);
  MPI_Waitany(2, requests, &rest, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE == index + 1 && rest == 1 - index ? index + 1 : -1;
}

static int by_testany(int tag) {
  MPI_Request requests[2];
  post_both(requests, tag);
  int index, flag = 0;
  while (!flag) {
    MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (!flag) pause_ms(10);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return index + 1;
}

static int by_waitsome(int tag) {
  MPI_Request requests[2];
  post_both(requests, tag);
  int count, indices[2], rest, others[2];
  MPI_Status statuses[2];
  MPI_Waitsome(2, requests, &count, indices, statuses);
  const int first = count == 1 && statuses[0].MPI_SOURCE == indices[0] + 1 ? indices[0] + 1 : -1;
  MPI_Waitsome(2, requests, &rest, others, MPI_STATUSES_IGNORE);
  return rest == 1 ? first : -2;
}

static int by_test(int tag) {
  MPI_Request requests[2];
  post_both(requests, tag);
  int flag;
  pause_ms(400);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return flag ? 1 : 2;
}

static int by_iprobe(int tag) {
  int flag = 0;
  MPI_Status status;
  pause_ms(100);
  MPI_Iprobe(1, tag, MPI_COMM_WORLD, &flag, &status);
  MPI_Recv(small, 1, MPI_CHAR, flag ? 1 : 2, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(small, 1, MPI_CHAR, flag ? 2 : 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return flag ? 1 : 2;
}

static int by_any_source(int tag) {
  MPI_Status first, second;
  MPI_Recv(large, LARGE, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &first);
  MPI_Recv(large, LARGE, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &second);
  int bytes;
  MPI_Get_count(&second, MPI_CHAR, &bytes);
  return first.MPI_SOURCE + second.MPI_SOURCE == 3 && second.MPI_TAG == tag && bytes == 1 ? first.MPI_SOURCE : -1;
}

/* A receive from any source is open while all go through a barrier; a later one of a named source must not take its message. */
static int by_deferred(int tag) {
  MPI_Request requests[3];
  MPI_Datatype letters; /* may be freed while the receive is open */
  MPI_Type_contiguous(LARGE, MPI_CHAR, &letters);
  MPI_Type_commit(&letters);
  MPI_Irecv(large, 1, letters, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Type_free(&letters);
  MPI_Irecv(large, LARGE, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(small, 1, MPI_CHAR, 2, tag + 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Status statuses[3];
  MPI_Waitall(3, requests, statuses);
  const int right =
      statuses[0].MPI_SOURCE + statuses[1].MPI_SOURCE == 3 && statuses[2].MPI_SOURCE == 2 && statuses[2].MPI_TAG == tag + 1;
  return right ? statuses[0].MPI_SOURCE : -1;
}

static int by_mprobe(int tag) {
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
  const int first = status.MPI_SOURCE;
  MPI_Mrecv(large, LARGE, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  MPI_Recv(large, LARGE, MPI_CHAR, 3 - first, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return first;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static int (*const cases[])(int) = {by_waitany, by_testany,    by_waitsome, by_test,
                                      by_iprobe,  by_any_source, by_deferred, by_mprobe};
  static const char* const names[] = {"waitany", "testany", "waitsome", "test", "iprobe", "any_source", "deferred", "mprobe"};
  for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    int first = 0;
    if (rank == 0) first = cases[i](10 * i);
    senders(rank, 10 * i);
    if (cases[i] == by_deferred && rank > 0) MPI_Barrier(MPI_COMM_WORLD);
    if (cases[i] == by_deferred && rank == 2) MPI_Send(small, 1, MPI_CHAR, 0, 10 * i + 1, MPI_COMM_WORLD);
    if (cases[i] == by_deferred && rank == 2) pause_ms(1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%s %d %.12f\n", names[i], first, MPI_Wtime() - begin);
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
