/* Two ranks stand at a gate, each by itself, and then exchange small messages of which it is known what they are, for a second
 * and a half: no wait is long, and nothing is asked. Prints whether MPI_Wtime went on meanwhile. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int argc, char** argv) {
  int rank, goes_on = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double began = 0;
  if (rank == 0) { /* the other one waits for its message meanwhile: who computes until the gate opens would keep the answer */
    began = MPI_Wtime();
    MPI_Send(&goes_on, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&goes_on, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) close(open("ready1", O_CREAT | O_WRONLY, 0666));
  while (access("go1", F_OK) != 0) usleep(5000);
  for (const double end = now() + 1.5; goes_on;) {
    goes_on = now() < end;
    if (rank == 0) MPI_Send(&goes_on, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&goes_on, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&goes_on, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("exchanged\n");
  fflush(stdout);
  if (rank == 0) printf("%d\n", MPI_Wtime() - began > 1);
  MPI_Finalize();
  return 0;
}
