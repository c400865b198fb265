/* A coupled program that has done its work: rank 0 stands at a gate before MPI_Finalize, in which rank 1 waits already. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d\n", sum);
    close(open("ready1", O_CREAT | O_WRONLY, 0666));
    while (access("go1", F_OK) != 0) {
      struct timespec pause = {0, 5000000};
      nanosleep(&pause, NULL);
    }
  }
  MPI_Finalize();
  return 0;
}
