// Multigrid in slabs of a periodic cube of `size` planes: V-cycles with faces from n x n numbers
// down to 2 x 2, and from the level on where there are fewer planes than ranks, fewer ranks than
// there are (the others wait for the corrections). All points of a plane are alike, so a plane is
// one number here; a face holds it n * n times. Right: the residual falls as it must.
#include "program.h"
#include <math.h>

enum { most_levels = 16 };
struct level {
  long n;            // planes of the whole cube, and width of a face
  long mine, stride; // planes of this rank (0: it waits), ranks between neighbours
  double shift;      // added to the Laplacian, in units of the level's own planes
  double *u, *f, *r; // with a halo plane on each side
};

static double* face[4]; // to send down and up, received from below and above
static int exact = 1;

static long span(const struct level* l) { return l->mine + 2; }

static void set_up(struct level* l, const struct program* p, long n) {
  l->n = n;
  l->shift = 0.01 * (double)(p->size / n) * (double)(p->size / n);
  l->stride = n < p->ranks ? p->ranks / n : 1;
  l->mine = p->rank % l->stride ? 0 : (n < p->ranks ? 1 : n / p->ranks);
  l->u = (double*)allocate((size_t)(3 * span(l)) * sizeof(double));
  l->f = l->u + span(l);
  l->r = l->f + span(l);
}

static double opened(const double* values, long count) {
  for (long i = 1; i < count; ++i) exact = exact && values[i] == values[0];
  return values[0];
}

// Halo planes of v from the neighbours on the level.
static void exchange(const struct level* l, double* v, const struct program* p) {
  const long points = l->n * l->n;
  const int below = (int)((p->rank - l->stride + p->ranks) % p->ranks), above = (int)((p->rank + l->stride) % p->ranks);
  for (long i = 0; i < points; ++i) {
    face[0][i] = v[1];
    face[1][i] = v[l->mine];
  }
  MPI_Request requests[4];
  MPI_Irecv(face[2], (int)points, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(face[3], (int)points, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(face[1], (int)points, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(face[0], (int)points, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  v[0] = opened(face[2], points);
  v[l->mine + 1] = opened(face[3], points);
}

static void residual(struct level* l, struct program* p) {
  exchange(l, l->u, p);
  for (long z = 1; z <= l->mine; ++z) l->r[z] = l->f[z] - ((2 + l->shift) * l->u[z] - l->u[z - 1] - l->u[z + 1]);
}

static void smooth(struct level* l, struct program* p, double share) {
  compute(p, share);
  residual(l, p);
  for (long z = 1; z <= l->mine; ++z) l->u[z] += l->r[z] / (3 + l->shift);
}

// Where a rank holds one plane, every second rank holds a plane of the level below: even fine
// planes lie where the coarse ones do.
static void prolong(struct level* fine, struct level* coarse, struct program* p) {
  if (fine->mine > 1) {
    exchange(coarse, coarse->u, p);
    for (long z = 1; z <= fine->mine; ++z)
      fine->u[z] += z % 2 ? coarse->u[(z + 1) / 2] : 0.5 * (coarse->u[z / 2] + coarse->u[z / 2 + 1]);
    return;
  }
  const long points = coarse->n * coarse->n;
  const int below = (int)((p->rank - fine->stride + p->ranks) % p->ranks), above = (int)((p->rank + fine->stride) % p->ranks);
  if (coarse->mine) {
    for (long i = 0; i < points; ++i) face[0][i] = coarse->u[1];
    MPI_Send(face[0], (int)points, MPI_DOUBLE, above, 3, MPI_COMM_WORLD);
    MPI_Send(face[0], (int)points, MPI_DOUBLE, below, 4, MPI_COMM_WORLD);
    fine->u[1] += coarse->u[1];
  } else {
    MPI_Recv(face[2], (int)points, MPI_DOUBLE, below, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(face[3], (int)points, MPI_DOUBLE, above, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fine->u[1] += 0.5 * (opened(face[2], points) + opened(face[3], points));
  }
}

static void cycle(struct level* l, long levels, struct program* p, double share) {
  if (l->mine == 0) return;
  smooth(l, p, share);
  if (levels > 1) {
    residual(l, p);
    exchange(l, l->r, p);
    struct level* coarse = l + 1;
    for (long z = 1; z <= coarse->mine; ++z) {
      const double* r = l->r + 2 * z - 1;
      coarse->f[z] = r[-1] + 2 * r[0] + r[1];
      coarse->u[z] = 0;
    }
    cycle(coarse, levels - 1, p, share / 4);
    prolong(l, coarse, p);
  }
  smooth(l, p, share);
}

static double norm(struct level* l, struct program* p) {
  residual(l, p);
  double mine = 0, sum = 0;
  for (long z = 1; z <= l->mine; ++z) mine += l->r[z] * l->r[z];
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(sum);
}

int main(int argc, char** argv) {
  struct program p = start(&argc, &argv, "mg", 128, 6, 120, 16384);
  struct level grid[most_levels];
  long levels = 0;
  for (long n = p.size; n >= 2 && levels < most_levels && (n >= p.ranks || p.ranks % n == 0); n /= 2)
    set_up(&grid[levels++], &p, n);
  for (int i = 0; i < 4; ++i) face[i] = (double*)allocate((size_t)(p.size * p.size) * sizeof(double));
  for (long z = 1; z <= grid[0].mine; ++z) grid[0].f[z] = share_of(p.rank * grid[0].mine + z, 1) - 0.5;
  const double first = norm(&grid[0], &p);
  for (long step = 0; step < p.steps; ++step) cycle(grid, levels, &p, 1);
  const double last = norm(&grid[0], &p);
  return finish(&p, exact && last < first * pow(0.3, (double)p.steps) + 1e-12, p.rank == 0 ? first : 0);
}
