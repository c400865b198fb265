/* What programs share in which rank 0 is in something, or behind it, while rank 1 waits for whatever comes from rank 2. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../pause.h"

static int rank;
static MPI_Comm pair; /* of the first two */

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

struct Case {
  const char* name;
  int (*play)(int* got); /* returns: it was right; `got`: what came_first() returned */
};

/* Prints what rank 1 had from rank 2, and 1 where all ranks say that it was right. With an argument: of that one alone. */
static int play_all(int argc, char** argv, const struct Case* all, size_t count) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &pair);
  for (size_t i = 0; i < count; ++i) {
    if (argc > 1 && strcmp(argv[1], all[i].name) != 0) continue;
    int got = -1, right = all[i].play(&got), rights = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce(&right, &rights, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    if (rank == 1) printf("%s %d %d\n", all[i].name, got, rights == size_of(MPI_COMM_WORLD));
  }
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
