/* A pool of work: rank 0 gives a number to whoever answers first, seen by Iprobe, by Irecv and Test, or by a wildcard Recv. */
#include <mpi.h>
#include <stdio.h>

enum { kJobs = 60, kStop = -1 };

static long take_probed(int* source) {
  int flag = 0;
  MPI_Status status;
  while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  long result = 0;
  *source = status.MPI_SOURCE;
  MPI_Recv(&result, 1, MPI_LONG, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return result;
}

static long take_tested(int* source) {
  int flag = 0;
  long result = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
  while (!flag) MPI_Test(&request, &flag, &status);
  *source = status.MPI_SOURCE;
  return result;
}

static long take_received(int* source) {
  long result = 0;
  MPI_Status status;
  MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  *source = status.MPI_SOURCE;
  return result;
}

static void give(int job, int rank) { MPI_Send(&job, 1, MPI_INT, rank, 0, MPI_COMM_WORLD); }

static long hand_out(int workers) {
  int next = 0;
  long sum = 0;
  for (int rank = 1; rank <= workers; ++rank) give(next++, rank);
  for (int done = 0; done < kJobs; ++done) {
    int source = 0;
    sum += done % 3 == 0 ? take_probed(&source) : done % 3 == 1 ? take_tested(&source) : take_received(&source);
    give(next < kJobs ? next++ : kStop, source);
  }
  return sum;
}

static void work(void) {
  int job = 0;
  for (;;) {
    MPI_Recv(&job, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (job == kStop) return;
    volatile double waste = 0;
    for (int i = 0; i < 20000 * (job % 5 + 1); ++i) waste = waste + i;
    long result = (long)job * job;
    MPI_Send(&result, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    printf("sum of squares %ld\n", hand_out(size - 1));
  else
    work();
  MPI_Finalize();
  return 0;
}
