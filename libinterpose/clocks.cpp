// libfarcast-clocks.so: clock_gettime, gettimeofday, time and timespec_get tell the virtual time of a
// coupled run (`--virtual-clocks`). Preloaded then only.
//
// A clock is MPI_Wtime's virtual time and what the machine's clock is ahead of the machine's MPI_Wtime:
// so it goes on where it was at MPI_Init. Asked by the program alone, its libraries, and the runtimes
// of its language: never by MPI libraries and what they rest on, which wait by the machine's time. A
// look of the thread that takes part in the coupling is one of MPI_Wtime's (libfarcast); other threads
// are as far behind the machine's time as that was last. After MPI_Finalize clocks go on by the
// machine's, from the virtual time at which it was entered. Clocks of processor time stay as they are.
// No allocation, no C++ runtime; asks the dynamic loader once for each place that calls.
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define FARCAST_EXPORT __attribute__((visibility("default")))

// Of libfarcast-<mpi>.so (coupled_wtime.h); null in a process without it.
extern "C" __attribute__((weak)) bool farcast_look(void* return_address, void* frame, double* seconds);
extern "C" __attribute__((weak)) double farcast_machine_wtime();

namespace {

using GetTime = int (*)(clockid_t, timespec*);

// Libraries that ask for themselves: MPI's, what they rest on, and ours.
constexpr const char* kNotTheProgram[] = {"libmpi",   "libopen-",   "libopal", "libpmi",   "libprrte", "libevent",   "libuc",
                                          "libhwloc", "libfabric",  "libpsm",  "libib",    "librdma",  "libfarcast", "mca_",
                                          "libc.",    "libpthread", "ld-",     "libmunge", "libslurm", "libnl",      "libunwind"};
constexpr std::size_t kPlaces = 512;
constinit std::uint64_t known[kPlaces]; // [place] an address that calls, times two, and whether it is the program's

bool is_programs(void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return true; // made at run time
  const char* const slash = std::strrchr(info.dli_fname, '/');
  const char* const name = slash == nullptr ? info.dli_fname : slash + 1;
  for (const char* const other : kNotTheProgram)
    if (std::strncmp(name, other, std::strlen(other)) == 0) return false;
  return true;
}

bool asks_for_the_program(void* return_address) {
  const auto address = reinterpret_cast<std::uint64_t>(return_address);
  std::uint64_t* const place = &known[(address >> 1) % kPlaces];
  std::uint64_t verdict = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (verdict >> 1 != address) {
    verdict = address << 1 | (is_programs(return_address) ? 1 : 0);
    __atomic_store_n(place, verdict, __ATOMIC_RELAXED);
  }
  return (verdict & 1) != 0;
}

int machine_time(clockid_t clock, timespec* time) {
  static GetTime real; // the same for all threads; found again at worst
  GetTime function = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (function == nullptr) {
    void* const found = dlsym(RTLD_NEXT, "clock_gettime");
    if (found == nullptr) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    function = reinterpret_cast<GetTime>(found);
    __atomic_store_n(&real, function, __ATOMIC_RELAXED);
  }
  return function(clock, time);
}

bool is_of_time(clockid_t clock) {
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
  case CLOCK_MONOTONIC:
  case CLOCK_MONOTONIC_COARSE:
  case CLOCK_MONOTONIC_RAW:
  case CLOCK_BOOTTIME:
  case CLOCK_TAI:
    return true;
  default:
    return false;
  }
}

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kClocks = CLOCK_TAI + 1;
constinit std::int64_t ahead[kClocks]; // [clock] ns that it is ahead of the machine's MPI_Wtime; 0: not known yet

std::int64_t ns_of(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }
std::int64_t ns_of(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

// Once for a clock: a thread that loses its core between two readings must not find another figure.
std::int64_t ahead_of_wtime(clockid_t clock) {
  constexpr int kTries = 20;
  std::int64_t found = __atomic_load_n(&ahead[clock], __ATOMIC_RELAXED);
  if (found != 0) return found;
  std::int64_t least = 0;
  for (int i = 0; i < kTries; ++i) {
    timespec time{};
    const std::int64_t before = ns_of(farcast_machine_wtime());
    machine_time(clock, &time);
    const std::int64_t took = ns_of(farcast_machine_wtime()) - before;
    if (i > 0 && took >= least) continue;
    least = took;
    found = ns_of(time) - before - took / 2;
  }
  if (found == 0) found = 1;
  __atomic_store_n(&ahead[clock], found, __ATOMIC_RELAXED);
  return found;
}

int virtual_time(clockid_t clock, timespec* time, void* return_address, void* frame) {
  if (farcast_look == nullptr || time == nullptr || !is_of_time(clock) || !asks_for_the_program(return_address))
    return machine_time(clock, time);
  double seconds = 0;
  std::int64_t ns = 0;
  if (farcast_look(return_address, frame, &seconds)) {
    ns = ns_of(seconds) + ahead_of_wtime(clock);
  } else {
    const int code = machine_time(clock, time);
    if (code != 0 || seconds == 0) return code;
    ns = ns_of(*time) - ns_of(seconds);
  }
  time->tv_sec = ns / kSecond - (ns % kSecond < 0 ? 1 : 0);
  time->tv_nsec = ns - time->tv_sec * kSecond;
  return 0;
}

} // namespace

extern "C" FARCAST_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  return virtual_time(clock, time, __builtin_return_address(0), __builtin_frame_address(0));
}

extern "C" FARCAST_EXPORT int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
  if (zone != nullptr) std::memset(zone, 0, sizeof(struct timezone)); // as the C library does
  timespec now{};
  const int code = virtual_time(CLOCK_REALTIME, &now, __builtin_return_address(0), __builtin_frame_address(0));
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return code;
}

extern "C" FARCAST_EXPORT time_t time(time_t* seconds) noexcept {
  timespec now{};
  virtual_time(CLOCK_REALTIME, &now, __builtin_return_address(0), __builtin_frame_address(0));
  if (seconds != nullptr) *seconds = now.tv_sec;
  return now.tv_sec;
}

extern "C" FARCAST_EXPORT int timespec_get(timespec* now, int base) noexcept {
  if (base != TIME_UTC) return 0;
  return virtual_time(CLOCK_REALTIME, now, __builtin_return_address(0), __builtin_frame_address(0)) == 0 ? base : 0;
}
