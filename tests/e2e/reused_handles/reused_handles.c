/* A communicator of two ranks is freed by the callback of an attribute, inside MPI_Comm_free: its handle is soon that of a
 * communicator of all. And a copy that was begun first is used by some ranks after one that was made later. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { copies = 20 };

static int rank;
static int values[2];

static void pass(MPI_Comm comm, int from, int to) {
  if (rank == from) MPI_Send(values, 2, MPI_INT, to, 0, comm);
  if (rank == to) MPI_Recv(values, 2, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
}

static int free_inner(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  MPI_Comm_free((MPI_Comm*)value);
  return MPI_SUCCESS;
}

static void freed_inside(void) {
  MPI_Comm outer, inner, again[copies];
  int key = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &outer);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &inner);
  MPI_Barrier(inner);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, NULL);
  MPI_Comm_set_attr(outer, key, &inner);
  MPI_Comm_free(&outer);
  for (int i = 0; i < copies; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &again[i]);
    pass(again[i], 3, 0); /* nobody has that number among two */
  }
  for (int i = 0; i < copies; ++i) MPI_Comm_free(&again[i]);
  MPI_Comm_free_keyval(&key);
}

static void begun_first(void) {
  MPI_Comm first, second;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &first, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  pass(first, 0, 1); /* for the others it is the second one that they see used */
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  pass(second, 2, 1);
  pass(first, 2, 1);
  pass(first, 0, 3);
  MPI_Barrier(second);
  MPI_Comm_free(&second);
  MPI_Comm_free(&first);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  freed_inside();
  begun_first();
  MPI_Finalize();
  return 0;
}
