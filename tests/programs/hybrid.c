// A relaxation with threads inside of its ranks, as many as OMP_NUM_THREADS says, otherwise one:
// each thread has a row of cells and computes as much as a rank with one thread does; its first
// thread alone calls MPI, to hand the rank's outer cells to its neighbours in a ring. `size`: cells
// of a row. Right: the sum of all cells stays, and the sum of squares never grows.
#include "program.h"
#include <omp.h>

enum { kMostThreads = 64 };

struct row {
  double* cells; // one more at each end: the neighbours'
  double* next;
  double field[512]; // what its thread works on between the messages
};

// A third of a cell goes to each neighbour.
static void relax(struct row* row, long size) {
  for (long i = 1; i <= size; ++i) row->next[i] = (row->cells[i - 1] + row->cells[i] + row->cells[i + 1]) / 3;
  memcpy(row->cells + 1, row->next + 1, (size_t)size * sizeof(double));
}

// The work of `p` again, by the calling thread on its own field. Returns: the field is as it was.
static int work(const struct program* p, struct row* row) {
  struct program own = *p;
  own.field = row->field;
  own.points = sizeof(row->field) / sizeof(row->field[0]);
  for (long i = 0; i < own.points; ++i) own.field[i] = 1;
  compute(&own, 1);
  int same = 1;
  for (long i = 0; i < own.points; ++i) same = same && own.field[i] == 1;
  return same;
}

static void exchange(const struct program* p, struct row* first, struct row* last, long size) {
  const int left = (p->rank + p->ranks - 1) % p->ranks, right = (p->rank + 1) % p->ranks;
  MPI_Sendrecv(&first->cells[1], 1, MPI_DOUBLE, left, 0, &last->cells[size + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&last->cells[size], 1, MPI_DOUBLE, right, 1, &first->cells[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  if (getenv("OMP_NUM_THREADS") == NULL) omp_set_num_threads(1);
  struct program p = start(&argc, &argv, "hybrid", 64, 8, 900, 512);
  const int threads = omp_get_max_threads() < kMostThreads ? omp_get_max_threads() : kMostThreads;
  struct row* rows = (struct row*)allocate((size_t)threads * sizeof(struct row));
  double all[2], before[2] = {0, 0};
  int right = 1;
  for (int t = 0; t < threads; ++t) {
    rows[t].cells = (double*)allocate((size_t)(p.size + 2) * sizeof(double));
    rows[t].next = (double*)allocate((size_t)(p.size + 2) * sizeof(double));
    for (long i = 1; i <= p.size; ++i) rows[t].cells[i] = share_of(p.rank * kMostThreads + t, i);
  }
  for (long step = 0; step <= p.steps; ++step) {
    double sums[2] = {0, 0};
    for (int t = 0; t < threads; ++t)
      for (long i = 1; i <= p.size; ++i) sums[0] += rows[t].cells[i], sums[1] += rows[t].cells[i] * rows[t].cells[i];
    MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    right = right && (step == 0 || (all[0] < before[0] * (1 + 1e-9) && all[0] > before[0] * (1 - 1e-9) && all[1] <= before[1]));
    memcpy(before, all, sizeof(all));
    if (step == p.steps) break;
    exchange(&p, &rows[0], &rows[threads - 1], p.size);
    for (int t = 0; t + 1 < threads; ++t) {
      rows[t].cells[p.size + 1] = rows[t + 1].cells[1];
      rows[t + 1].cells[0] = rows[t].cells[p.size];
    }
#pragma omp parallel num_threads(threads) reduction(&& : right)
    {
      struct row* mine = &rows[omp_get_thread_num()];
      relax(mine, p.size);
      right = right && work(&p, mine);
    }
  }
  for (int t = 0; t < threads; ++t) {
    free(rows[t].cells);
    free(rows[t].next);
  }
  free(rows);
  return finish(&p, right, all[0] / threads);
}
