/* Leaves MPI calls by longjmp out of callbacks; what comes later, from deeper in the stack too, has to be seen.
 * Calls: 3 failing MPI_Send, 3 MPI_Reduce_local of which the operation never returns, then MPI_Comm_rank 7 times. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static int landed;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  longjmp(back, 1);
}

static void operation(void* in, void* out, int* length, MPI_Datatype* type) {
  (void)in;
  (void)out;
  (void)length;
  (void)type;
  longjmp(back, 1);
}

/* Further down the stack than the calls that were left. */
__attribute__((noinline)) static int deep(int levels, char* room) {
  char more[2000];
  more[0] = room[0];
  if (levels > 0) return deep(levels - 1, more) + more[0];
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return 1;
}

int main(int argc, char** argv) {
  MPI_Errhandler errhandler;
  MPI_Op op;
  int value = 1, sum = 0;
  char room[1] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(handler, &errhandler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
  MPI_Op_create(operation, 1, &op);
  for (volatile int i = 0; i < 3; ++i) {
    if (setjmp(back) == 0)
      MPI_Send(&value, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
    else
      ++landed;
    deep(3, room);
    if (setjmp(back) == 0)
      MPI_Reduce_local(&value, &sum, 1, MPI_INT, op);
    else
      ++landed;
    deep(3, room);
  }
  deep(0, room);
  printf("landed %d times\n", landed);
  MPI_Finalize();
  return 0;
}
