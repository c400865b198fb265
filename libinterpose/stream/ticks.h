// The time stamp of the hot path, and of who converts it to seconds: the processor's invariant counter.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

namespace farcast::stream {

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

} // namespace farcast::stream
