// Integer sort by buckets: in each step an alltoall of counts, then an alltoallv of megabytes.
// `size`: keys of a rank, in a thousand. Right: every rank gets the keys of its range and no
// others, and none is lost. Where computation is a sleep, the keys stand in their buckets from the
// start, and their memory is touched before MPI_Init: all of that would take a core.
#include "program.h"

static int bucket_of(int key, int ranks, int range) { return (int)((long)key * ranks / range); }

static void fill_buckets(const int* keys, long count, int* out, int* counts, int* begins, int ranks, int range) {
  memset(counts, 0, (size_t)ranks * sizeof(int));
  for (long i = 0; i < count; ++i) ++counts[bucket_of(keys[i], ranks, range)];
  int* at = (int*)allocate((size_t)ranks * sizeof(int));
  for (int b = 1; b < ranks; ++b) at[b] = begins[b] = begins[b - 1] + counts[b - 1];
  for (long i = 0; i < count; ++i) out[at[bucket_of(keys[i], ranks, range)]++] = keys[i];
  free(at);
}

// Keys in the order of their buckets, whose sizes differ by some thousandths, as those of random
// keys do.
static void make_sorted(int* out, long count, int* counts, int* begins, int rank, int ranks, int range) {
  long at = 0;
  for (int b = 0; b < ranks; ++b) {
    const long least = (long)range * b / ranks + (b > 0), width = range / ranks - 1; // surely of this bucket
    const long end = b + 1 == ranks ? count : at + (long)((double)count / ranks * (0.997 + 0.006 * share_of(rank, b)));
    begins[b] = (int)at;
    counts[b] = (int)(end - at);
    for (long key = 0; at < end; ++at, key = key + 1 < width ? key + 1 : 0) out[at] = (int)(least + key);
  }
}

// The whole of it is in memory.
static int* touched(long count) {
  int* memory = (int*)malloc((size_t)count * sizeof(int));
  for (long i = 0; memory != NULL && i < count; i += 512) ((volatile int*)memory)[i] = 0;
  return memory;
}

int main(int argc, char** argv) {
  const long count = option_of(argc, argv, "--size", 1000) * 1000, most = 2 * count + 1024;
  int *keys = touched(count), *out = touched(count), *in = touched(most);
  struct program p = start(&argc, &argv, "is", 1000, 5, 2500, 16384);
  if (keys == NULL || out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  const int range = 1 << 20;
  int* table = (int*)allocate((size_t)(4 * p.ranks) * sizeof(int));
  int *counts = table, *begins = table + p.ranks, *come = table + 2 * p.ranks, *starts = table + 3 * p.ranks;
  unsigned state = 1234567U + (unsigned)p.rank;
  double sent = 0, received = 0, totals[2] = {0, 0}, all[2];
  const int sorted = p.sleep_s > 0;
  if (sorted) make_sorted(out, count, counts, begins, p.rank, p.ranks, range);
  for (long i = 0; !sorted && i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    keys[i] = (int)(state >> 12);
    sent += keys[i];
  }
  p.began_s = MPI_Wtime();
  int right = 1;
  long got = 0;
  for (long step = 0; step < p.steps; ++step) {
    if (!sorted) fill_buckets(keys, count, out, counts, begins, p.ranks, range);
    compute(&p, 1);
    MPI_Alltoall(counts, 1, MPI_INT, come, 1, MPI_INT, MPI_COMM_WORLD);
    got = come[0];
    for (int r = 1; r < p.ranks; ++r) {
      starts[r] = starts[r - 1] + come[r - 1];
      got += come[r];
    }
    if (got > most) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Alltoallv(out, counts, begins, MPI_INT, in, come, starts, MPI_INT, MPI_COMM_WORLD);
    for (long i = 0; i < got; i += 97) right = right && bucket_of(in[i], p.ranks, range) == p.rank;
  }
  for (long i = 0; !sorted && i < got; ++i) received += in[i];
  totals[0] = sent - received;
  totals[1] = (double)(count - got);
  MPI_Allreduce(totals, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(keys);
  free(out);
  free(in);
  free(table);
  return finish(&p, right && all[0] == 0 && all[1] == 0, sent);
}
