// patterns PATTERN BYTES MESSAGES REPETITIONS: one communication pattern, as benchmarks of MPI
// libraries time it: a barrier, then the pattern, again and again. Prints the seconds per
// repetition of the rank for which it takes longest. The calls that are timed are those of the
// function that has the pattern's name.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, bytes, messages, repetitions;
static char *in, *out;
static MPI_Request* requests;

// What the compiler puts into another function would be timed there.
#define PATTERN(name) static __attribute__((noinline)) void name(void)

PATTERN(bcast) { MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
PATTERN(allgather) { MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD); }
PATTERN(allreduce) { MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
PATTERN(alltoall) { MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD); }
PATTERN(reduce) { MPI_Reduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
PATTERN(gather) { MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }

PATTERN(many_to_one) {
  if (rank > 0) {
    MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < ranks; ++i) MPI_Irecv(in + (size_t)i * bytes, bytes, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(ranks - 1, requests + 1, MPI_STATUSES_IGNORE);
}

PATTERN(one_to_many) {
  if (rank > 0) {
    MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int i = 1; i < ranks; ++i) MPI_Isend(out + (size_t)i * bytes, bytes, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(ranks - 1, requests + 1, MPI_STATUSES_IGNORE);
}

PATTERN(pairs) {
  const int half = ranks / 2;
  if (rank < half) {
    MPI_Send(out, bytes, MPI_BYTE, rank + half, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in, bytes, MPI_BYTE, rank - half, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

PATTERN(both_ways) {
  const int peer = rank ^ 1;
  MPI_Irecv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

PATTERN(in_flight) {
  const int peer = rank ^ 1;
  for (int i = 0; i < messages; ++i) {
    if (rank < peer) {
      MPI_Isend(out, bytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[i]);
    } else {
      MPI_Irecv(in, bytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[i]);
    }
  }
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
}

PATTERN(halo) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int i = 0; i < messages; ++i) {
    MPI_Irecv(in, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + bytes, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out + bytes, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

#define ROW(name)                                                                                                                \
  { #name, name }
static const struct {
  const char* name;
  void (*play)(void);
} patterns[] = {ROW(bcast),       ROW(allgather),   ROW(allreduce), ROW(alltoall),  ROW(reduce),    ROW(gather),
                ROW(many_to_one), ROW(one_to_many), ROW(pairs),     ROW(both_ways), ROW(in_flight), ROW(halo)};

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void (*play)(void) = NULL;
  for (size_t i = 0; count == 5 && i < sizeof patterns / sizeof *patterns; ++i)
    if (strcmp(words[1], patterns[i].name) == 0) play = patterns[i].play;
  if (play == NULL || (bytes = atoi(words[2])) < 1 || (messages = atoi(words[3])) < 1 || (repetitions = atoi(words[4])) < 1 ||
      ranks % 2 != 0) {
    if (rank == 0) fprintf(stderr, "usage: patterns PATTERN BYTES MESSAGES REPETITIONS, on an even number of ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  const size_t blocks = (size_t)(ranks > 2 ? ranks : 2);
  in = calloc(blocks, (size_t)bytes);
  out = calloc(blocks, (size_t)bytes);
  requests = calloc((size_t)(messages > ranks ? messages : ranks) + 4, sizeof *requests);
  if (in == NULL || out == NULL || requests == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  double own = 0, longest = 0;
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    play();
    own += MPI_Wtime() - begin;
  }
  own /= repetitions;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("time %.9f\n", longest);
  MPI_Finalize();
  free(in);
  free(out);
  free(requests);
  return 0;
}
