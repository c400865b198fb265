/* Two of three ranks start a process together: rank 0 is there while rank 1 waits for whatever comes from rank 2, which pauses
 * first. Prints what rank 1 had from rank 2, and how many processes there are. */
#include <mpi.h>
#include <stdio.h>

#include "../pause.h"

int main(int argc, char** argv) {
  int rank, got = -1, others = 0;
  MPI_Comm pair, made;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&made);
  if (made != MPI_COMM_NULL) {
    MPI_Comm_free(&made);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &pair);
  if (rank == 2) {
    pause_ms(10);
    MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  }
  if (rank == 1) MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < 2) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, pair, &made, MPI_ERRCODES_IGNORE);
    MPI_Comm_remote_size(made, &others);
    MPI_Comm_free(&made);
  }
  if (rank == 1) printf("%d %d\n", got, others);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
