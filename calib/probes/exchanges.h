// The single measurements between ranks. Every function is called by both ranks of a pair with the
// same arguments (or by all ranks of a communicator), and the first rank records.
#ifndef FARCAST_CALIB_PROBES_EXCHANGES_H
#define FARCAST_CALIB_PROBES_EXCHANGES_H

#include "probe.h"

enum exchange_kind {
  KIND_ONE_WAY,        // half a ping-pong
  KIND_SEND,           // MPI_Send, receive posted: how long the call takes
  KIND_ISEND,          // MPI_Isend, receive posted
  KIND_ISEND_AGAIN,    // the mean of those of a train but the first
  KIND_BULK_WRITE,     // the MPI_Test of a message beyond the eager limit that reads its answer, and writes the data
  KIND_BULK_READ,      // the MPI_Wait for a message beyond the eager limit whose data has arrived already
  KIND_RECEIVE,        // MPI_Recv of an eager message that has arrived already
  KIND_IPROBE,         // a fruitless MPI_Iprobe
  KIND_TEST,           // a fruitless MPI_Test
  KIND_BOTH_WAYS,      // both directions at once: the time of the quicker one ...
  KIND_BOTH_WAYS_SLOW, // ... and of the slower one
  KIND_TRAIN,          // MESSAGES messages in flight at once to one peer, and an empty answer
  KIND_MANY_TO_ONE,    // MESSAGES ranks send to one
  KIND_ONE_TO_MANY,    // one sends to MESSAGES ranks
  KIND_PAIRS,          // MESSAGES disjoint pairs at once, one way
  KIND_SELF,           // a message of a rank to itself: receive and send posted, both waited for
  KIND_REDUCTION,      // MPI_Reduce_local, the sum of doubles
  KIND_COPY,           // memcpy
  KIND_ROUND_TRIP,     // the kernels', without processes: of a byte on a TCP connection that is made beside the library's
  KIND_COUNT
};
extern const char* const exchange_names[KIND_COUNT];

enum { RECENT_ONE_WAYS = 9 };

struct exchange_pair {
  int first; // ranks of MPI_COMM_WORLD; the first one records
  int second;
  int rank; // this process
  enum probe_class kind_of_pair;
  long eager_limit; // largest message that needs no answer
  double clock_cost;
  unsigned char* out; // room bytes each
  unsigned char* in;
  long room;
  // [log2 of the size][...], seconds, of the last exchanges, in a ring: how long to wait until a
  // message is there
  double one_ways[64][RECENT_ONE_WAYS];
  int one_ways_seen[64];
  struct probe_records* records;
  int connection; // the TCP socket of the library that goes to the other rank; -1: none is known
  int listening;  // the second's, beside that connection; -1: nothing listens
  int port;       // of it, for the first; 0: nothing listens
};

enum { TRAIN_LENGTH = 32, POLLS = 200 };

void exchange_ping_pong(struct exchange_pair* pair, long bytes);
void exchange_isend(struct exchange_pair* pair, long bytes);
// Requires: bytes > eager_limit.
void exchange_bulk_write(struct exchange_pair* pair, long bytes);
// Requires: bytes > eager_limit, and no more than the kernel keeps for a receiver.
void exchange_bulk_read(struct exchange_pair* pair, long bytes);
// Requires: bytes <= eager_limit.
void exchange_receive(struct exchange_pair* pair, long bytes);
// Rows in which the process slept are left out: a library that lets a poll sleep, or what is
// preloaded into it, has no price of a fruitless poll, for that lasts as long as nothing comes.
void exchange_polls(struct exchange_pair* pair);
void exchange_both_ways(struct exchange_pair* pair, long bytes);
// Once, before the round trips: the second listens, where there is a connection.
void exchange_open_port(struct exchange_pair* pair);
void exchange_close_port(struct exchange_pair* pair);
void exchange_round_trips(struct exchange_pair* pair);
// Both are here when it returns, and nothing that they sent is on the way; the first returns last.
void exchange_meet(struct exchange_pair* pair);
// Requires: room for TRAIN_LENGTH * bytes.
void exchange_train(struct exchange_pair* pair, long bytes);
// Of one rank alone, whatever pair it is in; their class is CLASS_SELF. What is reduced or copied
// has just been written, as it has when a collective has received it.
void exchange_self(struct exchange_pair* own, long bytes);
void exchange_reduction(struct exchange_pair* own, long bytes); // requires room for a double
void exchange_copy(struct exchange_pair* own, long bytes);
// Returns: the largest message, up to `most`, whose MPI_Send returns although the receiver is not
// in MPI;
// -1: none. By doubling and bisection; the same on both ranks.
long exchange_find_eager_limit(struct exchange_pair* pair, long most);

// All ranks of `comm`, whose rank 0 records. Requires: room for bytes from each rank.
void exchange_many_to_one(struct exchange_pair* all, MPI_Comm comm, long bytes);
void exchange_one_to_many(struct exchange_pair* all, MPI_Comm comm, long bytes);
// Ranks i and i + half are a pair. Requires: an even size.
void exchange_pairs(struct exchange_pair* all, MPI_Comm comm, long bytes);

#endif
