/* Preloaded behind farcast: who yields does not come back for a while, as where ranks outnumber cores. */
#include <time.h>

int sched_yield(void) {
  const struct timespec others = {0, 200000};
  nanosleep(&others, NULL);
  return 0;
}
