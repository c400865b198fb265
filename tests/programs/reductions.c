// Reductions only: in each step three allreduces of a number, as an iterative solver makes them, an
// allreduce of a vector, a reduce to a root that changes, a scan, and a reduce_scatter. `size`:
// numbers of the vector. Right: all results are known.
#include "program.h"

int main(int argc, char** argv) {
  struct program p = start(&argc, &argv, "reductions", 6000, 30, 400, 16384);
  const long part = p.size / p.ranks, count = part * p.ranks;
  double* mine = (double*)allocate((size_t)count * sizeof(double));
  double* sum = (double*)allocate((size_t)count * sizeof(double));
  const double ranks = p.ranks, triangle = ranks * (ranks - 1) / 2;
  int right = count > 0;
  double checksum = 0;
  for (long step = 0; step < p.steps; ++step) {
    const double number = (double)step;
    compute(&p, 0.5);
    for (int i = 0; i < 3; ++i) {
      double one = p.rank + i, all = 0;
      MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      right = right && all == triangle + i * ranks;
    }
    for (long i = 0; i < count; ++i) mine[i] = p.rank + number * (double)(i % 5);
    MPI_Allreduce(mine, sum, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (long i = 0; i < count; ++i) right = right && sum[i] == triangle + ranks * number * (double)(i % 5);
    compute(&p, 0.5);
    const int root = (int)(step % p.ranks);
    MPI_Reduce(mine, sum, (int)count, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
    for (long i = 0; p.rank == root && i < count; ++i) right = right && sum[i] == ranks - 1 + number * (double)(i % 5);
    double one = p.rank, before = 0;
    MPI_Scan(&one, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    right = right && before == p.rank * (p.rank + 1.0) / 2;
    MPI_Reduce_scatter_block(mine, sum, (int)part, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (long i = 0; i < part; ++i) right = right && sum[i] == triangle + ranks * number * (double)((p.rank * part + i) % 5);
    checksum += sum[0];
  }
  free(mine);
  free(sum);
  return finish(&p, right, checksum);
}
