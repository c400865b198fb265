/* collectives.c by MPI_Ibcast and its like: each is started, then waited for. */
#include <mpi.h>

static MPI_Request request;

static int waited(int code) {
  MPI_Wtime();
  return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

#define MPI_Bcast(...) waited(MPI_Ibcast(__VA_ARGS__, &request))
#define MPI_Gather(...) waited(MPI_Igather(__VA_ARGS__, &request))
#define MPI_Gatherv(...) waited(MPI_Igatherv(__VA_ARGS__, &request))
#define MPI_Scatter(...) waited(MPI_Iscatter(__VA_ARGS__, &request))
#define MPI_Scatterv(...) waited(MPI_Iscatterv(__VA_ARGS__, &request))
#define MPI_Reduce(...) waited(MPI_Ireduce(__VA_ARGS__, &request))
#define MPI_Barrier(...) waited(MPI_Ibarrier(__VA_ARGS__, &request))
#define MPI_Allgather(...) waited(MPI_Iallgather(__VA_ARGS__, &request))
#define MPI_Allgatherv(...) waited(MPI_Iallgatherv(__VA_ARGS__, &request))
#define MPI_Alltoall(...) waited(MPI_Ialltoall(__VA_ARGS__, &request))
#define MPI_Alltoallv(...) waited(MPI_Ialltoallv(__VA_ARGS__, &request))
#define MPI_Alltoallw(...) waited(MPI_Ialltoallw(__VA_ARGS__, &request))
#define MPI_Allreduce(...) waited(MPI_Iallreduce(__VA_ARGS__, &request))
#define MPI_Reduce_scatter(...) waited(MPI_Ireduce_scatter(__VA_ARGS__, &request))
#define MPI_Reduce_scatter_block(...) waited(MPI_Ireduce_scatter_block(__VA_ARGS__, &request))
#define MPI_Scan(...) waited(MPI_Iscan(__VA_ARGS__, &request))
#define MPI_Exscan(...) waited(MPI_Iexscan(__VA_ARGS__, &request))
#define MPI_Neighbor_allgather(...) waited(MPI_Ineighbor_allgather(__VA_ARGS__, &request))
#define MPI_Neighbor_alltoall(...) waited(MPI_Ineighbor_alltoall(__VA_ARGS__, &request))

#include "collectives.c"
