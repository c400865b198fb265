// The transposes of a three-dimensional FFT in pencils: alltoalls among the ranks of a row of the
// process grid, then of a column, and back. `size`: complex numbers of a rank, in a thousand.
// Right: in between every number is where it belongs, and at the end all are back, turned as often
// as there were steps.
#include "program.h"
#include <complex.h>

struct side {
  MPI_Comm communicator;
  int ranks, rank;
};

static struct side part(int colour, int key) {
  struct side s;
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &s.communicator);
  MPI_Comm_size(s.communicator, &s.ranks);
  MPI_Comm_rank(s.communicator, &s.rank);
  return s;
}

// Number i * ranks + q goes to rank q: what each rank holds after it came from all.
static void scatter_out(const struct side* s, double complex* data, double complex* packed, long count) {
  const long block = count / s->ranks;
  for (long i = 0; i < block; ++i)
    for (long q = 0; q < s->ranks; ++q) packed[q * block + i] = data[i * s->ranks + q];
  MPI_Alltoall(packed, (int)(2 * block), MPI_DOUBLE, data, (int)(2 * block), MPI_DOUBLE, s->communicator);
}

static void gather_in(const struct side* s, double complex* data, double complex* packed, long count) {
  const long block = count / s->ranks;
  MPI_Alltoall(data, (int)(2 * block), MPI_DOUBLE, packed, (int)(2 * block), MPI_DOUBLE, s->communicator);
  for (long i = 0; i < block; ++i)
    for (long q = 0; q < s->ranks; ++q) data[i * s->ranks + q] = packed[q * block + i];
}

int main(int argc, char** argv) {
  struct program p = start(&argc, &argv, "ft", 32, 8, 900, 4096);
  int rows = 1;
  while (4 * rows * rows <= p.ranks) rows *= 2;
  while (p.ranks % rows) rows /= 2;
  const int columns = p.ranks / rows;
  struct side row = part(p.rank / columns, p.rank), column = part(p.rank % columns, p.rank);
  const long unit = (long)row.ranks * column.ranks, count = p.size * 1024 / unit * unit;
  double complex* data = (double complex*)allocate((size_t)count * sizeof(double complex));
  double complex* packed = (double complex*)allocate((size_t)count * sizeof(double complex));
  for (long i = 0; i < count; ++i) data[i] = p.rank * count + i;
  int right = 1;
  double complex turned = 1;
  for (long step = 0; step < p.steps; ++step) {
    compute(&p, 1);
    scatter_out(&row, data, packed, count);
    compute(&p, 0.5);
    scatter_out(&column, data, packed, count);
    // The first number came from the first rank of both: of its column there, of its row before.
    const double origin = (double)(p.rank - column.rank * columns - row.rank) * (double)count;
    right = right && data[0] == turned * (origin + (double)column.rank * row.ranks + row.rank);
    for (long i = 0; i < count; ++i) data[i] *= I;
    turned *= I;
    gather_in(&column, data, packed, count);
    compute(&p, 0.5);
    gather_in(&row, data, packed, count);
  }
  for (long i = 0; i < count; ++i) right = right && data[i] == turned * (double)(p.rank * count + i);
  const double checksum = creal(data[1]) + 2 * cimag(data[1]);
  free(data);
  free(packed);
  MPI_Comm_free(&row.communicator);
  MPI_Comm_free(&column.communicator);
  return finish(&p, right, checksum);
}
