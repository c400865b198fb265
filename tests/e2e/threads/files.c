/* Writes and reads asynchronously: the MPI library has that done by a thread of its own, which comes long after MPI_Init. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4 << 20, ROUNDS = 32 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[64];
  snprintf(name, sizeof(name), "files.%d", rank);
  char* data = malloc(BYTES);
  memset(data, rank, BYTES);
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Request request;
    MPI_File_iwrite_at(file, 0, data, BYTES, MPI_CHAR, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 0, data, BYTES, MPI_CHAR, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
  const int right = data[BYTES - 1] == rank;
  free(data);
  MPI_Finalize();
  if (rank == 0 && right) printf("files: right\n");
  return right ? 0 : 1;
}
