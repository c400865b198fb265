/* Rank 0 locks and writes rank 1's part of a window, while all others wait for a message of its: rank 1 has to let the MPI
 * library go on, and the others have not. Prints what was written, and how often those two gave their core away meanwhile, and
 * rank 0. Four ranks. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RANKS = 4, LOCKS = 200 };

static volatile int unshared[RANKS];
static volatile int* yields = unshared; /* [rank] */
static int rank;
static _Alignas(64) volatile int memory;

int sched_yield(void) { /* in place of the C library's, for all that is in this process */
  ++yields[rank];
  return (int)syscall(SYS_sched_yield);
}

int main(int argc, char** argv) {
  MPI_Comm turned;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int file = open("yields", O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, sizeof unshared) != 0) return 1;
  yields = mmap(NULL, sizeof unshared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (yields == MAP_FAILED) return 1;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_Win_create((void*)&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, turned, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int before = 0, yielded[2] = {0, 0};
    for (int i = 0; i <= LOCKS; ++i) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, RANKS - 1 - 1, 0, win);
      if (i == 0) { /* virtual time has gone on: they wait */
        before = yields[2] + yields[3];
        yields[0] = 0;
      }
      MPI_Put(&i, 1, MPI_INT, RANKS - 1 - 1, 0, 1, MPI_INT, win);
      MPI_Win_unlock(RANKS - 1 - 1, win);
    }
    yielded[0] = yields[2] + yields[3] - before;
    yielded[1] = yields[0];
    for (int other = 1; other < RANKS; ++other) MPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Send(yielded, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    int yielded[2] = {0, 0};
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* so its answer is awaited */
    if (rank == 1) {
      MPI_Recv(yielded, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_lock(MPI_LOCK_SHARED, RANKS - 1 - 1, 0, win);
      printf("%d %d %d\n", memory, yielded[0], yielded[1]);
      MPI_Win_unlock(RANKS - 1 - 1, win);
    }
  }
  MPI_Win_free(&win);
  MPI_Comm_free(&turned);
  MPI_Finalize();
  return 0;
}
