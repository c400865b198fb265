// Communication patterns whose ranks start at one time: what the test bed itself does with them.
#ifndef FARCAST_BOTTLE_PATTERNS_H
#define FARCAST_BOTTLE_PATTERNS_H

#include <stddef.h>

struct pattern_arguments {
  int bytes;
  int messages;
  int rank;
  int size;
  unsigned char* out; // slots * bytes; byte `at` of slot i is mark(rank, i, at), except where doubles are summed: all 1.0
  unsigned char* in;
  int slots;      // the greater of messages and ranks, and one more
  void* requests; // MPI_Request[2 * slots]
  double start;   // by now_s(), when this repetition started
};

struct pattern {
  const char* name;
  // Plays it once. Returns: seconds of this rank from the start, 0 when it has no part.
  double (*play)(const struct pattern_arguments*);
  // Returns: whether this rank received anything but what it must.
  int (*wrong)(const struct pattern_arguments*);
  int of_doubles;  // sums: bytes are rounded down to doubles
  int from_root;   // time counts from rank 0's start, not from the last start
  int fixed_parts; // its time is divided by these ...
  int per_message; // ... and, where set, by the number of messages
};

// Ends with a pattern that has no name.
extern const struct pattern message_patterns[];
extern const struct pattern collective_patterns[];

double now_s(void);
unsigned char mark(int sender, int slot, int at);
// Returns: whether `data` is not what `sender` has in its slot.
int differs(const unsigned char* data, int bytes, int sender, int slot);

#endif
