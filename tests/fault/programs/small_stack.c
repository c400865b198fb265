/* Threads with the small stacks that interpreters and servers give them; with MPI, one that makes MPI calls. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

static void* work(void* argument) {
#ifdef WITH_MPI
  for (int i = 0; i < 5; ++i) MPI_Allreduce(MPI_IN_PLACE, argument, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#else
  *(int*)argument = 7;
#endif
  return NULL;
}

int main(int argc, char** argv) {
  int value = 1;
  pthread_attr_t attributes;
  pthread_t thread;
#ifdef WITH_MPI
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#endif
  (void)argc, (void)argv;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  int error = pthread_create(&thread, &attributes, work, &value);
  if (error == 0) pthread_join(thread, NULL);
  printf("%d: %s\n", value, strerror(error));
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return error == 0 ? 0 : 1;
}
