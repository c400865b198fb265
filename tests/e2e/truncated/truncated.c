/* Receives into buffers that are too short, with MPI_ERRORS_RETURN: each took its message, which had to be waited for. */
#include <mpi.h>
#include <stdio.h>

enum { kLong = 1 << 18, kShort = 1 << 10 };

static int data[kLong], few[kShort];

int main(int argc, char** argv) {
  int rank = 0, failed = 0;
  MPI_Request request;
  MPI_Message message;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int tag = 0; tag < 4; ++tag) MPI_Send(data, kLong, MPI_INT, 1, tag, MPI_COMM_WORLD);
    MPI_Recv(data, kLong, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    failed += MPI_Recv(few, kShort, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    failed += MPI_Mrecv(few, kShort, MPI_INT, &message, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    MPI_Irecv(few, kShort, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
    failed += MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    failed +=
        MPI_Sendrecv(data, kLong, MPI_INT, 0, 4, few, kShort, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    printf("%d receives failed\n", failed);
  }
  /* A collective met the others all the same, one with wrong arguments did not. */
  int wrong = MPI_Bcast(data, rank == 0 ? 20 : 10, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  if (rank == 1) wrong += MPI_Bcast(data, 1, MPI_INT, -7, MPI_COMM_WORLD) != MPI_SUCCESS;
  if (rank == 1) printf("%d broadcasts failed\n", wrong);
  MPI_Allreduce(&wrong, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
