// Integer sort by buckets: in each step an alltoall of counts, then an alltoallv of megabytes. `size`: keys of a rank, in a
// thousand. Right: every rank gets the keys of its range and no others, and none is lost. Where computation is a sleep, the keys
// are put into their buckets only once: that takes a core as well.
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

int main(int argc, char** argv) {
  struct program p = start(&argc, &argv, "is", 1000, 5, 2500, 16384);
  const int range = 1 << 20;
  const long count = p.size * 1000, most = 2 * count + 1024;
  int* keys = (int*)allocate((size_t)count * sizeof(int));
  int* out = (int*)allocate((size_t)count * sizeof(int));
  int* in = (int*)allocate((size_t)most * sizeof(int));
  int* table = (int*)allocate((size_t)(4 * p.ranks) * sizeof(int));
  int *counts = table, *begins = table + p.ranks, *come = table + 2 * p.ranks, *starts = table + 3 * p.ranks;
  unsigned state = 1234567U + (unsigned)p.rank;
  double sent = 0, received = 0, totals[2] = {0, 0}, all[2];
  for (long i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    keys[i] = (int)(state >> 12);
    sent += keys[i];
  }
  p.began_s = MPI_Wtime();
  int right = 1;
  long got = 0;
  for (long step = 0; step < p.steps; ++step) {
    if (step == 0 || p.sleep_s <= 0) fill_buckets(keys, count, out, counts, begins, p.ranks, range);
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
  for (long i = 0; i < got; ++i) received += in[i];
  totals[0] = sent - received;
  totals[1] = (double)(count - got);
  MPI_Allreduce(totals, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(keys);
  free(out);
  free(in);
  free(table);
  return finish(&p, right && all[0] == 0 && all[1] == 0, sent);
}
