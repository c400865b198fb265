/* Two halves of ROUNDS allreduces with something done in between, as the arguments say: phases ROUNDS [ACTION ...].
 * Rank 0 prints the sum, which depends on every round. Calls of all ranks: MPI_Allreduce 2 * ROUNDS + 1 each. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static int rank, size;

static void pause_ms(long ms) {
  struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
  while (nanosleep(&pause, &pause) != 0 && errno == EINTR) {
  }
}

/* Rank 0 tells the test that it is here and waits for leave to go on; the others wait for rank 0. */
static void gate(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    static int number = 0;
    char name[32];
    snprintf(name, sizeof(name), "ready%d", ++number);
    close(open(name, O_CREAT | O_WRONLY, 0666));
    snprintf(name, sizeof(name), "go%d", number);
    while (access(name, F_OK) != 0) pause_ms(5);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static long rounds_of(long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    long mine = i * (rank + 1), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
  }
  return sum;
}

/* Local calls, one record each, more than a small buffer holds: two places in turn, for one alone would be folded into rows. */
static void many(long count) {
  int answer = 0;
  for (long i = 0; i + 1 < count; i += 2) {
    MPI_Comm_rank(MPI_COMM_WORLD, &answer);
    MPI_Comm_rank(MPI_COMM_WORLD, &answer);
  }
  if (count % 2 != 0) MPI_Comm_rank(MPI_COMM_WORLD, &answer);
}

static void say(const char* text) {
  fputs(text, stdout);
  fflush(stdout);
}

static void reap(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) printf("waitpid: %s\n", strerror(errno));
  printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  fflush(stdout);
}

static void children(const char* how) {
  if (rank != 0) return;
  fflush(stdout);
  if (strcmp(how, "fork-exit") == 0 || strcmp(how, "fork-_exit") == 0) {
    pid_t child = fork();
    if (child == 0) {
      say("hello from the child\n");
      if (strcmp(how, "fork-exit") == 0) exit(7);
      _exit(8);
    }
    reap(child);
  } else if (strcmp(how, "vfork") == 0) {
    pid_t child = vfork();
    if (child == 0) {
      execlp("echo", "echo", "after vfork", (char*)NULL);
      _exit(127);
    }
    reap(child);
  } else if (strcmp(how, "system") == 0) {
    printf("system: %d\n", system("echo from a shell; ls /nonexistent 2>/dev/null; exit 5"));
  } else if (strcmp(how, "popen") == 0) {
    char line[64] = "";
    FILE* pipe = popen("/bin/echo through a pipe", "r");
    if (pipe == NULL || fgets(line, sizeof(line), pipe) == NULL) say("popen failed\n");
    printf("popen: %s", line);
    printf("pclose: %d\n", pclose(pipe));
  } else if (strcmp(how, "spawn") == 0) {
    char* arguments[] = {"echo", "spawned", NULL};
    pid_t child = 0;
    if (posix_spawnp(&child, "echo", NULL, NULL, arguments, environ) != 0)
      say("posix_spawnp failed\n");
    else
      reap(child);
  }
  fflush(stdout);
}

/* errno before and after calls that do not touch it themselves. */
static void check_errno(void) {
  int answer = 0, wrong = 0;
  for (int i = 0; i < 20000; ++i) { /* more records than a segment holds */
    errno = 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &answer);
    wrong += errno != 77;
    MPI_Type_size(MPI_INT, &answer);
    wrong += errno != 77;
    MPI_Send(&answer, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    wrong += errno != 77;
  }
  if (rank == 0) printf("errno changed %d times\n", wrong);
}

/* Like closefrom(3), but the event queue of UCX's own thread stays: that thread ends the process when it wakes without one. */
static void close_all(void) {
  for (int fd = 3; fd < 65536; ++fd) {
    char name[64], target[512];
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, target, sizeof(target) - 1);
    if (length < 0) continue;
    target[length] = '\0';
    if (strstr(target, "eventpoll") == NULL) close(fd);
  }
}

/* Closes every descriptor that is not MPI's own: closefrom(3) would cut the line to the launcher, with or without farcast. */
static void close_foreign(void) {
  for (int fd = 3; fd < 65536; ++fd) {
    char name[64], target[512];
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, target, sizeof(target) - 1);
    if (length < 0) continue;
    target[length] = '\0';
    if (strstr(target, "farcast") != NULL || (strncmp(target, "socket:", 7) == 0 && fd >= 64)) close(fd);
  }
}

static void die(const char* how) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "kill-1") == 0 && rank == 1) raise(SIGKILL);
  if (strcmp(how, "segfault-1") == 0 && rank == 1) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (strcmp(how, "abort-1") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(how, "exit-all") == 0) exit(4);
}

static void act(const char* action) {
  if (strcmp(action, "gate") == 0)
    gate();
  else if (strncmp(action, "many=", 5) == 0)
    many(atol(action + 5));
  else if (strncmp(action, "child=", 6) == 0)
    children(action + 6);
  else if (strncmp(action, "die=", 4) == 0)
    die(action + 4);
  else if (strcmp(action, "chdir") == 0) {
    if (chdir("/") != 0) perror("chdir");
  } else if (strcmp(action, "errno") == 0)
    check_errno();
  else if (strcmp(action, "close-stderr") == 0)
    close(STDERR_FILENO);
  else if (strcmp(action, "close-foreign") == 0)
    close_foreign();
  else if (strcmp(action, "closefrom") == 0)
    close_all();
  else if (strcmp(action, "block-signals") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
  } else {
    fprintf(stderr, "unknown action %s\n", action);
    exit(99);
  }
}

int main(int argc, char** argv) {
  int first = 1;
  errno = 77;
  int initialized = 0;
  if (argc > 2 && strcmp(argv[2], "early") == 0) { /* before MPI_Init, which starts the recording here */
    MPI_Initialized(&initialized);
    printf("initialized %d, errno %d\n", initialized, errno);
    first = 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long rounds = argc > 1 ? atol(argv[1]) : 10;
  long sum = rounds_of(rounds);
  for (int i = first + 1; i < argc; ++i) act(argv[i]);
  sum += rounds_of(rounds + 1);
  if (rank == 0) printf("%d ranks, sum %ld\n", size, sum);
  MPI_Finalize();
  return argc > 1 && rounds % 2 == 1 ? 3 : 0; /* an exit code of its own for odd numbers */
}
