/* Windows of equal MPI_Isend and MPI_Irecv, which a recorder may fold, completed in every way there is and in any order; calls
 * with other tags, sizes and communicators between them; requests that outlive their window. Prints a sum that depends on every
 * message. */
#include <mpi.h>
#include <stdio.h>

enum { WINDOW = 40, ROUNDS = 30 };

static void complete(int round, int count, MPI_Request* requests) {
  int done = 0, index = 0, indices[2 * WINDOW];
  switch (round % 5) {
  case 0:
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    break;
  case 1:
    for (int i = count; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    break;
  case 2:
    for (int i = 0; i < count; ++i) MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    break;
  case 3:
    for (int left = count; left > 0; left -= done) MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
    break;
  default:
    MPI_Waitall(count / 2, requests + count / 2, MPI_STATUSES_IGNORE);
    MPI_Waitall(count - count / 2, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  long sum = 0;
  int in[WINDOW], out[WINDOW], late_in = 0, late_out = 0;
  MPI_Request requests[2 * WINDOW], late[2];
  MPI_Comm copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Comm comm = round % 3 == 0 ? copy : MPI_COMM_WORLD;
    late_out = 1000 * round + rank;
    MPI_Irecv(&late_in, 1, MPI_INT, previous, 99, comm, &late[0]);
    for (int i = 0; i < WINDOW; ++i) MPI_Irecv(&in[i], 1, MPI_INT, previous, i < WINDOW / 2 ? 5 : 6, comm, &requests[i]);
    MPI_Isend(&late_out, 1, MPI_INT, next, 99, comm, &late[1]);
    for (int i = 0; i < WINDOW; ++i) {
      out[i] = rank + 7 * i + round;
      MPI_Isend(&out[i], 1, MPI_INT, next, i < WINDOW / 2 ? 5 : 6, comm, &requests[WINDOW + i]);
    }
    complete(round, 2 * WINDOW, requests);
    for (int i = 0; i < 10; ++i) MPI_Comm_rank(comm, &rank);
    MPI_Waitall(2, late, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW; ++i) sum += (i + 1) * (long)in[i];
    sum += late_in;
  }
  long total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld\n", total);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
