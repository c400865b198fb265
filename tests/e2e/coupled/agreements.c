/* Calls that their members leave together, and are no data: rank 0 is in each of them while rank 1 waits for whatever comes from
 * rank 2, which pauses first. Each hangs where rank 0 is left to wait in the library, for the predictor waits for it then. Prints
 * what rank 1 had from rank 2, and 1 where what was made is right. Three ranks. */
#include <mpi.h>
#include <stdio.h>

#include "../pause.h"

static int rank;
static MPI_Comm pair;
/* Of windows: who writes there is another rank, of which the compiler does not know. (MPICH 4.0 writes 4 bytes behind a base that
 * is no multiple of 8.) */
static _Alignas(64) volatile int memory;

static int came_first(void) {
  int got = -1;
  if (rank == 2) {
    pause_ms(10);
    MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  }
  if (rank == 1) MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return got;
}

static int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

static int group(int* got) {
  const int both[2] = {0, 1};
  MPI_Group all, two;
  MPI_Comm made;
  int right = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 2, both, &two);
  *got = came_first();
  for (int round = 0; round < 2 && rank < 2; ++round) { /* the second one is another communicator of the same group */
    MPI_Comm_create_group(MPI_COMM_WORLD, two, round, &made);
    right = right && size_of(made) == 2;
    MPI_Barrier(made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&two);
  MPI_Group_free(&all);
  return right;
}

static int window(int* got) {
  MPI_Win win;
  memory = -1;
  *got = came_first();
  if (rank == 2) return 1;
  MPI_Win_create((void*)&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, pair, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  const int right = memory == 1 - rank;
  MPI_Win_free(&win);
  return right;
}

static int fence(int* got) {
  MPI_Win win = MPI_WIN_NULL;
  memory = -1;
  if (rank < 2) {
    MPI_Win_create((void*)&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, pair, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
  }
  *got = came_first();
  if (rank < 2) MPI_Win_fence(0, win);
  const int right = rank == 2 || memory == 1 - rank;
  came_first();
  if (rank < 2) MPI_Win_free(&win);
  return right;
}

static int file(int* got) {
  MPI_File opened;
  *got = came_first();
  if (rank < 2) MPI_File_open(pair, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &opened);
  came_first();
  if (rank < 2) MPI_File_set_size(opened, 16);
  came_first();
  int read = -1;
  if (rank < 2) MPI_File_write_at_all(opened, rank * (int)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (rank < 2) MPI_File_read_at_all(opened, rank * (int)sizeof rank, &read, 1, MPI_INT, MPI_STATUS_IGNORE);
  came_first();
  if (rank < 2) MPI_File_close(&opened);
  return rank == 2 || read == rank;
}

static int disconnect(int* got) {
  MPI_Comm made = MPI_COMM_NULL;
  if (rank < 2) MPI_Comm_dup(pair, &made);
  *got = came_first();
  if (rank < 2) MPI_Comm_disconnect(&made);
  return rank == 2 || made == MPI_COMM_NULL;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*play)(int* got);
  } all[] = {{"group", group}, {"window", window}, {"fence", fence}, {"file", file}, {"disconnect", disconnect}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &pair);
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    int got = -1, right = all[i].play(&got), rights = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce(&right, &rights, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    if (rank == 1) printf("%s %d %d\n", all[i].name, got, rights == size_of(MPI_COMM_WORLD));
  }
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
