/* Rounds of post, start, put, complete and wait around a ring, then a file: a collective write and a non-blocking read. Each rank
 * moves BYTES per round, and BYTES to the file and back. */
#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 1 << 20, ROUNDS = 3 };

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* exposed = calloc(1, BYTES);
  char* source = calloc(1, BYTES);
  MPI_Win window;
  MPI_Win_create(exposed, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Group world, to, from;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Group_incl(world, 1, &next, &to);
  MPI_Group_incl(world, 1, &before, &from);
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(source, BYTES, MPI_CHAR, next, 0, BYTES, MPI_CHAR, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
  }
  MPI_File file;
  MPI_Request request;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)rank * BYTES, source, BYTES, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, (MPI_Offset)rank * BYTES, source, BYTES, MPI_CHAR, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Group_free(&world);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&window);
  free(exposed);
  free(source);
  MPI_Finalize();
  return 0;
}
