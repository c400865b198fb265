/* Starts one more process and meets it, over the communicator that joins them and over one that both are members of. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm other;
  MPI_Comm_get_parent(&other);
  if (other == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
  MPI_Comm merged;
  MPI_Barrier(other);
  MPI_Intercomm_merge(other, 0, &merged);
  int root = 0;
  MPI_Bcast(&root, 1, MPI_INT, 0, merged);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
