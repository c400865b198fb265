/* coupled_call futex N: a word handed to and fro between two processes, N times. coupled_call polls N [all]: rank 0, or all
 * ranks, call MPI_Iprobe N times. Prints microseconds per round trip or call, by the machine's clock: MPI_Wtime may be virtual.
 * coupled_call beside N: ranks in a ring work, look for messages of the one before, and send one to the next now and then, N in
 * all. Prints how often the machine's time passed in theirs.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

/* Waits until the word is `mine`, then makes it the other one's. */
static void hand_over(volatile uint32_t* word, uint32_t mine, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != mine) syscall(SYS_futex, word, FUTEX_WAIT, 1 - mine, NULL, NULL, 0);
    __atomic_store_n(word, 1 - mine, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
  }
}

static int futex_round_trips(int rounds) {
  uint32_t* word = mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t child = fork();
  if (child == 0) {
    hand_over(word, 1, rounds);
    _exit(0);
  }
  const double begin = now_us();
  hand_over(word, 0, rounds);
  waitpid(child, NULL, 0);
  printf("%.3f\n", (now_us() - begin) / rounds);
  return 0;
}

static void work_for(double us) {
  const double until = now_us() + us;
  while (now_us() < until) {
  }
}

/* As programs do that update a table whose parts other ranks have (HPCC's RandomAccess). */
static double work_beside(int rank, int ranks, int messages) {
  const int before = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
  enum { kEach = 64 };
  int sent = 0, received = 0, in = 0, flag;
  MPI_Request request;
  const double begin = now_us(), virtual_begin = MPI_Wtime();
  MPI_Irecv(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &request);
  for (int step = 1; sent < messages || received < messages; ++step) {
    work_for(0.5);
    if (sent < messages && step % kEach == 0) MPI_Send(&sent, 1, MPI_INT, next, 0, MPI_COMM_WORLD), ++sent;
    if (received == messages) continue;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (!flag) continue;
    work_for(20);
    if (++received < messages) MPI_Irecv(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &request);
  }
  return (now_us() - begin) / ((MPI_Wtime() - virtual_begin) * 1e6);
}

int main(int argc, char** argv) {
  const int count = argc > 2 ? atoi(argv[2]) : 1000;
  if (argc > 1 && strcmp(argv[1], "futex") == 0) return futex_round_trips(count);
  MPI_Init(&argc, &argv);
  int rank, ranks, flag;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "beside") == 0) {
    const double times = work_beside(rank, ranks, count);
    if (rank == 0) printf("%.3f\n", times);
    MPI_Finalize();
    return 0;
  }
  const double begin = now_us();
  if (rank == 0 || argc > 3)
    for (int i = 0; i < count; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  const double each = (now_us() - begin) / count;
  if (rank == 0) printf("%.3f\n", each);
  MPI_Finalize();
  return 0;
}
