// Patterns of collective calls.
#include "patterns.h"

#include <mpi.h>
#include <string.h>

static double bcast(const struct pattern_arguments* a) {
  unsigned char* data = a->rank == 0 ? a->out : a->in;
  for (int i = 0; i < a->messages; ++i) MPI_Bcast(data, a->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  return now_s() - a->start;
}

static int wrong_bcast(const struct pattern_arguments* a) { return a->rank > 0 && differs(a->in, a->bytes, 0, 0); }

static double allreduce(const struct pattern_arguments* a) {
  for (int i = 0; i < a->messages; ++i) {
    MPI_Allreduce(a->out, a->in, a->bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return now_s() - a->start;
}

static int wrong_allreduce(const struct pattern_arguments* a) {
  for (size_t at = 0; at < (size_t)a->bytes; at += sizeof(double)) {
    double sum = 0;
    memcpy(&sum, a->in + at, sizeof sum);
    if (sum != a->size) return 1;
  }
  return 0;
}

static double alltoall(const struct pattern_arguments* a) {
  for (int i = 0; i < a->messages; ++i) MPI_Alltoall(a->out, a->bytes, MPI_BYTE, a->in, a->bytes, MPI_BYTE, MPI_COMM_WORLD);
  return now_s() - a->start;
}

static int wrong_alltoall(const struct pattern_arguments* a) {
  int bad = 0;
  for (int i = 0; i < a->size; ++i) bad |= differs(a->in + (size_t)i * (size_t)a->bytes, a->bytes, i, a->rank);
  return bad;
}

static double allgather(const struct pattern_arguments* a) {
  for (int i = 0; i < a->messages; ++i)
    MPI_Allgather(MPI_IN_PLACE, a->bytes, MPI_BYTE, a->in, a->bytes, MPI_BYTE, MPI_COMM_WORLD);
  return now_s() - a->start;
}

static int wrong_allgather(const struct pattern_arguments* a) {
  int bad = 0;
  for (int i = 0; i < a->size; ++i) bad |= differs(a->in + (size_t)i * (size_t)a->bytes, a->bytes, i, 0);
  return bad;
}

const struct pattern collective_patterns[] = {{"bcast", bcast, wrong_bcast, 0, 1, 1, 1},
                                              {"allreduce", allreduce, wrong_allreduce, 1, 0, 1, 1},
                                              {"alltoall", alltoall, wrong_alltoall, 0, 0, 1, 1},
                                              {"allgather", allgather, wrong_allgather, 0, 0, 1, 1},
                                              {NULL, NULL, NULL, 0, 0, 0, 0}};
