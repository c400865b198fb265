// Bytes that kernels exchange beside the library: how long a message takes that no process has a
// part in.
#include "exchanges.h"
#include "tcp_link.h"

#include <unistd.h>

enum { TAG_PORT = 5, BYTES = 4 };

void exchange_open_port(struct exchange_pair* pair) {
  uint16_t port = 0;
  int told = 0;
  pair->listening = -1;
  if (pair->rank == pair->first) {
    MPI_Recv(&told, 1, MPI_INT, pair->second, TAG_PORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pair->port = pair->connection >= 0 ? told : 0;
    return;
  }
  if (pair->connection >= 0) pair->listening = tcp_listen_beside(pair->connection, &port);
  told = port;
  MPI_Send(&told, 1, MPI_INT, pair->first, TAG_PORT, MPI_COMM_WORLD);
}

void exchange_close_port(struct exchange_pair* pair) {
  if (pair->listening >= 0) close(pair->listening);
  pair->listening = -1;
  pair->port = 0;
}

// The second's kernel answers whatever it does. Nothing else is on the way.
void exchange_round_trips(struct exchange_pair* pair) {
  double seconds[BYTES];
  if (pair->listening >= 0) tcp_end_made(pair->listening);
  exchange_meet(pair);
  if (pair->rank != pair->first || pair->port == 0) return;
  const int seen = tcp_round_trips(pair->connection, (uint16_t)pair->port, seconds, BYTES);
  for (int i = 0; i < seen; ++i) probe_record_add(pair->records, (int)KIND_ROUND_TRIP, (int)pair->kind_of_pair, 0, 1, seconds[i]);
  if (seen < BYTES) pair->port = 0; // what lies between lets none through, and each would take a second
}
