// farcast-load-probe-<mpi> polling|probing: keeps one core in the state that a rank is in while it
// waits, until it is killed.
//
//   polling  inside a blocking receive that nothing comes for: what the library does there, be it
//   polling or sleeping probing  a loop of MPI_Iprobe
// Runs without a launcher, as a job of one rank. Writes one byte to standard output when the load
// begins.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc != 2 || (strcmp(argv[1], "polling") != 0 && strcmp(argv[1], "probing") != 0)) {
    fprintf(stderr, "usage: %s polling|probing\n", argv[0]);
    return 2;
  }
  MPI_Init(&argc, &argv);
  putchar('+');
  fflush(stdout);
  if (strcmp(argv[1], "probing") == 0) {
    for (int found = 0; !found;) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  } else {
    int never = 0;
    MPI_Recv(&never, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return 1; // nobody sends
}
