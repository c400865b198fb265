// Asks what may be asked without MPI_Init, and never starts MPI.
#include <mpi.h>

int main(void) {
  int version = 0, part = 0, started = 0, ended = 0, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  MPI_Get_version(&version, &part);
  MPI_Get_library_version(text, &length);
  return started == 0 && ended == 0 && length > 0 ? 3 : 9;
}
