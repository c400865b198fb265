// farcast_bottle_probe PATTERN REPETITIONS [BYTES [MESSAGES]]: one communication pattern, timed; what scripts/validate compares.
//
// Every repetition starts after a barrier. Rank 0 prints one line of JSON: the median over the repetitions of each rank's time,
// and whether all data arrived. Every received byte is checked against what the sender must have written.
//   ping_pong   ranks 0 and 1; the time is of one way
//   both_ways   ranks 0 and 1 send BYTES to each other at once (irecv, isend, wait, wait); rank 0 comes last to the barrier
//   in_flight   rank 0 sends MESSAGES messages of BYTES to rank 1, all posted before any is waited for
//   halo        ranks in a ring exchange BYTES with both neighbours (irecv, irecv, isend, isend, waitall), MESSAGES times
//   allreduce   MPI_Allreduce of BYTES (doubles, sum), MESSAGES times
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pattern_arguments {
  int bytes;
  int messages;
  int rank;
  int size;
  unsigned char* out; // messages * bytes, twice
  unsigned char* in;
  MPI_Request* requests; // 4 * messages
};

static unsigned char mark(int sender, int slot, int at) { return (unsigned char)(sender * 31 + slot * 7 + at); }

static void fill(unsigned char* data, int bytes, int sender, int slot) {
  for (int i = 0; i < bytes; ++i) data[i] = mark(sender, slot, i);
}

static int differs(const unsigned char* data, int bytes, int sender, int slot) {
  for (int i = 0; i < bytes; ++i) {
    if (data[i] != mark(sender, slot, i)) return 1;
  }
  return 0;
}

static double ping_pong(const struct pattern_arguments* a) {
  const double start = MPI_Wtime();
  if (a->rank == 0) {
    MPI_Send(a->out, a->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(a->in, a->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (a->rank == 1) {
    MPI_Recv(a->in, a->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(a->out, a->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / 2;
}

static double both_ways(const struct pattern_arguments* a) {
  const double start = MPI_Wtime();
  if (a->rank > 1) return 0;
  MPI_Irecv(a->in, a->bytes, MPI_BYTE, 1 - a->rank, 0, MPI_COMM_WORLD, &a->requests[0]);
  MPI_Isend(a->out, a->bytes, MPI_BYTE, 1 - a->rank, 0, MPI_COMM_WORLD, &a->requests[1]);
  // One after the other, so that each rank's time is that of its own incoming message.
  MPI_Wait(&a->requests[0], MPI_STATUS_IGNORE);
  const double received = MPI_Wtime() - start;
  MPI_Wait(&a->requests[1], MPI_STATUS_IGNORE);
  return received;
}

static double in_flight(const struct pattern_arguments* a) {
  const double start = MPI_Wtime();
  if (a->rank > 1) return 0;
  for (int i = 0; i < a->messages; ++i) {
    const size_t at = (size_t)i * (size_t)a->bytes;
    if (a->rank == 0) MPI_Isend(a->out + at, a->bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &a->requests[i]);
    if (a->rank == 1) MPI_Irecv(a->in + at, a->bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &a->requests[i]);
  }
  MPI_Waitall(a->messages, a->requests, MPI_STATUSES_IGNORE);
  // The answer makes the sender's time the whole time.
  MPI_Sendrecv(a->out, 1, MPI_BYTE, 1 - a->rank, a->messages, a->in + (size_t)a->messages * (size_t)a->bytes, 1, MPI_BYTE,
               1 - a->rank, a->messages, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Wtime() - start;
}

static double halo(const struct pattern_arguments* a) {
  const int left = (a->rank + a->size - 1) % a->size;
  const int right = (a->rank + 1) % a->size;
  const double start = MPI_Wtime();
  for (int i = 0; i < a->messages; ++i) {
    MPI_Irecv(a->in, a->bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &a->requests[0]);
    MPI_Irecv(a->in + a->bytes, a->bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &a->requests[1]);
    MPI_Isend(a->out, a->bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &a->requests[2]);
    MPI_Isend(a->out + a->bytes, a->bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &a->requests[3]);
    MPI_Waitall(4, a->requests, MPI_STATUSES_IGNORE);
  }
  return (MPI_Wtime() - start) / a->messages;
}

static double allreduce(const struct pattern_arguments* a) {
  const double start = MPI_Wtime();
  for (int i = 0; i < a->messages; ++i) {
    MPI_Allreduce(a->out, a->in, a->bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / a->messages;
}

// Returns: whether rank's received data is not what it must be.
static int wrong(const char* pattern, const struct pattern_arguments* a) {
  if (strcmp(pattern, "allreduce") == 0) {
    double first = 0;
    memcpy(&first, a->in, sizeof first);
    return first != a->size;
  }
  if (strcmp(pattern, "halo") == 0) {
    const int left = (a->rank + a->size - 1) % a->size;
    const int right = (a->rank + 1) % a->size;
    return differs(a->in, a->bytes, left, 0) || differs(a->in + a->bytes, a->bytes, right, 1);
  }
  if (a->rank > 1) return 0;
  if (strcmp(pattern, "in_flight") != 0) return differs(a->in, a->bytes, 1 - a->rank, 0);
  int bad = 0;
  for (int i = 0; i < a->messages && a->rank == 1; ++i) bad |= differs(a->in + (size_t)i * (size_t)a->bytes, a->bytes, 0, i);
  return bad;
}

// Who comes last to a barrier leaves it first, by a latency, and that decides the order of the answers. No two ranks ever arrive
// together; so that predictions speak of the same case, here rank 0 comes last.
static void be_late(void) {
  const double until = MPI_Wtime() + 0.01;
  while (MPI_Wtime() < until) {
  }
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void report(const char* pattern, const struct pattern_arguments* a, const double* seconds, int repetitions, int bad) {
  double* sorted = malloc(sizeof(double) * (size_t)repetitions);
  printf("{\"pattern\": \"%s\", \"ranks\": %d, \"bytes\": %d, \"messages\": %d, \"delivered\": %s, \"seconds\": [", pattern,
         a->size, a->bytes, a->messages, bad ? "false" : "true");
  for (int rank = 0; rank < a->size; ++rank) {
    memcpy(sorted, seconds + (size_t)rank * (size_t)repetitions, sizeof(double) * (size_t)repetitions);
    qsort(sorted, (size_t)repetitions, sizeof(double), ascending);
    printf("%s%.9f", rank ? ", " : "", sorted[repetitions / 2]);
  }
  printf("]}\n");
  free(sorted);
}

static int at_least(const char* text, int least) {
  const long value = strtol(text, NULL, 10);
  return value < least ? least : (int)value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct pattern_arguments a = {1, 1, 0, 0, NULL, NULL, NULL};
  MPI_Comm_rank(MPI_COMM_WORLD, &a.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &a.size);
  const struct {
    const char* name;
    double (*play)(const struct pattern_arguments*);
  } patterns[] = {
      {"ping_pong", ping_pong}, {"both_ways", both_ways}, {"in_flight", in_flight}, {"halo", halo}, {"allreduce", allreduce}};
  double (*play)(const struct pattern_arguments*) = NULL;
  for (size_t i = 0; argc > 2 && i < sizeof patterns / sizeof patterns[0]; ++i) {
    if (strcmp(argv[1], patterns[i].name) == 0) play = patterns[i].play;
  }
  if (play == NULL || a.size < 2) {
    if (a.rank == 0) fprintf(stderr, "usage: farcast_bottle_probe PATTERN REPETITIONS [BYTES [MESSAGES]], on 2 ranks or more\n");
    MPI_Finalize();
    return 2;
  }
  const int repetitions = at_least(argv[2], 1);
  if (argc > 3) a.bytes = at_least(argv[3], 0);
  if (argc > 4) a.messages = at_least(argv[4], 1);
  const size_t room = (size_t)a.bytes * (size_t)(a.messages + 1) + 16;
  a.out = malloc(room);
  a.in = calloc(room, 1);
  a.requests = malloc(sizeof(MPI_Request) * (size_t)(a.messages + 4));
  double* mine = malloc(sizeof(double) * (size_t)repetitions);
  double* all = malloc(sizeof(double) * (size_t)repetitions * (size_t)a.size);
  for (int slot = 0; slot <= a.messages; ++slot) fill(a.out + (size_t)slot * (size_t)a.bytes, a.bytes, a.rank, slot);
  if (play == allreduce) {
    a.bytes = a.bytes < 8 ? 8 : a.bytes / 8 * 8;
    for (int i = 0; i < a.bytes / 8; ++i) memcpy(a.out + 8 * (size_t)i, &(double){1.0}, sizeof(double));
  }
  int bad = 0;
  play(&a); // opens the connections
  for (int i = 0; i < repetitions; ++i) {
    memset(a.in, 0, room);
    if (play == both_ways && a.rank == 0) be_late();
    MPI_Barrier(MPI_COMM_WORLD);
    mine[i] = play(&a);
    bad |= wrong(argv[1], &a);
  }
  int any = 0;
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  MPI_Gather(mine, repetitions, MPI_DOUBLE, all, repetitions, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (a.rank == 0) report(argv[1], &a, all, repetitions, any);
  free(a.out);
  free(a.in);
  free(a.requests);
  free(mine);
  free(all);
  MPI_Finalize();
  return any ? 1 : 0;
}
