// The communication of an LU factorisation: the panel's owner broadcasts it, pairs of ranks swap
// rows, all update what is left, which becomes smaller from step to step. `size`: rows of the first
// panel, of 32 columns. Right: panels and rows hold what they must.
#include "program.h"

enum { columns = 32 };

int main(int argc, char** argv) {
  struct program p = start(&argc, &argv, "panels", 2000, 24, 1200, 16384);
  double* panel = (double*)allocate((size_t)(p.size * columns) * sizeof(double));
  double* rows = (double*)allocate((size_t)(2 * p.size) * sizeof(double));
  double* others = rows + p.size;
  int right = 1;
  double checksum = 0;
  for (long step = 0; step < p.steps; ++step) {
    const long left = p.size * (p.steps - step) / p.steps, numbers = left * columns;
    const int owner = (int)(step % p.ranks);
    if (p.rank == owner) {
      compute(&p, 0.3 * (double)left / (double)p.size);
      for (long i = 0; i < numbers; ++i) panel[i] = (double)(step * 1000 + i % 100);
    }
    MPI_Bcast(panel, (int)numbers, MPI_DOUBLE, owner, MPI_COMM_WORLD);
    for (long i = 0; i < numbers; ++i) right = right && panel[i] == (double)(step * 1000 + i % 100);
    const int partner = p.rank ^ (int)(1 + step % (p.ranks > 2 ? 3 : 1));
    if (partner < p.ranks) {
      for (long i = 0; i < left; ++i) rows[i] = p.rank + 0.5 * (double)step;
      MPI_Sendrecv(rows, (int)left, MPI_DOUBLE, partner, 5, others, (int)left, MPI_DOUBLE, partner, 5, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      for (long i = 0; i < left; ++i) right = right && others[i] == partner + 0.5 * (double)step;
      checksum += left > 0 ? others[0] : 0;
    }
    compute(&p, (double)(left * left) / (double)(p.size * p.size));
  }
  free(panel);
  free(rows);
  return finish(&p, right, checksum);
}
