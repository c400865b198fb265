// farcast-collectives-probe-<mpi> --output FD --duration S --max-bytes N --seed N [--directory
// DIR]: the blocks of Proficz16, timed.
//
// Rounds until the time is over; each measures every operation on every number of ranks with
// log-uniform sizes, in random order, the same for one seed. A call's time is the longest of its
// ranks, from the end of a barrier on; a sample is the median of REPEATS calls. What BYTES means:
// broadcast, p2p and disk: the data; scatter and gather: all data at the root; all to all: what
// each rank has for each other. Files have no name, so nothing can be left behind. Source:
// Proficz16 section 4.
#define _GNU_SOURCE
#include "probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum operation { OP_P2P, OP_BROADCAST, OP_SCATTER, OP_GATHER, OP_ALL_TO_ALL, OP_BARRIER, OP_READ, OP_WRITE, OP_COUNT };
static const char* const operation_names[OP_COUNT] = {"p2p", "broadcast", "scat", "gather", "a2a", "bar", "rdisk", "wdisk"};
static const char* const class_names[] = {"all"};
enum {
  SIZES = 3,
  REPEATS = 5,
  MOST_GROUPS = 16,
  LEAST_ROUNDS = 6,
  MOST_ROUNDS = 300,
  MOST_TASKS = OP_COUNT * MOST_GROUPS * SIZES
};

struct group {
  int ranks;
  MPI_Comm comm; // MPI_COMM_NULL on ranks outside
};

struct collectives_probe {
  struct probe_options options;
  int rank;
  int size;
  struct group groups[MOST_GROUPS];
  int group_count;
  double clock_cost;
  char* out;
  char* in;
  int file; // -1: no disk; only rank 0
  struct probe_records records;
};

// All numbers of ranks when there are few; powers of two and all ranks otherwise.
static void make_groups(struct collectives_probe* probe) {
  for (int ranks = 2; ranks <= probe->size && probe->group_count < MOST_GROUPS - 1; ++ranks) {
    const int wanted = probe->size <= 8 || (ranks & (ranks - 1)) == 0 || ranks == probe->size;
    if (!wanted) continue;
    struct group* group = &probe->groups[probe->group_count++];
    group->ranks = ranks;
    MPI_Comm_split(MPI_COMM_WORLD, probe->rank < ranks ? 0 : MPI_UNDEFINED, probe->rank, &group->comm);
  }
}

static void call(const struct collectives_probe* probe, enum operation operation, const struct group* group, int bytes) {
  const int part = bytes / group->ranks;
  switch (operation) {
  case OP_P2P:
    if (probe->rank == 0) {
      MPI_Send(probe->out, bytes, MPI_BYTE, 1, 0, group->comm);
      MPI_Recv(probe->in, bytes, MPI_BYTE, 1, 0, group->comm, MPI_STATUS_IGNORE);
    } else if (probe->rank == 1) {
      MPI_Recv(probe->in, bytes, MPI_BYTE, 0, 0, group->comm, MPI_STATUS_IGNORE);
      MPI_Send(probe->out, bytes, MPI_BYTE, 0, 0, group->comm);
    }
    return;
  case OP_BROADCAST:
    MPI_Bcast(probe->out, bytes, MPI_BYTE, 0, group->comm);
    return;
  case OP_SCATTER:
    MPI_Scatter(probe->out, part, MPI_BYTE, probe->in, part, MPI_BYTE, 0, group->comm);
    return;
  case OP_GATHER:
    MPI_Gather(probe->out, part, MPI_BYTE, probe->in, part, MPI_BYTE, 0, group->comm);
    return;
  case OP_ALL_TO_ALL:
    MPI_Alltoall(probe->out, bytes, MPI_BYTE, probe->in, bytes, MPI_BYTE, group->comm);
    return;
  case OP_BARRIER:
    MPI_Barrier(group->comm);
    return;
  case OP_READ:
  case OP_WRITE:
  case OP_COUNT:
    return;
  }
}

static void measure_call(struct collectives_probe* probe, enum operation operation, const struct group* group, long bytes) {
  if (group->comm == MPI_COMM_NULL) return;
  // What is written down is what was sent: the same bytes for every rank.
  if (operation == OP_SCATTER || operation == OP_GATHER)
    bytes = bytes < group->ranks ? group->ranks : bytes / group->ranks * group->ranks;
  if (operation == OP_ALL_TO_ALL) bytes = (bytes + group->ranks - 1) / group->ranks;
  double times[REPEATS];
  for (int i = 0; i < REPEATS; ++i) {
    MPI_Barrier(group->comm);
    const double start = probe_now();
    call(probe, operation, group, (int)bytes);
    const double took = (probe_now() - start - probe->clock_cost) / (operation == OP_P2P ? 2 : 1);
    MPI_Reduce(&took, &times[i], 1, MPI_DOUBLE, MPI_MAX, 0, group->comm);
  }
  if (probe->rank == 0)
    probe_record_add(&probe->records, (int)operation, 0, operation == OP_BARRIER ? 0 : bytes, group->ranks,
                     probe_median(times, REPEATS));
}

static int open_nameless(const char* directory) {
  const int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  char path[4096];
  snprintf(path, sizeof path, "%s/farcast-probe-XXXXXX", directory);
  const int named = mkstemp(path);
  if (named >= 0) unlink(path);
  return named;
}

static int transfer(int file, char* data, size_t bytes, ssize_t (*step)(int, char*, size_t, off_t)) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t moved = step(file, data + done, bytes - done, (off_t)done);
    if (moved <= 0) return 0;
    done += (size_t)moved;
  }
  return 1;
}
static ssize_t step_write(int file, char* data, size_t bytes, off_t at) { return pwrite(file, data, bytes, at); }
static ssize_t step_read(int file, char* data, size_t bytes, off_t at) { return pread(file, data, bytes, at); }

// Written through to the disk, then read with nothing of it left in memory, as far as the file
// system lets go.
static void measure_disk(struct collectives_probe* probe, long bytes) {
  if (probe->rank != 0 || probe->file < 0) return;
  double written[REPEATS];
  double read_back[REPEATS];
  for (int i = 0; i < REPEATS; ++i) {
    double start = probe_now();
    if (!transfer(probe->file, probe->out, (size_t)bytes, step_write) || fdatasync(probe->file) != 0) return;
    written[i] = probe_now() - start - probe->clock_cost;
    posix_fadvise(probe->file, 0, 0, POSIX_FADV_DONTNEED);
    start = probe_now();
    if (!transfer(probe->file, probe->in, (size_t)bytes, step_read)) return;
    read_back[i] = probe_now() - start - probe->clock_cost;
    if (ftruncate(probe->file, 0) != 0) return;
  }
  probe_record_add(&probe->records, OP_WRITE, 0, bytes, 1, probe_median(written, REPEATS));
  probe_record_add(&probe->records, OP_READ, 0, bytes, 1, probe_median(read_back, REPEATS));
}

// One round: tasks are (operation, group, stratum). A disk task stands for reading and writing, a
// point to point one only for two.
static void play_round(struct collectives_probe* probe, int round) {
  static int tasks[MOST_TASKS];
  int count = 0;
  for (int operation = 0; operation < OP_COUNT; ++operation) {
    for (int g = 0; g < probe->group_count; ++g) {
      const int once = operation == OP_P2P || operation == OP_READ || operation == OP_WRITE;
      if ((once && g > 0) || operation == OP_WRITE) continue;
      for (int slot = 0; slot < SIZES; ++slot) tasks[count++] = (operation * MOST_GROUPS + g) * SIZES + slot;
    }
  }
  uint64_t random = probe->options.seed * 1000003u + (uint64_t)round;
  probe_shuffle(&random, tasks, count);
  for (int i = 0; i < count; ++i) {
    const enum operation operation = (enum operation)(tasks[i] / SIZES / MOST_GROUPS);
    const struct group* group = &probe->groups[tasks[i] / SIZES % MOST_GROUPS];
    const long bytes = probe_log_uniform(&random, 1, probe->options.max_bytes, tasks[i] % SIZES, SIZES);
    if (operation == OP_READ)
      measure_disk(probe, bytes);
    else
      measure_call(probe, operation, group, bytes);
    probe_quiet_barrier(MPI_COMM_WORLD);
  }
}

// After a round (from 0): rank 0 tells the progress and decides whether there is time for another.
// Returns: go on.
static int go_on(const struct collectives_probe* probe, double start, int round) {
  int go = 1;
  if (probe->rank == 0) {
    const double time_share = (probe_now() - start) / probe->options.duration_s;
    const double round_share = (double)(round + 1) / LEAST_ROUNDS;
    const double share = time_share < round_share ? time_share : round_share;
    go = share < 1 && round + 1 < MOST_ROUNDS;
    probe_write(probe->options.output, "progress %.4f\n", share < 1 ? share : 1.0);
  }
  MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return go;
}

static void measure(struct collectives_probe* probe, double start) {
  for (int go = 1, round = 0; go; ++round) {
    play_round(probe, round);
    if (probe->rank == 0) {
      if (round > 0) probe_write_records(probe->options.output, &probe->records, operation_names, class_names);
      probe->records.count = 0; // the first round opens connections: it does not count
    }
    go = go_on(probe, start, round);
  }
}

int main(int argc, char** argv) {
  if (probe_tell_library(argc, argv)) return 0;
  MPI_Init(&argc, &argv);
  const double start = probe_now();
  static struct collectives_probe probe;
  MPI_Comm_rank(MPI_COMM_WORLD, &probe.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &probe.size);
  probe.options = probe_parse(argc, argv, probe.rank);
  if (probe.size < 2) {
    if (probe.rank == 0)
      fprintf(stderr, "farcast: found 1 rank, collective calls need 2 or more: mpirun -np P farcast calibrate collectives ...\n");
    MPI_Finalize();
    return 2;
  }
  struct probe_place* places = probe_places(probe.size);
  if (probe.rank == 0)
    probe_write_header(probe.options.output, &probe.options, probe.size, probe_count_hosts(places, probe.size));
  free(places);
  const size_t room = (size_t)probe.options.max_bytes + (size_t)probe.size * (size_t)probe.size;
  probe.out = malloc(room);
  probe.in = malloc(room);
  if (probe.out == NULL || probe.in == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(probe.out, 1, room);
  memset(probe.in, 2, room);
  probe.clock_cost = probe_clock_cost();
  probe.file = probe.rank == 0 && probe.options.directory != NULL ? open_nameless(probe.options.directory) : -1;
  make_groups(&probe);
  measure(&probe, start);
  if (probe.rank == 0) probe_write(probe.options.output, "end\n");
  for (int g = 0; g < probe.group_count; ++g) {
    if (probe.groups[g].comm != MPI_COMM_NULL) MPI_Comm_free(&probe.groups[g].comm);
  }
  if (probe.file >= 0) close(probe.file);
  free(probe.out);
  free(probe.in);
  free(probe.records.data);
  MPI_Finalize();
  return 0;
}
