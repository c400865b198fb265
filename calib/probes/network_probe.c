// farcast-network-probe-<mpi> --output FD --duration S --max-bytes N --seed N: messages between
// ranks, timed; see probe.h.
//
// For each class of pair that the ranks form (same cache ... other node), its first pair finds its
// eager limit, then measures in rounds: sizes log-uniform in strata, kinds and sizes in random
// order, the same for one seed. Each round begins with messages of rank 0 to itself; with three or
// more ranks it has flows of many ranks too. The others sleep meanwhile.
//
// Rounds are held in batches, spread evenly over the time there is, with buffers of their own each:
// samples of one moment and one placement in memory share what they do not share with a rerun, so
// only the scatter between batches tells how far a rerun may be off.
#include "exchanges.h"
#include "tcp_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ONE_WAYS = 24,
  ISENDS = 8,
  BULK_WRITES = 6,
  BULK_READS = 6,
  RECEIVES = 10,
  BOTH_WAYS = 4,
  TRAINS = 4,
  ROUND_TRIPS = 8,
  FLOWS = 4,
  SELVES = 16,
  LOCALS = 8, // reductions, and copies
  LEAST_BATCHES = 4,
  MOST_BATCHES = 32,
  ROUNDS_OF_BATCH = 6,
  WARM_UPS = 4,
  TAG_RECORDS = 11
};
enum { MOST_WRITTEN = 1 << 20 };                // bytes that a kernel takes from one call, once it has seen bulk
enum { LEAST_LOCAL = 4096 };                    // bytes; what less of them takes is too short for a clock, and no message's time
enum { MOST_READ = 1 << 18 };                   // bytes that a kernel keeps for a receiver
enum { BUFFER_STEP = 16, BUFFER_PLACES = 256 }; // malloc's alignment; places within a page
enum next_step { NEXT_ROUND, NEXT_BATCH, NEXT_NOTHING };
enum task_kind {
  TASK_ONE_WAY,
  TASK_ISEND,
  TASK_BULK_WRITE,
  TASK_BULK_READ,
  TASK_RECEIVE,
  TASK_BOTH_WAYS,
  TASK_TRAIN,
  TASK_ROUND_TRIPS,
  TASK_POLLS
};

struct link_report {
  long eager_limit;
  struct tcp_link tcp;
};

struct network_probe {
  struct probe_options options;
  struct probe_place* places;
  int rank;
  int size;
  MPI_Comm spread; // ranks of flows; MPI_COMM_NULL: not one of them
  struct exchange_pair pairs[CLASS_COUNT];
  int there[CLASS_COUNT];
  struct link_report reports[CLASS_COUNT]; // rank 0
  struct probe_records records;
  long room;
  unsigned char* memory[2]; // what the buffers out and in lie in
};

static long least_of(long a, long b) { return a < b ? a : b; }

static void add_task(int* tasks, int* count, enum task_kind kind, int times) {
  for (int slot = 0; slot < times; ++slot) tasks[(*count)++] = (int)kind * 64 + slot;
}

static void play_task(struct exchange_pair* pair, int task, uint64_t* random, long max_bytes) {
  const int slot = task % 64;
  const long eager = least_of(pair->eager_limit, max_bytes);
  const long bulk_from = pair->eager_limit < max_bytes ? pair->eager_limit + 1 : (max_bytes + 15) / 16;
  switch ((enum task_kind)(task / 64)) {
  case TASK_ONE_WAY:
    exchange_ping_pong(pair, probe_log_uniform(random, 1, max_bytes, slot, ONE_WAYS));
    return;
  case TASK_ISEND:
    exchange_isend(pair, probe_log_uniform(random, 1, max_bytes, slot, ISENDS));
    return;
  case TASK_BULK_WRITE:
    if (bulk_from < max_bytes && bulk_from < MOST_WRITTEN)
      exchange_bulk_write(pair, probe_log_uniform(random, bulk_from, least_of(max_bytes, MOST_WRITTEN), slot, BULK_WRITES));
    return;
  case TASK_BULK_READ:
    if (bulk_from < max_bytes && bulk_from < MOST_READ)
      exchange_bulk_read(pair, probe_log_uniform(random, bulk_from, least_of(max_bytes, MOST_READ), slot, BULK_READS));
    return;
  case TASK_RECEIVE:
    if (eager >= 1) exchange_receive(pair, probe_log_uniform(random, 1, eager, slot, RECEIVES));
    return;
  case TASK_BOTH_WAYS:
    exchange_both_ways(pair, probe_log_uniform(random, bulk_from < 1 ? 1 : bulk_from, max_bytes, slot, BOTH_WAYS));
    return;
  case TASK_TRAIN:
    if (eager >= 1) exchange_train(pair, probe_log_uniform(random, 1, least_of(eager, 16384), slot, TRAINS));
    return;
  case TASK_ROUND_TRIPS:
    exchange_round_trips(pair);
    return;
  case TASK_POLLS:
    exchange_polls(pair);
    return;
  }
}

// Both ranks of the pair draw the same numbers: the seed is of the round and the class.
static void play_round(struct exchange_pair* pair, uint64_t seed, int round, long max_bytes) {
  uint64_t random = seed * 1000003u + (uint64_t)round * 131u + (uint64_t)pair->kind_of_pair;
  int tasks[ONE_WAYS + ISENDS + BULK_WRITES + BULK_READS + RECEIVES + BOTH_WAYS + TRAINS + ROUND_TRIPS + 1];
  int count = 0;
  add_task(tasks, &count, TASK_ONE_WAY, ONE_WAYS);
  add_task(tasks, &count, TASK_ISEND, ISENDS);
  if (pair->eager_limit < max_bytes) {
    add_task(tasks, &count, TASK_BULK_WRITE, BULK_WRITES);
    add_task(tasks, &count, TASK_BULK_READ, BULK_READS);
  }
  add_task(tasks, &count, TASK_RECEIVE, RECEIVES);
  add_task(tasks, &count, TASK_BOTH_WAYS, BOTH_WAYS);
  add_task(tasks, &count, TASK_TRAIN, TRAINS);
  add_task(tasks, &count, TASK_ROUND_TRIPS, ROUND_TRIPS);
  add_task(tasks, &count, TASK_POLLS, 1);
  probe_shuffle(&random, tasks, count);
  for (int i = 0; i < count; ++i) play_task(pair, tasks[i], &random, max_bytes);
}

// Rank 0's alone: what it sends itself, reduces and copies, of all sizes.
static void play_self(struct network_probe* probe, int round) {
  if (probe->rank != 0) return;
  uint64_t random = probe->options.seed * 1000003u + (uint64_t)round * 131u + 113u;
  exchange_self(&probe->pairs[0], 1); // warms it up
  --probe->records.count;
  for (int slot = 0; slot < SELVES; ++slot)
    exchange_self(&probe->pairs[0], probe_log_uniform(&random, 1, probe->options.max_bytes, slot, SELVES));
  if (probe->options.max_bytes < LEAST_LOCAL) return;
  for (int slot = -1; slot < LOCALS; ++slot) {
    const long bytes = slot < 0 ? LEAST_LOCAL : probe_log_uniform(&random, LEAST_LOCAL, probe->options.max_bytes, slot, LOCALS);
    exchange_reduction(&probe->pairs[0], bytes);
    exchange_copy(&probe->pairs[0], bytes);
    if (slot < 0) probe->records.count -= 2; // warmed up
  }
}

static void play_flows(struct network_probe* probe, int round) {
  if (probe->spread == MPI_COMM_NULL) return;
  int size = 0;
  MPI_Comm_size(probe->spread, &size);
  int farthest = 0;
  for (int c = 0; c < CLASS_COUNT; ++c) farthest = probe->there[c] ? c : farthest;
  struct exchange_pair all = {.clock_cost = probe->pairs[CLASS_OTHER_NODE].clock_cost,
                              .kind_of_pair = (enum probe_class)farthest,
                              .out = probe->pairs[0].out,
                              .in = probe->pairs[0].in,
                              .records = &probe->records};
  uint64_t random = probe->options.seed * 1000003u + (uint64_t)round * 131u + 101u;
  const long most = least_of(probe->options.max_bytes, probe->room / size);
  for (int slot = 0; slot < FLOWS; ++slot) {
    exchange_many_to_one(&all, probe->spread, probe_log_uniform(&random, 1, most, slot, FLOWS));
    exchange_one_to_many(&all, probe->spread, probe_log_uniform(&random, 1, most, slot, FLOWS));
    if (size % 2 == 0) exchange_pairs(&all, probe->spread, probe_log_uniform(&random, 1, most, slot, FLOWS));
  }
}

// Warms the connection up, finds the eager limit, and asks the kernel which connection it was.
static void prepare_pair(struct exchange_pair* pair, struct link_report* report, long max_bytes) {
  static struct tcp_snapshot before;
  const long bulk = least_of(max_bytes, 65536);
  exchange_ping_pong(pair, 1);
  tcp_take_snapshot(&before);
  for (int i = 0; i < 16; ++i) exchange_ping_pong(pair, bulk);
  pair->connection = bulk >= 4096 ? tcp_busiest_since(&before, (uint64_t)bulk * 8) : -1;
  pair->eager_limit = report->eager_limit = exchange_find_eager_limit(pair, max_bytes);
  if (pair->connection >= 0) tcp_read_link(pair->connection, &report->tcp);
  exchange_open_port(pair);
  pair->records->count = 0; // what was sent until here was no random sample
}

// Rank 0 gets what the first rank of a class has, and writes it. All ranks call it.
static void collect(struct network_probe* probe) {
  for (int c = 0; c < CLASS_COUNT; ++c) {
    const int first = probe->pairs[c].first;
    if (!probe->there[c] || first == 0) continue;
    struct probe_records* records = &probe->records;
    if (probe->rank == first) {
      MPI_Send(records->data, records->count * (int)sizeof *records->data, MPI_BYTE, 0, TAG_RECORDS, MPI_COMM_WORLD);
      records->count = 0;
    } else if (probe->rank == 0) {
      MPI_Status status;
      int bytes = 0;
      MPI_Probe(first, TAG_RECORDS, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      struct probe_records theirs = {malloc((size_t)bytes + 1), bytes / (int)sizeof(struct probe_record), 0};
      if (theirs.data == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
      MPI_Recv(theirs.data, bytes, MPI_BYTE, first, TAG_RECORDS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      probe_write_records(probe->options.output, &theirs, exchange_names, probe_class_names);
      free(theirs.data);
    }
  }
  if (probe->rank == 0) {
    probe_write_records(probe->options.output, &probe->records, exchange_names, probe_class_names);
    probe->records.count = 0;
  }
}

// New buffers somewhere else, before the old ones go: on other pages, and anywhere within a page.
// They are written, for pages that were only reserved are all the same zeros in the cache.
static void place_buffers(struct network_probe* probe, uint64_t* random) {
  unsigned char* buffers[2];
  for (int i = 0; i < 2; ++i) {
    const size_t bytes = (size_t)probe->room + (size_t)BUFFER_STEP * BUFFER_PLACES;
    unsigned char* memory = malloc(bytes);
    if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(memory, i + 1, bytes);
    free(probe->memory[i]);
    probe->memory[i] = memory;
    buffers[i] = memory + (probe_random(random) % BUFFER_PLACES) * BUFFER_STEP;
  }
  for (int c = 0; c < CLASS_COUNT; ++c) {
    probe->pairs[c].out = buffers[0];
    probe->pairs[c].in = buffers[1];
  }
}

static void choose_pairs(struct network_probe* probe) {
  const double clock_cost = probe_clock_cost();
  for (int i = 0; i < CLASS_COUNT; ++i) {
    probe->pairs[i].kind_of_pair = (enum probe_class)i;
    probe->pairs[i].rank = probe->rank;
    probe->pairs[i].clock_cost = clock_cost;
    probe->pairs[i].room = probe->room;
    probe->pairs[i].records = &probe->records;
  }
  for (int i = 0; i < probe->size; ++i) {
    for (int j = i + 1; j < probe->size; ++j) {
      const enum probe_class c = probe_classify(&probe->places[i], &probe->places[j]);
      if (probe->there[c]) continue;
      probe->there[c] = 1;
      probe->pairs[c].first = i;
      probe->pairs[c].second = j;
    }
  }
}

// Flows share links, not cores: one rank per host where there are hosts enough, all ranks otherwise.
static void choose_spread(struct network_probe* probe) {
  const int hosts = probe_count_hosts(probe->places, probe->size);
  int chosen = probe->size >= 3;
  if (hosts >= 3) {
    for (int i = 0; i < probe->rank; ++i) {
      if (strcmp(probe->places[i].host, probe->places[probe->rank].host) == 0) chosen = 0;
    }
  }
  MPI_Comm_split(MPI_COMM_WORLD, chosen ? 0 : MPI_UNDEFINED, probe->rank, &probe->spread);
}

static int takes_part(const struct network_probe* probe, int c) {
  return probe->there[c] && (probe->rank == probe->pairs[c].first || probe->rank == probe->pairs[c].second);
}

static void write_facts(const struct network_probe* probe) {
  const int output = probe->options.output;
  probe_write(output, "fact cores %d\n", probe->places[0].cores);
  for (int c = 0; c < CLASS_COUNT; ++c) {
    if (!probe->there[c]) continue;
    const struct exchange_pair* pair = &probe->pairs[c];
    const struct link_report* report = &probe->reports[c];
    const char* name = probe_class_names[c];
    probe_write(output, "fact pair.%s ranks %d and %d (%s, %s)\n", name, pair->first, pair->second,
                probe->places[pair->first].host, probe->places[pair->second].host);
    probe_write(output, "fact eager_limit.%s %ld\n", name, report->eager_limit);
    if (report->tcp.payload <= 0) continue;
    probe_write(output, "fact tcp_payload.%s %d\nfact tcp_mtu.%s %d\nfact tcp_rtt.%s %.9g\n", name, report->tcp.payload, name,
                report->tcp.path_mtu, name, report->tcp.least_rtt_s);
  }
}

static void prepare(struct network_probe* probe) {
  for (int c = 0; c < CLASS_COUNT; ++c) {
    struct link_report report;
    memset(&report, 0, sizeof report);
    if (takes_part(probe, c)) prepare_pair(&probe->pairs[c], &report, probe->options.max_bytes);
    probe_quiet_barrier(MPI_COMM_WORLD);
    if (!probe->there[c]) continue;
    MPI_Bcast(&report, (int)sizeof report, MPI_BYTE, probe->pairs[c].first, MPI_COMM_WORLD);
    probe->reports[c] = report;
  }
}

static void play_all(struct network_probe* probe, int round) {
  play_self(probe, round);
  probe_quiet_barrier(MPI_COMM_WORLD);
  for (int c = 0; c < CLASS_COUNT; ++c) {
    if (takes_part(probe, c)) play_round(&probe->pairs[c], probe->options.seed, round, probe->options.max_bytes);
    if (probe->there[c]) probe_quiet_barrier(MPI_COMM_WORLD);
  }
  play_flows(probe, round);
  probe_quiet_barrier(MPI_COMM_WORLD);
  collect(probe);
}

// Waits for the batch's time, and sees to it that its first samples are like the others: caches and
// clocks slept meanwhile.
static void open_batch(struct network_probe* probe, int batch, double at) {
  if (probe->rank == 0 && probe_now() < at) probe_wait(at - probe_now());
  probe_quiet_barrier(MPI_COMM_WORLD);
  uint64_t random = probe->options.seed * 1000003u + (uint64_t)batch * 8191u + (uint64_t)probe->rank;
  place_buffers(probe, &random);
  for (int c = 0; c < CLASS_COUNT; ++c) {
    for (int i = 0; i < WARM_UPS && takes_part(probe, c); ++i) {
      exchange_ping_pong(&probe->pairs[c], 1);
      exchange_ping_pong(&probe->pairs[c], least_of(probe->options.max_bytes, 65536));
    }
    if (probe->there[c]) probe_quiet_barrier(MPI_COMM_WORLD);
  }
  probe->records.count = 0;
  if (probe->rank == 0) probe_write(probe->options.output, "batch %d\n", batch);
}

// Rank 0's: what comes after this round of that batch, `elapsed` of `span` seconds after the first
// began.
static enum next_step next_step(int batch, int round, double elapsed, double span) {
  if (round + 1 < ROUNDS_OF_BATCH && elapsed < (batch + 1) * span / MOST_BATCHES) return NEXT_ROUND;
  const int more = batch + 1 < LEAST_BATCHES || (batch + 1 < MOST_BATCHES && elapsed < span);
  return more ? NEXT_BATCH : NEXT_NOTHING;
}

static void measure(struct network_probe* probe, double start) {
  const double least_share = 0.1; // of the time, whatever the preparation took
  const double begin = probe_now();
  const double left = start + probe->options.duration_s - begin;
  const double span = left > least_share * probe->options.duration_s ? left : least_share * probe->options.duration_s;
  int batch = -1;
  int round_of_batch = 0;
  int next = NEXT_BATCH;
  for (int round = 0; next != NEXT_NOTHING; ++round) {
    ++round_of_batch;
    if (next == NEXT_BATCH) {
      round_of_batch = 0;
      ++batch;
      open_batch(probe, batch, begin + batch * span / MOST_BATCHES);
    }
    play_all(probe, round);
    if (probe->rank == 0) {
      const double elapsed = probe_now() - begin;
      const double share = elapsed / span;
      const double least = (double)(batch + 1) / LEAST_BATCHES;
      next = next_step(batch, round_of_batch, elapsed, span);
      probe_write(probe->options.output, "progress %.4f\n", share < least ? (share < 1 ? share : 1.0) : least);
    }
    MPI_Bcast(&next, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  if (probe_tell_library(argc, argv)) return 0;
  MPI_Init(&argc, &argv);
  const double start = probe_now();
  static struct network_probe probe;
  MPI_Comm_rank(MPI_COMM_WORLD, &probe.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &probe.size);
  probe.options = probe_parse(argc, argv, probe.rank);
  if (probe.size < 2) {
    if (probe.rank == 0)
      fprintf(stderr, "farcast: found 1 rank, a network needs 2: mpirun -np 2 farcast calibrate network ...\n");
    MPI_Finalize();
    return 2;
  }
  probe.room = probe.options.max_bytes > TRAIN_LENGTH * 16384 ? probe.options.max_bytes : TRAIN_LENGTH * 16384;
  probe.places = probe_places(probe.size);
  if (probe.rank == 0)
    probe_write_header(probe.options.output, &probe.options, probe.size, probe_count_hosts(probe.places, probe.size));
  uint64_t random = probe.options.seed + (uint64_t)probe.rank;
  choose_pairs(&probe);
  place_buffers(&probe, &random);
  choose_spread(&probe);
  prepare(&probe);
  if (probe.rank == 0) write_facts(&probe);
  measure(&probe, start);
  if (probe.rank == 0) probe_write(probe.options.output, "end\n");
  for (int c = 0; c < CLASS_COUNT; ++c) {
    if (takes_part(&probe, c)) exchange_close_port(&probe.pairs[c]);
  }
  free(probe.memory[0]);
  free(probe.memory[1]);
  free(probe.places);
  free(probe.records.data);
  if (probe.spread != MPI_COMM_NULL) MPI_Comm_free(&probe.spread);
  MPI_Finalize();
  return 0;
}
