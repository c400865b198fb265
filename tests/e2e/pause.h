/* Computation of a known length: it sleeps, and is as long by the clock of FARCAST_FIXED_CLOCK (libinterpose/clock.h), under
 * which nothing else takes time. One file of a program includes this, and is linked with -rdynamic. */
#include <time.h>

unsigned long long farcast_fixed_clock = 1000000000000; /* picoseconds */

static void pause_ms(int ms) {
  const struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&time, NULL);
  farcast_fixed_clock += ms * 1000000000ull;
}
