// Where a call stands in the program: its return address when that lies in the program, otherwise
// the first frame outside of MPI, its language bindings and the libraries that the user named as
// wrappers.
//
// The language bindings call helpers through the same C symbols before they call the real function
// (ompi_send_f calls PMPI_Type_f2c). A call from a binding counts only when its caller is that
// function's own binding; the verdict depends on the return address alone and is kept in a
// per-thread table.
#pragma once

#include "libinterpose/site_cache.h"

#include <algorithm>
#include <cstdint>

namespace farcast::interpose {

enum class CallerKind : std::uint8_t {
  unknown = 0,
  program,  // the return address is the site
  wrapped,  // counts, but the site is further up the stack
  internal, // a helper call of a binding or of the MPI library: does not count
};

struct SiteCaches {              // of a thread
  SiteCache<CallerKind> callers; // verdicts on direct callers
  SiteCache<CallerKind> frames;  // stack frames: program, or internal (to be skipped)
  std::uint32_t most_hidden;     // frames that lay below the program's
};

struct ProgramText { // the main program's code: the common case, decided by one comparison
  std::uint64_t begin;
  std::uint64_t size;
};
extern ProgramText program_text;
extern std::uint32_t stack_depth; // frames per site

// Finds the program's code and opens the stack walker. Once, before the first classify.
void prepare_call_sites();
// The slow half of classify: finds the object that `address` lies in. `function`: C name of the MPI
// function that was called.
CallerKind classify_slow(SiteCaches& caches, std::uint64_t address, const char* function);

inline CallerKind classify(SiteCaches& caches, std::uint64_t address, const char* function) {
  if (__builtin_expect(address - program_text.begin < program_text.size, 1)) return CallerKind::program;
  if (const CallerKind* known = caches.callers.find(address)) return *known;
  return classify_slow(caches, address, function);
}

// Returns: `address` lies in the Fortran binding of `function`.
bool is_binding_of(std::uint64_t address, const char* function);

inline constexpr std::uint32_t kMaxStack = 32;

// Returns: a call from there does not count (the verdict of classify, without a cache).
bool is_internal(void* caller, const char* function);
// libunwind's fast walk; null where it is not installed.
using Backtrace = int (*)(void**, int);
extern Backtrace backtrace_function;
// Returns: the frame does not lie in MPI, its bindings or a wrapper library.
bool is_program_frame(SiteCaches& caches, std::uint64_t address);

// Walks the stack. Returns: number of frames put into `frames`, innermost first, the first of them
// outside of MPI and wrapper libraries; at most `depth` (<= kMaxStack). Inlined: each frame of our
// own would cost some 10 ns.
inline __attribute__((always_inline)) std::uint32_t walk(SiteCaches& caches, std::uint64_t* frames, std::uint32_t depth) {
  if (backtrace_function == nullptr) return 0;
  // Below the program's lie three or four of our own, and a binding's two: each frame costs some
  // 10 ns, so the deep walk is for those who need it, and few are what was enough before.
  constexpr std::uint32_t kFewHidden = 3, kMostFewHidden = 8, kManyHidden = 24;
  void* stack[kMaxStack + kManyHidden];
  std::uint32_t count = 0;
  for (const std::uint32_t hidden : {std::max(kFewHidden, caches.most_hidden), kManyHidden}) {
    const int got = backtrace_function(stack, static_cast<int>(depth + hidden));
    count = 0;
    for (int i = 0; i < got && count < depth; ++i) {
      const auto address = reinterpret_cast<std::uint64_t>(stack[i]);
      if (count == 0 && !is_program_frame(caches, address)) continue;
      if (count == 0) caches.most_hidden = std::clamp(static_cast<std::uint32_t>(i), caches.most_hidden, kMostFewHidden);
      frames[count++] = address;
    }
    if (count == depth || got < static_cast<int>(depth + hidden)) break;
  }
  return count;
}

// Walks the stack. Returns: one of our wrappers is under way further up, beyond the one that asks.
// True when nobody can tell.
bool is_inside_wrapper();

} // namespace farcast::interpose
