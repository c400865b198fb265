#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,readability-identifier-naming): RUSAGE_THREAD
#include "probe.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double probe_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

long probe_sleeps(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

double probe_median(double* values, int count) {
  qsort(values, (size_t)count, sizeof values[0], ascending);
  return values[count / 2];
}

double probe_clock_cost(void) {
  enum { TRIES = 101, CALLS = 100 };
  double costs[TRIES];
  for (int i = 0; i < TRIES; ++i) {
    const double start = probe_now();
    double last = start;
    for (int j = 0; j < CALLS; ++j) last = probe_now();
    costs[i] = (last - start) / CALLS;
  }
  return probe_median(costs, TRIES);
}

void probe_wait(double seconds) {
  const double until = probe_now() + seconds;
  if (seconds > 200e-6) {
    const double sleep_s = seconds - 100e-6;
    struct timespec pause = {(time_t)sleep_s, (long)((sleep_s - floor(sleep_s)) * 1e9)};
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR) {
    }
  }
  while (probe_now() < until) {
  }
}

void probe_quiet_barrier(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  long pause_ns = 20000;
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) nanosleep(&(struct timespec){0, pause_ns}, NULL);
    if (pause_ns < 1000000) pause_ns *= 2;
  }
}

uint64_t probe_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double probe_uniform(uint64_t* state) { return (double)(probe_random(state) >> 11) * 0x1p-53; }

long probe_log_uniform(uint64_t* state, long least, long most, int slot, int slots) {
  const double share = ((double)slot + probe_uniform(state)) / (double)slots;
  const double value = exp(log((double)least) + share * (log((double)most + 1) - log((double)least)));
  const long bytes = (long)value;
  return bytes < least ? least : bytes > most ? most : bytes;
}

void probe_shuffle(uint64_t* state, int* values, int count) {
  for (int i = count - 1; i > 0; --i) {
    const int j = (int)(probe_random(state) % (uint64_t)(i + 1));
    const int kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  }
}

void probe_record_add(struct probe_records* records, int kind, int pair_class, long bytes, int messages, double seconds) {
  if (records->count == records->room) {
    records->room = records->room ? 2 * records->room : 256;
    records->data = realloc(records->data, sizeof *records->data * (size_t)records->room);
    if (records->data == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  records->data[records->count++] = (struct probe_record){kind, pair_class, bytes, messages, seconds > 1e-9 ? seconds : 1e-9};
}

void probe_write(int output, const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const size_t bytes = length < (int)sizeof text ? (size_t)length : sizeof text - 1;
  for (size_t done = 0; done < bytes;) {
    const ssize_t written = write(output, text + done, bytes - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      int started = 0;
      MPI_Initialized(&started);
      if (!started) exit(1);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    done += (size_t)written;
  }
}

void probe_write_records(int output, const struct probe_records* records, const char* const* kinds, const char* const* classes) {
  for (int i = 0; i < records->count; ++i) {
    const struct probe_record* r = &records->data[i];
    probe_write(output, "sample %s %s %ld %d %.9g\n", kinds[r->kind], classes[r->pair_class], r->bytes, r->messages, r->seconds);
  }
}

// The first line of what the library says of itself, blanks as blanks.
static void library_name(char* name) {
  int length = 0;
  MPI_Get_library_version(name, &length);
  name[strcspn(name, "\n")] = '\0';
  for (char* c = name; *c != '\0'; ++c) {
    if (*c == '\t') *c = ' ';
  }
}

int probe_tell_library(int argc, char** argv) {
  if (argc != 3 || strcmp(argv[1], "--library") != 0) return 0;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  library_name(library);
  probe_write((int)strtol(argv[2], NULL, 10), "%s\n", library);
  return 1;
}

void probe_write_header(int output, const struct probe_options* options, int ranks, int hosts) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  library_name(library);
  probe_write(output, "farcast-probe 2\nfact mpi %s\nfact ranks %d\nfact hosts %d\nfact seed %llu\nfact max_bytes %ld\n", library,
              ranks, hosts, (unsigned long long)options->seed, options->max_bytes);
}

static void usage(int rank, const char* word) {
  if (rank == 0)
    fprintf(stderr, "farcast probe: found '%s'; this program is started by `farcast calibrate`, and of the same version\n", word);
  MPI_Finalize();
  exit(2);
}

struct probe_options probe_parse(int argc, char** argv, int rank) {
  struct probe_options options = {-1, 10, 4 << 20, 1, NULL, 0};
  for (int i = 1; i < argc; i += 2) {
    const char* name = argv[i];
    if (i + 1 >= argc) usage(rank, name);
    const char* value = argv[i + 1];
    if (strcmp(name, "--output") == 0)
      options.output = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "--duration") == 0)
      options.duration_s = strtod(value, NULL);
    else if (strcmp(name, "--max-bytes") == 0)
      options.max_bytes = strtol(value, NULL, 10);
    else if (strcmp(name, "--seed") == 0)
      options.seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--directory") == 0)
      options.directory = value;
    else if (strcmp(name, "--refused") == 0)
      options.refused = 1;
    else
      usage(rank, name);
  }
  MPI_Bcast(&options.refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (options.refused) {
    MPI_Finalize();
    exit(2);
  }
  if (rank == 0 && options.output < 0) usage(rank, "no --output");
  if (options.max_bytes < 1 || !(options.duration_s > 0)) usage(rank, "a bound of 0");
  return options;
}
