// What a rank does by itself: messages that it sends itself, reductions and copies (exchanges.h).
#include "exchanges.h"

#include <string.h>

enum { TAG_SELF = 5 };

void exchange_self(struct exchange_pair* own, long bytes) {
  MPI_Request requests[2];
  const double start = probe_now();
  MPI_Irecv(own->in, (int)bytes, MPI_BYTE, own->rank, TAG_SELF, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(own->out, (int)bytes, MPI_BYTE, own->rank, TAG_SELF, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  probe_record_add(own->records, KIND_SELF, CLASS_SELF, bytes, 1, probe_now() - start - own->clock_cost);
}

void exchange_reduction(struct exchange_pair* own, long bytes) {
  const int count = bytes < (long)sizeof(double) ? 1 : (int)(bytes / (long)sizeof(double));
  memset(own->out, 0, (size_t)count * sizeof(double)); // any other bytes may be numbers that are slow to add
  memset(own->in, 0, (size_t)count * sizeof(double));
  const double start = probe_now();
  MPI_Reduce_local(own->out, own->in, count, MPI_DOUBLE, MPI_SUM);
  const double seconds = probe_now() - start - own->clock_cost;
  probe_record_add(own->records, KIND_REDUCTION, CLASS_SELF, count * (long)sizeof(double), 1, seconds);
}

void exchange_copy(struct exchange_pair* own, long bytes) {
  memset(own->out, 0, (size_t)bytes);
  const double start = probe_now();
  memcpy(own->in, own->out, (size_t)bytes);
  probe_record_add(own->records, KIND_COPY, CLASS_SELF, bytes, 1, probe_now() - start - own->clock_cost);
}
