// Preloaded into ranks that share cores: turns Open MPI's spinning poll(fds, n, 0) into a short sleep.
//
// Open MPI looks at its sockets with a poll that returns at once, again and again. When more ranks
// than cores run, each such spin takes the core from the rank that has work. After most_spins
// fruitless looks in a row the poll waits in the kernel instead, and returns as soon as a socket is
// ready: the caller sees no difference. What the caller waits for may also be another thread (that
// asks for a peer's address), which no socket tells: so the first wait of a row is
// first_microseconds, each further one twice as long, at most BOTTLE_POLL_US (default 5000; 0
// switches this off). A look that comes most_pause_ns or more after the last one begins a new row:
// the rank computes between its looks (HPL asks between parts of its update whether the next panel
// is there) and does not wait. Only the main thread's polls are touched; Open MPI's helper threads
// block by themselves.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,readability-identifier-naming): RTLD_NEXT, ppoll
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int (*poll_function)(struct pollfd*, nfds_t, int);

enum { most_spins = 3, first_microseconds = 200, default_microseconds = 5000, most_microseconds = 100000, most_pause_ns = 50000 };

static poll_function real_poll;
static long patience_us;
static __thread int fruitless;
static __thread long next_us;
static __thread long long looked_at_ns;

__attribute__((constructor)) static void prepare(void) {
  real_poll = (poll_function)dlsym(RTLD_NEXT, "poll");
  const char* wish = getenv("BOTTLE_POLL_US");
  patience_us = wish != NULL ? strtol(wish, NULL, 10) : default_microseconds;
  if (patience_us < 0) patience_us = 0;
  if (patience_us > most_microseconds) patience_us = most_microseconds;
  prctl(PR_SET_TIMERSLACK, 1000UL); // ns; 50 us by default
}

static int is_main_thread(void) { return getpid() == (pid_t)syscall(SYS_gettid); }

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  if (real_poll == NULL) prepare(); // called before our constructor
  if (timeout != 0 || patience_us == 0) return real_poll(fds, count, timeout);
  if (now_ns() - looked_at_ns >= most_pause_ns) fruitless = 0;
  const int ready = real_poll(fds, count, timeout);
  if (ready != 0) fruitless = 0;
  looked_at_ns = now_ns();
  if (ready != 0 || ++fruitless < most_spins || !is_main_thread()) return ready;
  next_us = fruitless == most_spins ? first_microseconds : 2 * next_us;
  if (next_us > patience_us) next_us = patience_us;
  const struct timespec patience = {0, next_us * 1000};
  const int late = ppoll(fds, count, &patience, NULL);
  if (late > 0) fruitless = 0;
  looked_at_ns = now_ns();
  return late;
}
