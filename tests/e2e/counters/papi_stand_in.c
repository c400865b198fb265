/* Stands in for libpapi.so.7 on machines of any kind. Each reading is 10 above the one before, which is what reading counts of
   itself, and 1000 * (1 + number of the event) more while PAPI_STAND_IN_WORK is set: the program's work is known.
   PAPI_STAND_IN says what goes wrong. */
#include <stdlib.h>
#include <string.h>

enum { kSets = 64, kEvents = 32, kVersion = 0x07010000, kError = -1, kNoEvent = -7, kNoMemory = -2 };

static struct {
  int events;
  long long readings;
  long long work;
} sets[kSets];
static int used;

static int fails(const char* what) {
  const char* how = getenv("PAPI_STAND_IN");
  return how != NULL && strcmp(how, what) == 0;
}

int PAPI_library_init(int version) { return fails("init") || version != kVersion ? kError : kVersion; }
int PAPI_thread_init(unsigned long (*id)(void)) { return id() == 0 ? kError : 0; }
int PAPI_create_eventset(int* set) {
  *set = __atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST);
  return *set < kSets ? 0 : kNoMemory;
}
int PAPI_add_named_event(int set, const char* name) {
  if (fails("add") && strcmp(name, "EVENT_1") == 0) return kNoEvent;
  return ++sets[set].events <= kEvents ? 0 : kNoMemory;
}
int PAPI_start(int set) { return fails("start") || set < 0 ? kNoMemory : 0; }
int PAPI_read(int set, long long* values) {
  if (fails("first_read") && sets[set].readings > 10) return kError;
  if (fails("read") && sets[set].work > 100) return kError;
  ++sets[set].readings;
  if (getenv("PAPI_STAND_IN_WORK") != NULL) ++sets[set].work;
  for (int i = 0; i < sets[set].events; ++i)
    values[i] = fails("zero") ? 0 : sets[set].readings * 10 + sets[set].work * 1000 * (i + 1);
  return 0;
}
int PAPI_stop(int set, long long* values) { return PAPI_read(set, values); }
int PAPI_cleanup_eventset(int set) { return set < 0 ? kError : 0; }
int PAPI_destroy_eventset(int* set) {
  *set = -1;
  return 0;
}
int PAPI_unregister_thread(void) { return 0; }
char* PAPI_strerror(int code) {
  static char no_event[] = "no such event";
  static char no_memory[] = "no room";
  static char other[] = "some error";
  return code == kNoEvent ? no_event : code == kNoMemory ? no_memory : other;
}
