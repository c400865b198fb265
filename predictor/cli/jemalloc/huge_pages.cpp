// How farcast allocates, where jemalloc was found: on huge pages, which it keeps for a minute.
#include <jemalloc/jemalloc.h>

// A prediction touches most of its memory once, rank by rank: on pages of 4 KB page faults and TLB
// misses take a third of its time and more (65,536 ranks and one message each: 60,000 faults). What
// one scenario has freed is for the next: left to itself jemalloc gives it back within seconds.
// MALLOC_CONF in the environment goes before. Read by jemalloc before main().
const char* malloc_conf = "thp:always,dirty_decay_ms:60000";
