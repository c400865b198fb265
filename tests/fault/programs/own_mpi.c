/* A program with its MPI library inside, as the linker leaves it: no shared library to stand in front of. */
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) {
  (void)argv;
  return *argc - *argc;
}

int main(int argc, char** argv) {
  printf("own MPI_Init: %d\n", MPI_Init(&argc, &argv));
  return 9;
}
