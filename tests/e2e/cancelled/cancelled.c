/* Receives that are cancelled and then completed with others by MPI_Waitall, MPI_Waitsome and MPI_Testall, without a wildcard and
 * with statuses that the program does not want. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0, in = 0, never = 0, done = 0, flag = 0, indices[3];
  MPI_Request requests[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int peer = 1 - rank;
  for (int round = 0; round < 3; ++round) {
    MPI_Irecv(&never, 1, MPI_INT, peer, 1000, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, peer, round, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, peer, round, MPI_COMM_WORLD, &requests[2]);
    MPI_Cancel(&requests[0]);
    if (round == 0) MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int left = 3; round == 1 && left > 0; left -= done) MPI_Waitsome(3, requests, &done, indices, MPI_STATUSES_IGNORE);
    for (flag = 0; round == 2 && !flag;) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
  }
  if (rank == 0) printf("received %d\n", in);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
