/* What a rank is done with, or has begun, before others have come: each hangs, or takes the wrong message or all memory, where
 * the library is left to hold it. Prints what came_first.h says. Three ranks. */
#include "came_first.h"

#include <stdlib.h>
#include <sys/resource.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* What rank 0 completes before rank 1 has come: as the one that gives to all, or to the other one, small and by rendezvous. */
static int some[2][8192];

static void set(int first) {
  for (int i = 0; i < 8192; ++i) some[0][i] = rank == 0 ? first + i : -1;
}

static int is_set(int which, int first) {
  int right = 1;
  for (int i = 0; i < 8192; ++i) right = right && some[which][i] == first + i;
  return right;
}

static int started(int* got) {
  MPI_Request requests[2];
  int right = 1;
  set(5);
  for (int late = 0; late < 2; ++late) {
    if (late) *got = came_first();
    if (rank != late) continue;
    MPI_Ibcast(some[0], 8192, MPI_INT, 0, pair, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  right = right && (rank == 2 || is_set(0, 5));
  set(6);
  for (int late = 0; late < 2; ++late) {
    if (late) came_first();
    if (rank != late) continue;
    MPI_Igather(some[0], 8192, MPI_INT, some, 8192, MPI_INT, 1, pair, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  right = right && (rank != 1 || is_set(0, 6));
  set(7);
  for (int i = 0; i < 8192 && rank == 0; ++i) some[1][i] = 8 + i;
  for (int late = 0; late < 2; ++late) { /* completed in another order than they were started in */
    if (late) came_first();
    if (rank != late) continue;
    for (int i = 0; i < 2; ++i) MPI_Ibcast(some[i], 8192, MPI_INT, 0, pair, &requests[i]);
    for (int i = 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  return right && (rank == 2 || (is_set(0, 7) && is_set(1, 8)));
}

#if MPI_VERSION >= 4
#define BCAST_INIT MPI_Bcast_init
#else
#define BCAST_INIT MPIX_Bcast_init
#endif

static int restarted(int* got) {
  MPI_Request request = MPI_REQUEST_NULL;
  int right = 1;
  if (rank < 2) BCAST_INIT(some[0], 8192, MPI_INT, 0, pair, MPI_INFO_NULL, &request);
  set(100);
#ifdef OPEN_MPI                                         /* MPICH 4.0 waits for ever */
  if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE); /* it has not been started */
#endif
  for (int round = 0; round < 2; ++round) {
    set(round);
    for (int late = 0; late < 2; ++late) {
      if (late) *got = came_first();
      if (rank != late) continue;
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    right = right && (rank == 2 || is_set(0, round));
  }
  if (rank < 2) MPI_Request_free(&request);
  return right;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

/* No part of one that the library refuses is left for the next one. */
static int refused(int* got) {
  double in = rank + 1, out = -1;
  int right = 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
  for (int late = 0; late < 2; ++late) {
    if (late) *got = came_first();
    if (rank != late) continue;
    right = MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_BAND, 1, pair) != MPI_SUCCESS;
    MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, 1, pair);
  }
  return right && (rank != 1 || out == 3);
}

/* What the communicator and the operator are freed of before it is over. */
static int reduced(int* got) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Op op;
  MPI_Request request = MPI_REQUEST_NULL;
  int in[2] = {rank, 5}, out[2] = {-1, -1};
  if (rank < 2) MPI_Comm_dup(pair, &copy);
  MPI_Op_create(add, 1, &op);
  if (rank == 0) *got = came_first();
  if (rank < 2) MPI_Ireduce(in, out, 2, MPI_INT, op, 1, copy, &request);
  if (rank < 2) MPI_Comm_free(&copy);
  MPI_Op_free(&op);
  if (rank > 0) *got = came_first();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return op == MPI_OP_NULL && copy == MPI_COMM_NULL && (rank != 1 || (out[0] == 1 && out[1] == 10));
}

/* Rank 2 sends the second message once rank 1 has seen that there is none beside the first. */
static int matched(int* got) {
  int values[2] = {1, 2}, found = 0;
  MPI_Message first, second;
  *got = came_first();
  if (rank == 0) return 1;
  if (rank == 2) {
    MPI_Send(&values[0], 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&values[1], 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    return 1;
  }
  while (!found) MPI_Improbe(2, 8, MPI_COMM_WORLD, &found, &first, MPI_STATUS_IGNORE);
  MPI_Improbe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &found, &second, MPI_STATUS_IGNORE);
  if (found) return 0;
  MPI_Send(NULL, 0, MPI_INT, 2, 8, MPI_COMM_WORLD);
  MPI_Mprobe(2, 8, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);
  MPI_Mrecv(&values[0], 1, MPI_INT, &second, MPI_STATUS_IGNORE);
  MPI_Mrecv(&values[1], 1, MPI_INT, &first, MPI_STATUS_IGNORE);
  return values[0] == 2 && values[1] == 1;
}

/* Of a receive whose message is not known yet. */
static int freed(int* got) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int value = -1;
  if (rank < 2) MPI_Comm_dup(pair, &copy);
  if (rank == 1) MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &request);
  if (rank == 1) MPI_Comm_free(&copy);
  *got = came_first();
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 3, copy);
  if (rank == 0) MPI_Comm_free(&copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return copy == MPI_COMM_NULL && (rank != 1 || value == 0);
}

/* Who only sends is not ahead of its receiver by all that it sends, 400 MB. */
static int ahead(int* got) {
  enum { LARGE = 4 << 20, TIMES = 100 };
  char* const data = calloc(LARGE, 1);
  struct rusage used;
  *got = came_first();
  if (rank == 1) pause_ms(300);
  for (int i = 0; i < TIMES && rank == 0; ++i) MPI_Send(data, LARGE, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
  for (int i = 0; i < TIMES && rank == 1; ++i) MPI_Recv(data, LARGE, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(data);
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss < 256 << 10;
}

/* MPICH completes an empty message of a rank to itself when it is received. */
static int empty(int* got) {
  MPI_Request request;
  MPI_Status status;
  int count = -1;
  *got = came_first();
  MPI_Isend(NULL, 0, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
  MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get_count(&status, MPI_INT, &count);
  return status.MPI_SOURCE == rank && count == 0;
}

/* The library asks the target for each element, and that waits for its next fence. */
static int stepped(int* got) {
  enum { SIDE = 600 };
  int* const data = malloc(SIDE * SIDE * sizeof(int));
  int right = 1;
  MPI_Datatype column, turned;
  MPI_Win window;
  for (int i = 0; i < SIDE * SIDE; ++i) data[i] = rank == 0 ? i : 1;
  *got = came_first();
  if (rank < 2) {
    MPI_Type_vector(SIDE, 1, SIDE, MPI_INT, &column);
    MPI_Type_create_hvector(SIDE, 1, sizeof(int), column, &turned);
    MPI_Type_commit(&turned);
    MPI_Win_create(data, SIDE * SIDE * sizeof(int), sizeof(int), MPI_INFO_NULL, pair, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) MPI_Accumulate(data, SIDE * SIDE, MPI_INT, 1, 0, 1, turned, MPI_SUM, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < SIDE * SIDE && rank == 1; ++i) right = right && data[i % SIDE * SIDE + i / SIDE] == i + 1;
    MPI_Win_free(&window);
    MPI_Type_free(&column);
    MPI_Type_free(&turned);
  }
  free(data);
  return right;
}

#if MPI_VERSION >= 4
static int exchanged(int* got) {
  int in[2] = {-1, -1};
  MPI_Request requests[2];
  if (rank < 2) {
    MPI_Isendrecv(&rank, 1, MPI_INT, 1 - rank, 5, &in[0], 1, MPI_INT, 1 - rank, 5, pair, &requests[0]);
    MPI_Isendrecv(&rank, 1, MPI_INT, 1 - rank, 6, &in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, &requests[1]);
  }
  *got = came_first();
  if (rank < 2) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  int data = rank;
  if (rank < 2) {
    MPI_Isendrecv_replace(&data, 1, MPI_INT, 1 - rank, 5, MPI_ANY_SOURCE, 5, pair, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
  }
  return rank == 2 || (in[0] == 1 - rank && in[1] == 1 - rank && data == 1 - rank);
}
#endif

int main(int argc, char** argv) {
  static const struct Case all[] = {
    {"started", started},
    {"restarted", restarted},
    {"refused", refused},
    {"reduced", reduced},
    {"matched", matched},
    {"freed", freed},
    {"ahead", ahead},
    {"empty", empty},
    {"stepped", stepped},
#if MPI_VERSION >= 4
    {"exchanged", exchanged},
#endif
  };
  return play_all(argc, argv, all, sizeof all / sizeof *all);
}
