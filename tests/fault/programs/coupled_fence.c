/* Rank 0 stands at a gate, goes on, and waits in a fence for rank 1, which looks for a message first: whoever waits for an answer
 * then finds another rank in the library for its sake. A persistent receive is open meanwhile. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void tell(const char* name) { close(open(name, O_CREAT | O_WRONLY, 0666)); }

static void await(const char* name) {
  while (access(name, F_OK) != 0) {
    struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static int memory, got, found;
  int rank;
  MPI_Win win;
  MPI_Request kept;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (rank == 0) {
    MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &kept);
    MPI_Start(&kept);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    tell("ready1");
    await("go1");
    MPI_Iprobe(1, 2, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    tell("answered");
  } else {
    struct timespec pause = {0, 200000000};
    await("answered");
    nanosleep(&pause, NULL);
    MPI_Iprobe(0, 2, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Send(&memory, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_Request_free(&kept);
    printf("%d %d %d\n", memory, got, found);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
