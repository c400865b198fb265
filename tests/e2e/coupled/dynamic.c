/* Programs whose course hangs on what comes first: a master and its workers (`workers`), ranks that take work from one another
 * (`stealers`), neighbours that take each other's updates as they come (`updates`). Rank 0 prints the course of each rank, a word
 * per step, and its time. Runs under SimGrid's SMPI, too: without collectives, which libraries play each in their way. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../pause.h"

enum { MOST = 64, TASKS = 30, SIZE = 2000 };
static int rank, size;
static int course[MOST * 2], steps;

static void note(int step) {
  if (steps < MOST * 2) course[steps++] = step;
}

static void workers(void) {
  static char data[SIZE];
  MPI_Status status;
  int task = 0, back = 0;
  if (rank > 0) {
    for (;;) {
      MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (task < 0) return;
      note(task);
      pause_ms(3 + task * 7 % 11 + rank);
      MPI_Send(data, SIZE * (1 + task % 3) / 3, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
  }
  for (int worker = 1; worker < size; ++worker, ++task) MPI_Send(&task, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
  for (; back < TASKS; ++back) {
    MPI_Recv(data, SIZE, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    note(status.MPI_SOURCE);
    const int next = task < TASKS ? task++ : -1;
    MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
  }
}

/* Tags of messages to who may be asked for work, of its answers, and of the end. */
enum { ASK = 1, ANSWER = 2, IDLE = 3, END = 4 };
static int tasks[MOST], left, idle, ended;

/* Answers what has come. */
static void serve(void) {
  for (;;) {
    int found = 0, none = 0, give;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    if (!found || status.MPI_TAG == ANSWER) return;
    MPI_Recv(&none, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == IDLE) ++idle;
    if (status.MPI_TAG == END) ended = 1;
    if (status.MPI_TAG != ASK) continue;
    give = left > 1 ? tasks[--left] : -1;
    MPI_Send(&give, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
  }
}

static int steal(int victim) {
  int task = -1, found = 0;
  MPI_Send(&task, 1, MPI_INT, victim, ASK, MPI_COMM_WORLD);
  for (;;) {
    MPI_Iprobe(victim, ANSWER, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (found) break;
    serve();
    pause_ms(1);
  }
  MPI_Recv(&task, 1, MPI_INT, victim, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return task;
}

static void stealers(void) {
  const int own = rank == 0 ? 24 : 2;
  for (int i = 0; i < own; ++i) tasks[left++] = rank * 100 + i;
  for (int refused = 0; refused < size - 1;) {
    while (left > 0) {
      const int task = tasks[--left];
      note(task);
      pause_ms(4 + task * 5 % 7);
      serve();
    }
    const int task = steal((rank + 1 + refused) % size);
    refused = task < 0 ? refused + 1 : 0;
    if (task >= 0) tasks[left++] = task;
  }
  if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, IDLE, MPI_COMM_WORLD);
  while (!ended) {
    serve();
    pause_ms(1);
    if (rank > 0 || idle < size - 1) continue;
    for (int other = 1; other < size; ++other) MPI_Send(&rank, 1, MPI_INT, other, END, MPI_COMM_WORLD);
    ended = 1;
  }
}

static void updates(void) {
  enum { ROUNDS = 12 };
  static char in[MOST][SIZE], out[SIZE];
  MPI_Request requests[MOST];
  int awaited = 0;
  for (int other = 0; other < size; ++other) {
    requests[other] = MPI_REQUEST_NULL;
    if (other == rank) continue;
    MPI_Irecv(in[other], SIZE, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[other]);
    awaited += ROUNDS;
  }
  for (int round = 0, got[MOST] = {0}; round < ROUNDS || awaited > 0; ++round) {
    pause_ms(2 + (rank * 5 + round * 3) % 7);
    for (int other = 0; other < size && round < ROUNDS; ++other) {
      if (other != rank) MPI_Send(out, SIZE, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    }
    for (int found = 1; found;) {
      int source = MPI_UNDEFINED;
      MPI_Testany(size, requests, &source, &found, MPI_STATUS_IGNORE);
      if (!found || source == MPI_UNDEFINED) break;
      note(source);
      --awaited;
      if (++got[source] < ROUNDS) MPI_Irecv(in[source], SIZE, MPI_CHAR, source, 0, MPI_COMM_WORLD, &requests[source]);
    }
  }
}

static void tell(double seconds) {
  for (int from = 0; from < size && rank == 0; ++from) {
    if (from > 0) MPI_Recv(&steps, 1, MPI_INT, from, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (from > 0) MPI_Recv(course, steps, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d:", from);
    for (int i = 0; i < steps; ++i) printf(" %d", course[i]);
    printf("\n");
  }
  if (rank > 0) MPI_Send(&steps, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  if (rank > 0) MPI_Send(course, steps, MPI_INT, 0, 9, MPI_COMM_WORLD);
  if (rank == 0) printf("time %.9f\n", seconds);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const which = argc > 1 ? argv[1] : "";
  const double begin = MPI_Wtime();
  if (strcmp(which, "workers") == 0) workers();
  if (strcmp(which, "stealers") == 0) stealers();
  if (strcmp(which, "updates") == 0) updates();
  tell(MPI_Wtime() - begin);
  MPI_Finalize();
  return 0;
}
