// Patterns of point-to-point messages.
#include "patterns.h"

#include <mpi.h>

static unsigned char* slot_in(const struct pattern_arguments* a, int slot) { return a->in + (size_t)slot * (size_t)a->bytes; }
static unsigned char* slot_out(const struct pattern_arguments* a, int slot) { return a->out + (size_t)slot * (size_t)a->bytes; }

static double ping_pong(const struct pattern_arguments* a) {
  const int peer = 1 - a->rank;
  if (a->rank > 1) return 0;
  for (int i = 0; i < a->messages; ++i) {
    if (a->rank == 0) MPI_Send(a->out, a->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(a->in, a->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (a->rank == 1) MPI_Send(a->out, a->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  }
  return now_s() - a->start;
}

static int wrong_from_peer(const struct pattern_arguments* a) { return a->rank <= 1 && differs(a->in, a->bytes, 1 - a->rank, 0); }

static double both_ways(const struct pattern_arguments* a) {
  MPI_Request requests[2];
  if (a->rank > 1) return 0;
  MPI_Irecv(a->in, a->bytes, MPI_BYTE, 1 - a->rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(a->out, a->bytes, MPI_BYTE, 1 - a->rank, 0, MPI_COMM_WORLD, &requests[1]);
  // One after the other, so that each rank's time is that of its own incoming message.
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  const double received = now_s() - a->start;
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  return received;
}

static double answered(const struct pattern_arguments* a) {
  MPI_Request requests[2];
  if (a->rank > 1) return 0;
  MPI_Irecv(a->in, a->bytes, MPI_BYTE, 1 - a->rank, 0, MPI_COMM_WORLD, &requests[0]);
  if (a->rank == 1) MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isend(a->out, a->bytes, MPI_BYTE, 1 - a->rank, 0, MPI_COMM_WORLD, &requests[1]);
  if (a->rank == 0) MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  const double received = now_s() - a->start;
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  return received;
}

static double in_flight(const struct pattern_arguments* a) {
  MPI_Request* requests = a->requests;
  if (a->rank > 1) return 0;
  for (int i = 0; i < a->messages; ++i) {
    if (a->rank == 0) MPI_Isend(slot_out(a, i), a->bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (a->rank == 1) MPI_Irecv(slot_in(a, i), a->bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(a->messages, requests, MPI_STATUSES_IGNORE);
  // The answer makes the sender's time the whole time.
  MPI_Sendrecv(a->out, 1, MPI_BYTE, 1 - a->rank, a->messages, slot_in(a, a->messages), 1, MPI_BYTE, 1 - a->rank, a->messages,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return now_s() - a->start;
}

static int wrong_in_flight(const struct pattern_arguments* a) {
  int bad = 0;
  for (int i = 0; i < a->messages && a->rank == 1; ++i) bad |= differs(slot_in(a, i), a->bytes, 0, i);
  return bad;
}

static double halo(const struct pattern_arguments* a) {
  MPI_Request* requests = a->requests;
  const int left = (a->rank + a->size - 1) % a->size;
  const int right = (a->rank + 1) % a->size;
  for (int i = 0; i < a->messages; ++i) {
    MPI_Irecv(slot_in(a, 0), a->bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(slot_in(a, 1), a->bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(slot_out(a, 0), a->bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(slot_out(a, 1), a->bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  return now_s() - a->start;
}

static int wrong_halo(const struct pattern_arguments* a) {
  const int left = (a->rank + a->size - 1) % a->size;
  const int right = (a->rank + 1) % a->size;
  return differs(slot_in(a, 0), a->bytes, left, 0) || differs(slot_in(a, 1), a->bytes, right, 1);
}

// All ranks at once, each with its neighbour.
static double ping_pongs(const struct pattern_arguments* a) {
  const int peer = a->rank ^ 1;
  if (peer >= a->size) return 0;
  for (int i = 0; i < a->messages; ++i) {
    if (a->rank < peer) MPI_Send(a->out, a->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(a->in, a->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (a->rank > peer) MPI_Send(a->out, a->bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  }
  return now_s() - a->start;
}

static int wrong_from_neighbour(const struct pattern_arguments* a) {
  return (a->rank ^ 1) < a->size && differs(a->in, a->bytes, a->rank ^ 1, 0);
}

static double many_to_one(const struct pattern_arguments* a) {
  MPI_Request* requests = a->requests;
  if (a->rank > 0) {
    MPI_Send(a->out, a->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return 0; // done when the kernel has it: the receiver's time counts
  }
  for (int i = 1; i < a->size; ++i) MPI_Irecv(slot_in(a, i), a->bytes, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[i - 1]);
  MPI_Waitall(a->size - 1, requests, MPI_STATUSES_IGNORE);
  return now_s() - a->start;
}

static int wrong_many_to_one(const struct pattern_arguments* a) {
  int bad = 0;
  for (int i = 1; i < a->size && a->rank == 0; ++i) bad |= differs(slot_in(a, i), a->bytes, i, 0);
  return bad;
}

static double one_to_many(const struct pattern_arguments* a) {
  MPI_Request* requests = a->requests;
  if (a->rank > 0) {
    MPI_Recv(a->in, a->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return now_s() - a->start;
  }
  for (int i = 1; i < a->size; ++i) MPI_Isend(slot_out(a, i), a->bytes, MPI_BYTE, i, 0, MPI_COMM_WORLD, &requests[i - 1]);
  MPI_Waitall(a->size - 1, requests, MPI_STATUSES_IGNORE);
  return 0;
}

static int wrong_one_to_many(const struct pattern_arguments* a) { return a->rank > 0 && differs(a->in, a->bytes, 0, a->rank); }

static double pairs(const struct pattern_arguments* a) {
  const int half = a->size / 2;
  if (a->rank < half) {
    MPI_Send(a->out, a->bytes, MPI_BYTE, a->rank + half, 0, MPI_COMM_WORLD);
    return 0;
  }
  if (a->rank >= 2 * half) return 0;
  MPI_Recv(a->in, a->bytes, MPI_BYTE, a->rank - half, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return now_s() - a->start;
}

static int wrong_pairs(const struct pattern_arguments* a) {
  const int half = a->size / 2;
  return a->rank >= half && a->rank < 2 * half && differs(a->in, a->bytes, a->rank - half, 0);
}

const struct pattern message_patterns[] = {{"ping_pong", ping_pong, wrong_from_peer, 0, 1, 2, 1},
                                           {"both_ways", both_ways, wrong_from_peer, 0, 0, 1, 0},
                                           {"answered", answered, wrong_from_peer, 0, 1, 1, 0},
                                           {"in_flight", in_flight, wrong_in_flight, 0, 1, 1, 0},
                                           {"halo", halo, wrong_halo, 0, 0, 1, 1},
                                           {"ping_pongs", ping_pongs, wrong_from_neighbour, 0, 0, 2, 1},
                                           {"many_to_one", many_to_one, wrong_many_to_one, 0, 0, 1, 0},
                                           {"one_to_many", one_to_many, wrong_one_to_many, 0, 1, 1, 0},
                                           {"pairs", pairs, wrong_pairs, 0, 0, 1, 0},
                                           {NULL, NULL, NULL, 0, 0, 0, 0}};
