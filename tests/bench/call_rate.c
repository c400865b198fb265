/* MPI calls as fast as they can be made: windows of small messages between pairs of ranks that leave no core idle.
 *
 *     call_rate WINDOWS [WINDOW]      WINDOW (64) MPI_Irecv and MPI_Isend of 8 bytes, then MPI_Waitall, WINDOWS times
 *
 * Prints a JSON line: calls of one rank, wall time between two barriers, the longest of all ranks. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long windows = argc > 1 ? atol(argv[1]) : 100000;
  const int window = argc > 2 ? atoi(argv[2]) : 64;
  if (windows < 1 || window < 1) {
    fprintf(stderr, "call_rate: found %ld windows of %d messages, expected positive numbers\n", windows, window);
    return 2;
  }
  MPI_Request* requests = malloc(2 * (size_t)window * sizeof(MPI_Request));
  double* words = calloc(2 * (size_t)window, sizeof(double));
  if (requests == NULL || words == NULL) return 2;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int peer = rank ^ 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long w = 0; peer < size && w < windows; ++w) {
    for (int i = 0; i < window; ++i) MPI_Irecv(&words[i], 1, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < window; ++i) MPI_Isend(&words[window + i], 1, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD, &requests[window + i]);
    MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
  }
  double wall = MPI_Wtime() - begin, longest = 0;
  MPI_Reduce(&wall, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("{\"calls\": %ld, \"wall_s\": %.6f}\n", windows * (2L * window + 1), longest);
  MPI_Finalize();
  free(requests);
  free(words);
  return 0;
}
