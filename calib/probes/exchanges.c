#include "exchanges.h"

#include <stdlib.h>
#include <string.h>

const char* const exchange_names[KIND_COUNT] = {
    "one-way",   "send",  "isend",       "isend-again", "bulk-write", "bulk-read", "receive",   "iprobe", "test",      "both",
    "both-slow", "train", "many-to-one", "one-to-many", "pairs",      "self",      "reduction", "copy",   "round-trip"};

enum { TAG_SYNC = 1, TAG_DATA = 2, TAG_NEVER = 3, TAG_RESULT = 4 };

static void record(struct exchange_pair* pair, enum exchange_kind kind, long bytes, int messages, double seconds) {
  probe_record_add(pair->records, (int)kind, (int)pair->kind_of_pair, bytes, messages, seconds);
}

static int is_first(const struct exchange_pair* pair) { return pair->rank == pair->first; }
static int peer_of(const struct exchange_pair* pair) { return is_first(pair) ? pair->second : pair->first; }

static void send_empty(int peer, int tag) { MPI_Send(NULL, 0, MPI_BYTE, peer, tag, MPI_COMM_WORLD); }
static void receive_empty(int peer, int tag) { MPI_Recv(NULL, 0, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

// What a program sends is new: it has just been computed, or packed. Of data that nobody has written
// since it was last sent both cores' caches keep copies, which costs half as much, or less, where
// ranks share memory.
static void write_out(struct exchange_pair* pair, long bytes) {
  static unsigned char content;
  memset(pair->out, ++content, (size_t)bytes);
}

void exchange_meet(struct exchange_pair* pair) {
  const int peer = peer_of(pair);
  if (is_first(pair)) send_empty(peer, TAG_SYNC);
  receive_empty(peer, TAG_SYNC);
  if (!is_first(pair)) send_empty(peer, TAG_SYNC);
}

// Both have written what they may send; the second has gone on to its next call when the first returns.
static void meet(struct exchange_pair* pair, long bytes) {
  write_out(pair, bytes);
  exchange_meet(pair);
}

static int size_class(long bytes) {
  int log2 = 0;
  while (bytes > 1) {
    bytes >>= 1;
    ++log2;
  }
  return log2;
}

static void note_one_way(struct exchange_pair* pair, long bytes, double seconds) {
  const int size = size_class(bytes);
  pair->one_ways[size][pair->one_ways_seen[size]++ % RECENT_ONE_WAYS] = seconds;
}

// Returns: a time in which a message of that size has arrived, but for hiccups. By medians: a wait
// that one hiccup prolongs for good makes the rest of the run colder, and its receives slower, than
// a rerun's.
static double time_to_arrive(const struct exchange_pair* pair, long bytes) {
  double most = 10e-6;
  for (int i = 0; i <= size_class(bytes) + 1 && i < 64; ++i) {
    const int count = pair->one_ways_seen[i] < RECENT_ONE_WAYS ? pair->one_ways_seen[i] : RECENT_ONE_WAYS;
    double recent[RECENT_ONE_WAYS];
    if (count == 0) continue;
    memcpy(recent, pair->one_ways[i], sizeof recent[0] * (size_t)count);
    const double middle = probe_median(recent, count);
    if (middle > most) most = middle;
  }
  return 4 * most;
}

void exchange_ping_pong(struct exchange_pair* pair, long bytes) {
  const int peer = peer_of(pair);
  meet(pair, bytes);
  if (!is_first(pair)) {
    MPI_Recv(pair->in, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(pair->out, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD);
    return;
  }
  const double start = probe_now();
  MPI_Send(pair->out, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD);
  const double sent = probe_now();
  MPI_Recv(pair->in, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double one_way = (probe_now() - start - 2 * pair->clock_cost) / 2;
  record(pair, KIND_ONE_WAY, bytes, 1, one_way);
  if (bytes <= pair->eager_limit) record(pair, KIND_SEND, bytes, 1, sent - start - pair->clock_cost);
  note_one_way(pair, bytes, one_way);
}

// The second rank's part: it posts its receive, says so, and waits for the message. Returns:
// whether this rank was the second; on the first one the receive is posted then.
static int receives_posted(struct exchange_pair* pair, long bytes) {
  const int peer = peer_of(pair);
  MPI_Request request;
  meet(pair, bytes);
  if (is_first(pair)) {
    receive_empty(peer, TAG_SYNC);
    return 0;
  }
  MPI_Irecv(pair->in, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, &request);
  send_empty(peer, TAG_SYNC);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return 1;
}

void exchange_isend(struct exchange_pair* pair, long bytes) {
  MPI_Request request;
  if (receives_posted(pair, bytes)) return;
  const double start = probe_now();
  MPI_Isend(pair->out, (int)bytes, MPI_BYTE, peer_of(pair), TAG_DATA, MPI_COMM_WORLD, &request);
  const double posted = probe_now();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  record(pair, KIND_ISEND, bytes, 1, posted - start - pair->clock_cost);
}

void exchange_bulk_write(struct exchange_pair* pair, long bytes) {
  MPI_Request request;
  if (receives_posted(pair, bytes)) return;
  MPI_Isend(pair->out, (int)bytes, MPI_BYTE, peer_of(pair), TAG_DATA, MPI_COMM_WORLD, &request);
  probe_wait(time_to_arrive(pair, 1)); // there and back
  int done = 0;
  const double start = probe_now();
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  const double tested = probe_now();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  record(pair, KIND_BULK_WRITE, bytes, 1, tested - start - pair->clock_cost);
}

void exchange_bulk_read(struct exchange_pair* pair, long bytes) {
  const int peer = peer_of(pair);
  meet(pair, bytes);
  if (!is_first(pair)) {
    MPI_Send(pair->out, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD);
    return;
  }
  probe_wait(time_to_arrive(pair, 1)); // its announcement
  MPI_Request request;
  int done = 0;
  MPI_Irecv(pair->in, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &done, MPI_STATUS_IGNORE); // answers it
  probe_wait(time_to_arrive(pair, bytes));
  const double start = probe_now();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (!done) record(pair, KIND_BULK_READ, bytes, 1, probe_now() - start - pair->clock_cost);
}

void exchange_receive(struct exchange_pair* pair, long bytes) {
  const int peer = peer_of(pair);
  // So much later than the empty message before it that the receiver, woken by that one, does not
  // read both in one go.
  const double apart = 300e-6;
  meet(pair, bytes);
  if (!is_first(pair)) {
    probe_wait(apart);
    MPI_Send(pair->out, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD);
    return;
  }
  probe_wait(apart + time_to_arrive(pair, bytes));
  const double start = probe_now();
  MPI_Recv(pair->in, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  record(pair, KIND_RECEIVE, bytes, 1, probe_now() - start - pair->clock_cost);
}

void exchange_polls(struct exchange_pair* pair) {
  const int peer = peer_of(pair);
  meet(pair, 0);
  if (!is_first(pair)) {
    receive_empty(peer, TAG_SYNC);
    send_empty(peer, TAG_NEVER);
    return;
  }
  int found = 0;
  long slept = probe_sleeps();
  double start = probe_now();
  for (int i = 0; i < POLLS; ++i) MPI_Iprobe(peer, TAG_DATA, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  double each = (probe_now() - start - pair->clock_cost) / POLLS;
  if (probe_sleeps() == slept) record(pair, KIND_IPROBE, 0, POLLS, each);
  MPI_Request request;
  MPI_Irecv(NULL, 0, MPI_BYTE, peer, TAG_NEVER, MPI_COMM_WORLD, &request);
  slept = probe_sleeps();
  start = probe_now();
  for (int i = 0; i < POLLS; ++i) MPI_Test(&request, &found, MPI_STATUS_IGNORE);
  each = (probe_now() - start - pair->clock_cost) / POLLS;
  if (probe_sleeps() == slept) record(pair, KIND_TEST, 0, POLLS, each);
  send_empty(peer, TAG_SYNC);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void exchange_both_ways(struct exchange_pair* pair, long bytes) {
  const int peer = peer_of(pair);
  MPI_Request requests[2];
  meet(pair, bytes);
  const double start = probe_now();
  MPI_Irecv(pair->in, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(pair->out, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, &requests[1]);
  // One after the other: a rank's time is that of its own incoming message.
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  double own = probe_now() - start - pair->clock_cost;
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  if (!is_first(pair)) {
    MPI_Send(&own, 1, MPI_DOUBLE, peer, TAG_RESULT, MPI_COMM_WORLD);
    return;
  }
  double other = 0;
  MPI_Recv(&other, 1, MPI_DOUBLE, peer, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  record(pair, KIND_BOTH_WAYS, bytes, 2, own < other ? own : other);
  record(pair, KIND_BOTH_WAYS_SLOW, bytes, 2, own < other ? other : own);
}

void exchange_train(struct exchange_pair* pair, long bytes) {
  const int peer = peer_of(pair);
  MPI_Request requests[TRAIN_LENGTH];
  meet(pair, TRAIN_LENGTH * bytes);
  if (!is_first(pair)) {
    for (int i = 0; i < TRAIN_LENGTH; ++i)
      MPI_Irecv(pair->in + (size_t)i * (size_t)bytes, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, &requests[i]);
    send_empty(peer, TAG_SYNC);
    MPI_Waitall(TRAIN_LENGTH, requests, MPI_STATUSES_IGNORE);
    send_empty(peer, TAG_SYNC);
    return;
  }
  receive_empty(peer, TAG_SYNC);
  const double start = probe_now();
  double first = start;
  for (int i = 0; i < TRAIN_LENGTH; ++i) {
    MPI_Isend(pair->out + (size_t)i * (size_t)bytes, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, &requests[i]);
    if (i == 0) first = probe_now();
  }
  const double posted = probe_now();
  MPI_Waitall(TRAIN_LENGTH, requests, MPI_STATUSES_IGNORE);
  receive_empty(peer, TAG_SYNC);
  record(pair, KIND_TRAIN, bytes, TRAIN_LENGTH, probe_now() - start - 3 * pair->clock_cost);
  record(pair, KIND_ISEND_AGAIN, bytes, 1, (posted - first - pair->clock_cost) / (TRAIN_LENGTH - 1));
}

// One send of that size while the receiver sleeps outside MPI. Returns: on both ranks 1 when it
// returned meanwhile, 0 when not, -1 when the receiver was held up inside MPI by the machine, so
// that the message may have met it there.
static int send_to_sleeper(struct exchange_pair* pair, long bytes, double patience) {
  const int peer = peer_of(pair);
  int outcome = -1;
  if (!is_first(pair)) {
    receive_empty(peer, TAG_SYNC);
    const double leaving = probe_now();
    send_empty(peer, TAG_SYNC);
    int valid = probe_now() - leaving < patience / 8;
    probe_wait(patience * 1.25);
    MPI_Recv(pair->in, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&valid, 1, MPI_INT, peer, TAG_RESULT, MPI_COMM_WORLD);
    MPI_Recv(&outcome, 1, MPI_INT, peer, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return outcome;
  }
  meet(pair, bytes);
  probe_wait(patience / 4); // until the receiver has left MPI
  const double start = probe_now();
  MPI_Send(pair->out, (int)bytes, MPI_BYTE, peer, TAG_DATA, MPI_COMM_WORLD);
  const double took = probe_now() - start;
  int valid = 0;
  MPI_Recv(&valid, 1, MPI_INT, peer, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (valid) outcome = took < patience / 2;
  MPI_Send(&outcome, 1, MPI_INT, peer, TAG_RESULT, MPI_COMM_WORLD);
  return outcome;
}

// Returns: on both ranks, whether a message of that size is eager. One answer may be the machine's
// fault: two must agree.
static int is_eager(struct exchange_pair* pair, long bytes, double patience) {
  enum { MOST_TRIES = 12, ENOUGH = 2 };
  int votes[2] = {0, 0};
  for (int attempt = 0; attempt < MOST_TRIES && votes[0] < ENOUGH && votes[1] < ENOUGH; ++attempt) {
    const int outcome = send_to_sleeper(pair, bytes, patience);
    if (outcome >= 0) ++votes[outcome];
  }
  return votes[1] > votes[0];
}

// Returns: on both ranks, a time in which a send of that size has surely returned if it waits for
// nobody.
static double patience_for(struct exchange_pair* pair, long bytes) {
  double least = 0;
  for (int i = 0; i < 3; ++i) {
    const double start = probe_now();
    exchange_ping_pong(pair, bytes);
    const double took = probe_now() - start;
    if (i == 0 || took < least) least = took;
  }
  double patience = 2 * least + 5e-3;
  if (is_first(pair))
    MPI_Send(&patience, 1, MPI_DOUBLE, pair->second, TAG_RESULT, MPI_COMM_WORLD);
  else
    MPI_Recv(&patience, 1, MPI_DOUBLE, pair->first, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return patience;
}

// By doubling and bisection. Returns: the largest eager size; *patience is that of sizes near it.
static long search_eager_limit(struct exchange_pair* pair, long most, double* patience) {
  long eager = -1;
  long rendezvous = most < 1024 ? most : 1024;
  *patience = patience_for(pair, rendezvous);
  while (is_eager(pair, rendezvous, *patience)) {
    eager = rendezvous;
    if (rendezvous == most) return most;
    rendezvous = rendezvous < most / 2 ? 2 * rendezvous : most;
    *patience = patience_for(pair, rendezvous);
  }
  if (eager < 0 && is_eager(pair, 0, *patience)) eager = 0;
  while (eager >= 0 && rendezvous - eager > 1) {
    const long middle = eager + (rendezvous - eager) / 2;
    if (is_eager(pair, middle, *patience))
      eager = middle;
    else
      rendezvous = middle;
  }
  return eager;
}

long exchange_find_eager_limit(struct exchange_pair* pair, long most) {
  enum { ATTEMPTS = 3 };
  long eager = -1;
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    double patience = 0;
    eager = search_eager_limit(pair, most, &patience);
    // One wrong answer on the way leads anywhere: both sides of the limit are asked again.
    const int below = eager < 0 || is_eager(pair, eager, patience);
    const int above = eager < most && is_eager(pair, eager + 1, patience);
    if (below && !above) break;
  }
  return eager;
}

void exchange_many_to_one(struct exchange_pair* all, MPI_Comm comm, long bytes) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != 0) {
    write_out(all, bytes);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_SYNC, comm, MPI_STATUS_IGNORE);
    MPI_Send(all->out, (int)bytes, MPI_BYTE, 0, TAG_DATA, comm);
    return;
  }
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)size);
  if (requests == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 1; i < size; ++i)
    MPI_Irecv(all->in + (size_t)(i - 1) * (size_t)bytes, (int)bytes, MPI_BYTE, i, TAG_DATA, comm, &requests[i]);
  const double start = probe_now();
  for (int i = 1; i < size; ++i) MPI_Send(NULL, 0, MPI_BYTE, i, TAG_SYNC, comm);
  MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
  record(all, KIND_MANY_TO_ONE, bytes, size - 1, probe_now() - start - all->clock_cost);
  free(requests);
}

void exchange_one_to_many(struct exchange_pair* all, MPI_Comm comm, long bytes) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)(2 * size));
  if (requests == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank != 0) {
    MPI_Recv(all->in, (int)bytes, MPI_BYTE, 0, TAG_DATA, comm, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_SYNC, comm);
  } else {
    write_out(all, bytes);
    const double start = probe_now();
    for (int i = 1; i < size; ++i) {
      MPI_Irecv(NULL, 0, MPI_BYTE, i, TAG_SYNC, comm, &requests[2 * i - 2]);
      MPI_Isend(all->out, (int)bytes, MPI_BYTE, i, TAG_DATA, comm, &requests[2 * i - 1]);
    }
    MPI_Waitall(2 * (size - 1), requests, MPI_STATUSES_IGNORE);
    record(all, KIND_ONE_TO_MANY, bytes, size - 1, probe_now() - start - all->clock_cost);
  }
  free(requests);
}

void exchange_pairs(struct exchange_pair* all, MPI_Comm comm, long bytes) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int half = size / 2;
  write_out(all, bytes);
  MPI_Barrier(comm);
  const double start = probe_now();
  double took = 0;
  if (rank < half) {
    MPI_Send(all->out, (int)bytes, MPI_BYTE, rank + half, TAG_DATA, comm);
    MPI_Recv(NULL, 0, MPI_BYTE, rank + half, TAG_SYNC, comm, MPI_STATUS_IGNORE);
    took = probe_now() - start - all->clock_cost;
  } else {
    MPI_Recv(all->in, (int)bytes, MPI_BYTE, rank - half, TAG_DATA, comm, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, rank - half, TAG_SYNC, comm);
  }
  double longest = 0;
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
  if (rank == 0) record(all, KIND_PAIRS, bytes, half, longest);
}
