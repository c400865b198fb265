/* MPI_THREAD_MULTIPLE: waves of threads that each make CALLS calls, 3 fruitless polls, and end: threads WAVES PER_WAVE CALLS
 * [stay|local]. With "stay", the last wave makes no polls and is alive until after MPI_Finalize; with "local" they only ask for
 * what needs no other rank. Exit code 77: no MPI_THREAD_MULTIPLE here. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls;
static int stay, local;
static pthread_barrier_t worked; /* the last wave has made its calls */
static pthread_mutex_t finalized = PTHREAD_MUTEX_INITIALIZER;

static void* ask(void* unused) {
  int flag = 0;
  for (double before = MPI_Wtime(); MPI_Wtime() <= before;) {
  }
  for (int i = 0; i < calls; ++i) {
    MPI_Is_thread_main(&flag);
    MPI_Comm_rank(MPI_COMM_WORLD, &flag);
  }
  return unused;
}

static void* work(void* last) {
  int value = 1, flag = 0;
  for (int i = 0; i < calls; ++i) {
    if (i % 2 == 0)
      MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    else
      MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3 && last == NULL; ++i) { /* one folded record */
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
  if (last != NULL) {
    pthread_barrier_wait(&worked);
    pthread_mutex_lock(&finalized);
    pthread_mutex_unlock(&finalized);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0, sum = 0, one = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE || argc < 4) {
    MPI_Finalize();
    return 77;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int waves = atoi(argv[1]), width = atoi(argv[2]);
  calls = atoi(argv[3]);
  stay = argc > 4 && strcmp(argv[4], "stay") == 0;
  local = argc > 4 && strcmp(argv[4], "local") == 0;
  pthread_t* threads = malloc(sizeof(*threads) * (size_t)width);
  pthread_barrier_init(&worked, NULL, (unsigned)width + 1);
  pthread_mutex_lock(&finalized);
  for (int wave = 0; wave < waves; ++wave) {
    const int remain = stay && wave == waves - 1;
    for (int i = 0; i < width; ++i) pthread_create(&threads[i], NULL, local ? ask : work, remain ? threads : NULL);
    for (int i = 0; i < width && !remain; ++i) pthread_join(threads[i], NULL);
    if (remain) pthread_barrier_wait(&worked);
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks, %d threads each\n", sum, waves * width);
  MPI_Finalize();
  pthread_mutex_unlock(&finalized);
  for (int i = 0; i < width && stay; ++i) pthread_join(threads[i], NULL);
  free(threads);
  return 0;
}
