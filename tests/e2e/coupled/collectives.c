/* Every blocking collective, small and large, with each root, in place, between two groups, with parts that are empty and with
 * a rank that comes late, so that others leave early. Prints a checksum of all that each rank got, case by case: the same
 * whatever the network. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../pause.h"

enum { MOST = 8, LARGE = 20000, ROOM = MOST * LARGE };
static int in[ROOM], out[ROOM];
static int world_rank, rank, size;
static MPI_Comm comm;
static uint64_t sum;

static void take(const int* data, int count) {
  for (int i = 0; i < count; ++i) sum = (sum ^ (uint32_t)data[i]) * 1099511628211u;
}

/* Fresh data, nothing in what is to be received, and one rank that comes late; who leaves early asks for the time. */
static void begin(int seed) {
  MPI_Wtime();
  for (int i = 0; i < ROOM; ++i) {
    in[i] = seed * 7919 + world_rank * 104729 + i;
    out[i] = -1;
  }
  if (world_rank == seed % 5) pause_ms(2);
}

static int part(int of, int count) { return of % 2 == 0 ? 0 : count - of; } /* every other one is empty */

static void vectors(int count, int* counts, int* offsets) {
  for (int i = 0, at = 0; i < size; at += counts[i++] + 3) {
    counts[i] = part(i, count);
    offsets[i] = at;
  }
}

static void rooted(int count, int root) {
  int counts[MOST], offsets[MOST];
  vectors(count, counts, offsets);
  begin(root);
  MPI_Bcast(rank == root ? in : out, count, MPI_INT, root, comm);
  take(out, count);
  begin(root + 1);
  MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm);
  take(out, count * size);
  begin(root + 2);
  MPI_Gather(rank == root ? MPI_IN_PLACE : in, count, MPI_INT, out, count, MPI_INT, root, comm);
  take(out, count * size);
  begin(root + 3);
  MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, offsets, MPI_INT, root, comm);
  take(out, ROOM / 2);
  begin(root + 4);
  MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm);
  take(out, count);
  begin(root + 5);
  MPI_Scatterv(in, counts, offsets, MPI_INT, rank == root ? MPI_IN_PLACE : (void*)out, counts[rank], MPI_INT, root, comm);
  take(out, count);
  begin(root + 6);
  MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
  take(out, count);
  if (root > 0) return; /* MPICH 4.0.2 dies of large ones in place at another root */
  begin(root + 7);
  MPI_Reduce(rank == root ? MPI_IN_PLACE : in, rank == root ? in : out, count, MPI_INT, MPI_BXOR, root, comm);
  take(in, count);
}

static void all_to_all(int count) {
  int counts[MOST], offsets[MOST], to[MOST], to_at[MOST], same[MOST];
  MPI_Datatype types[MOST];
  vectors(count, counts, offsets);
  begin(1);
  MPI_Barrier(comm);
  MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
  take(out, count * size);
  begin(2);
  MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, offsets, MPI_INT, comm);
  take(out, ROOM / 2);
  begin(3);
  MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
  take(out, count * size);
  begin(4);
  MPI_Alltoall(MPI_IN_PLACE, count, MPI_INT, in, count, MPI_INT, comm);
  take(in, count * size);
  for (int i = 0; i < size; ++i) { /* to higher ranks only */
    to[i] = i > rank ? count : 0;
    same[i] = i < rank ? count : 0;
    to_at[i] = i * count;
    types[i] = MPI_INT;
  }
  begin(5);
  MPI_Alltoallv(in, to, to_at, MPI_INT, out, same, to_at, MPI_INT, comm);
  take(out, count * size);
  for (int i = 0; i < size; ++i) to_at[i] *= (int)sizeof(int);
  begin(6);
  MPI_Alltoallw(in, to, to_at, types, out, same, to_at, types, comm);
  take(out, count * size);
  begin(7);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_MAX, comm);
  take(out, count);
  begin(8);
  MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
  take(out, count);
  begin(9);
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
  take(out, count);
}

static void scans(int count) {
  begin(1);
  MPI_Scan(in, out, count, MPI_INT, MPI_SUM, comm);
  take(out, count);
  begin(2);
  MPI_Scan(MPI_IN_PLACE, in, count, MPI_INT, MPI_BXOR, comm);
  take(in, count);
  begin(3);
  MPI_Exscan(in, out, count, MPI_INT, MPI_SUM, comm);
  if (rank > 0) take(out, count);
}

static void neighbours(int count) {
  const int dims[1] = {size}, periods[1] = {1}, next[1] = {(rank + 1) % size}, before[1] = {(rank + size - 1) % size};
  MPI_Comm ring, one_way;
  MPI_Cart_create(comm, 1, dims, periods, 0, &ring);
  MPI_Dist_graph_create_adjacent(comm, 1, before, MPI_UNWEIGHTED, 1, next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &one_way);
  begin(1);
  MPI_Neighbor_allgather(in, count, MPI_INT, out, count, MPI_INT, ring);
  take(out, 2 * count);
  begin(2);
  MPI_Neighbor_alltoall(in, count, MPI_INT, out, count, MPI_INT, ring);
  take(out, 2 * count);
  begin(3);
  MPI_Neighbor_alltoall(in, count, MPI_INT, out, count, MPI_INT, one_way);
  take(out, count);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&one_way);
}

/* A message by addresses alone. */
static void from_bottom(int count) {
  MPI_Aint at;
  MPI_Datatype there;
  MPI_Get_address(in, &at);
  MPI_Type_create_hindexed(1, &count, &at, MPI_INT, &there);
  MPI_Type_commit(&there);
  begin(1);
  MPI_Sendrecv(MPI_BOTTOM, 1, there, (rank + 1) % size, 1, out, count, MPI_INT, (rank + size - 1) % size, 1, comm,
               MPI_STATUS_IGNORE);
  take(out, count);
  MPI_Type_free(&there);
}

/* From the first half to the second one, which is as large or larger by one. */
static void between_groups(int count) {
  MPI_Comm half, both;
  const int low = rank < size / 2;
  MPI_Comm_split(comm, low, rank, &half);
  MPI_Intercomm_create(half, 0, comm, low ? size / 2 : 0, 3, &both);
  const int root = !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  begin(1);
  MPI_Bcast(root == MPI_ROOT ? in : out, count, MPI_INT, root, both);
  take(out, count);
  begin(2);
  MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, both);
  take(out, count);
  begin(3);
  MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, both);
  take(out, count * size);
  begin(4);
  MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, both);
  take(out, count);
  begin(5);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, both);
  take(out, count);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void report(const char* name, int count) {
  uint64_t sums[MOST];
  MPI_Gather(&sum, 1, MPI_UINT64_T, sums, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (int i = 0; world_rank == 0 && i < size; ++i)
    printf("%s %d rank %d: %016llx\n", name, count, i, (unsigned long long)sums[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_size(comm, &size);
  rank = world_rank;
  if (size > MOST) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int count = 40; count <= LARGE; count *= 500) {
    for (int root = 0; root < size; ++root) rooted(count, root);
    report("rooted", count);
    all_to_all(count);
    report("all", count);
    scans(count);
    report("scans", count);
    from_bottom(count);
    neighbours(count);
    report("neighbours", count);
    between_groups(count);
    report("groups", count);
  }
  MPI_Comm_free(&comm);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
