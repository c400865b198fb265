/* What the plain format of traces can say, and with an argument what it cannot: communicators, non-blocking collectives,
 * accesses. */
#include <mpi.h>
#include <stdlib.h>

static double work(int n) {
  double sum = 0;
  for (int i = 1; i < n; ++i) sum += 1.0 / i;
  return sum;
}

static void beyond_plain(int rank, double* data) {
  MPI_Comm half, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  double one = work(2000), all[4];
  MPI_Allreduce(&one, all, 1, MPI_DOUBLE, MPI_SUM, half);
  MPI_Request requests[3];
  MPI_Iallreduce(&one, all, 1, MPI_DOUBLE, MPI_SUM, copy, &requests[0]);
  MPI_Irecv(data, 100, MPI_DOUBLE, rank ^ 1, 7, copy, &requests[1]);
  MPI_Isend(data + 100, 100, MPI_DOUBLE, rank ^ 1, 7, copy, &requests[2]);
  one += work(30000);
  for (int left = 3; left > 0; --left) {
    int index;
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
  }
  MPI_Request again[2];
  MPI_Recv_init(data, 2000, MPI_DOUBLE, (rank + 3) % 4, 1, MPI_COMM_WORLD, &again[0]);
  MPI_Send_init(data + 2000, 2000, MPI_DOUBLE, (rank + 1) % 4, 1, MPI_COMM_WORLD, &again[1]);
  for (int round = 0; round < 5; ++round) {
    MPI_Startall(2, again);
    one += work(1000);
    MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&again[0]);
  MPI_Request_free(&again[1]);
  MPI_Win window;
  MPI_Win_create(data, 4000 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(&one, 1, MPI_DOUBLE, 1, 10, 1, MPI_DOUBLE, window);
  if (rank == 2) MPI_Get(all, 4, MPI_DOUBLE, 3, 0, 4, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  one += work(20000 * rank);
  if (rank < 3) { /* no messages to itself: replay sends them over links, as SimGrid does */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, window);
    MPI_Put(&one, 1, MPI_DOUBLE, 3, rank, 1, MPI_DOUBLE, window);
    one += work(50000);
    MPI_Win_unlock(3, window);
  }
  if (rank > 0) {
    MPI_Win_lock_all(0, window);
    MPI_Get(all, 4, MPI_DOUBLE, 3 - rank, 0, 4, MPI_DOUBLE, window);
    MPI_Win_unlock_all(window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* data = calloc(40000, sizeof(double));
  double sum = 0, all;
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int round = 0; round < 20; ++round) {
    sum += work(20000 + 1000 * rank);
    MPI_Sendrecv(data, 50 * (round + 1), MPI_DOUBLE, right, 3, data + 20000, 2000, MPI_DOUBLE, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Request request;
    MPI_Irecv(data, 16384, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, &request);
    MPI_Send(data + 20000, 16384, MPI_DOUBLE, right, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(data, 100, MPI_DOUBLE, round % size, MPI_COMM_WORLD);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  const float halves[2] = {0.5f, 0.25f};
  float floats[2];
  MPI_Allreduce(halves, floats, 2, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  if (argc > 1) beyond_plain(rank, data);
  MPI_Barrier(MPI_COMM_WORLD);
  free(data);
  MPI_Finalize();
  return 0;
}
