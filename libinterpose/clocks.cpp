// libfarcast-clocks.so: clock_gettime, gettimeofday, time and timespec_get tell the virtual time of a
// coupled run (`--virtual-clocks`). Preloaded then only.
//
// A clock is MPI_Wtime's virtual time and what the machine's clock is ahead of the machine's MPI_Wtime:
// so it goes on where it was at MPI_Init. Asked by the program alone, its libraries, and the runtimes
// of its language: never by MPI libraries and what they rest on, which wait by the machine's time. A
// look of the thread that takes part in the coupling is one of MPI_Wtime's (libfarcast); other threads
// are as far behind the machine's time as that was last, and stand still rather than go back. After
// MPI_Finalize clocks go on by the machine's, from the virtual time at which it was entered. Clocks of
// processor time stay as they are. Who waits until a time of such a clock waits as long by the
// machine's (std::condition_variable::wait_for does so), and the thread that takes part longer where
// others had its core: it looks whether the time has come.
// No allocation, no C++ runtime; asks the dynamic loader once for each place that calls, and not before
// there is a virtual time.
#include "libinterpose/stream/spread.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define FARCAST_EXPORT __attribute__((visibility("default")))

// Of libfarcast-<mpi>.so (coupled_wtime.h); null in a process without it.
extern "C" __attribute__((weak)) bool farcast_is_virtual();
extern "C" __attribute__((weak)) double farcast_behind();
extern "C" __attribute__((weak)) bool farcast_look(void* return_address, void* frame, double* seconds);
extern "C" __attribute__((weak)) double farcast_machine_wtime();

namespace {

using GetTime = int (*)(clockid_t, timespec*);

// Libraries that ask for themselves: MPI's, what they rest on, allocators (which our own look may be
// inside of), and ours.
constexpr const char* kNotTheProgram[] = {"libmpi",      "libopen-",   "libopal",   "libpmi",    "libprrte",    "libevent",
                                          "libuc",       "libhwloc",   "libfabric", "libpsm",    "libib",       "librdma",
                                          "libmca_",     "libfarcast", "mca_",      "libc.",     "libpthread",  "ld-",
                                          "libmunge",    "libslurm",   "libnl",     "libunwind", "libjemalloc", "libtcmalloc",
                                          "libmimalloc", "libcuda",    "libamdhip", "libhsa"};
constexpr std::size_t kPlaces = 512;
constexpr std::size_t kWays = 4;
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
  const std::size_t first = (farcast::stream::spread(address) >> 32) % kPlaces;
  std::size_t place = first;
  for (std::size_t way = 0; way < kWays; ++way) {
    place = first ^ way;
    const std::uint64_t verdict = __atomic_load_n(&known[place], __ATOMIC_RELAXED);
    if (verdict >> 1 == address) return (verdict & 1) != 0;
    if (verdict == 0) break;
  }
  const bool programs = is_programs(return_address);
  __atomic_store_n(&known[place], address << 1 | (programs ? 1 : 0), __ATOMIC_RELAXED);
  return programs;
}

bool is_virtual(void* return_address) {
  return farcast_is_virtual != nullptr && farcast_is_virtual() && asks_for_the_program(return_address);
}

// The C library's function of that name, which this one stands in front of.
template <class Function> class Real {
public:
  constexpr explicit Real(const char* name) : name_(name) {}
  Function get() {
    Function function = __atomic_load_n(&function_, __ATOMIC_RELAXED);
    if (function != nullptr) return function;
    function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name_)); // the same for all threads; found again at worst
    __atomic_store_n(&function_, function, __ATOMIC_RELAXED);
    return function;
  }

private:
  const char* name_;
  Function function_ = nullptr;
};

constinit Real<GetTime> real_gettime{"clock_gettime"};

int machine_time(clockid_t clock, timespec* time) {
  const GetTime function = real_gettime.get();
  return function == nullptr ? static_cast<int>(syscall(SYS_clock_gettime, clock, time)) : function(clock, time);
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

timespec timespec_of(std::int64_t ns) {
  timespec time{};
  time.tv_sec = ns / kSecond - (ns % kSecond < 0 ? 1 : 0);
  time.tv_nsec = ns - time.tv_sec * kSecond;
  return time;
}

__thread std::int64_t told[kClocks] __attribute__((tls_model("initial-exec"))); // [clock] to this thread last

int virtual_time(clockid_t clock, timespec* time, void* return_address, void* frame) {
  if (time == nullptr || !is_of_time(clock) || !is_virtual(return_address)) return machine_time(clock, time);
  double seconds = 0;
  std::int64_t ns = 0;
  if (farcast_look(return_address, frame, &seconds)) {
    ns = ns_of(seconds) + ahead_of_wtime(clock);
  } else {
    const int code = machine_time(clock, time);
    if (code != 0) return code;
    ns = ns_of(*time) - ns_of(seconds);
    if (ns < told[clock]) ns = told[clock];
  }
  told[clock] = ns;
  *time = timespec_of(ns);
  return 0;
}

// The clock of a time of today, where nobody says which it is: whose present time is nearer.
clockid_t clock_of(const timespec& time) {
  timespec real{}, since_boot{};
  machine_time(CLOCK_REALTIME, &real);
  machine_time(CLOCK_MONOTONIC, &since_boot);
  return time.tv_sec - since_boot.tv_sec > real.tv_sec - time.tv_sec ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

// The machine's time for one of a virtual clock, until which a caller there waits.
class Until {
public:
  static constexpr clockid_t kUnknown = -1; // the condition variable alone knows
  Until(clockid_t clock, const timespec* time, void* return_address, void* frame)
      : clock_(clock), asked_(time), time_(time), return_address_(return_address), frame_(frame) {
    if (time == nullptr || !can_be_moved(*time) || !is_virtual(return_address)) return;
    if (clock == kUnknown) clock_ = clock_of(*time);
    move();
    began_s_ = farcast_machine_wtime();
    began_virtual_s_ = began_s_ - behind_s_;
  }
  Until(const Until&) = delete;
  Until& operator=(const Until&) = delete;
  ~Until() = default;
  [[nodiscard]] const timespec* get() const { return time_; }
  // The machine's time has come. Returns: whether the virtual one has not, since some of what has passed
  // was not the program's (others had its core); get() is later then. Not where virtual time hardly goes
  // on while the program waits: over all of the wait, for others may have the core for long at its end,
  // and from the second time on, for they may have had it before its beginning.
  bool is_early() {
    if (time_ != &moved_) return false;
    const double machine_s = farcast_machine_wtime();
    double virtual_s = 0;
    if (!farcast_look(return_address_, frame_, &virtual_s)) return false;
    const bool goes_on = ++looks_ == 1 || virtual_s - began_virtual_s_ > kLeastPace * (machine_s - began_s_);
    if (!goes_on || ns_of(virtual_s) + ahead_of_wtime(clock_) >= ns_of(*asked_)) return false;
    const double behind_s = behind_s_;
    move();
    return behind_s_ > behind_s;
  }

private:
  static constexpr double kLeastPace = 0.1;
  static constexpr time_t kLastSecond = 1LL << 32; // in ns it is far from the ends of 64 bits

  static bool can_be_moved(const timespec& time) {
    return time.tv_sec >= 0 && time.tv_sec < kLastSecond && time.tv_nsec >= 0 && time.tv_nsec < kSecond;
  }
  void move() {
    behind_s_ = farcast_behind();
    const std::int64_t ns = ns_of(*asked_) + ns_of(behind_s_);
    moved_ = timespec_of(ns > 0 ? ns : 0);
    time_ = &moved_;
  }

  clockid_t clock_;
  timespec moved_{};
  const timespec* asked_;
  const timespec* time_;
  void* return_address_;
  void* frame_;
  double behind_s_ = 0;
  double began_s_ = 0;         // by the machine's MPI_Wtime
  double began_virtual_s_ = 0; // then, as far as it was known
  int looks_ = 0;
};

// Waits again while `wait` tells `over` too early. Returns: its last code.
template <class Wait> int wait_until(Until& until, int over, Wait wait) {
  int code = wait(until.get());
  while (code == over && until.is_early()) code = wait(until.get());
  return code;
}

// Semaphores say in errno what others return.
int code_of(int returned) { return returned == 0 ? 0 : errno; }
int waited(int code) {
  if (code == 0) return 0;
  errno = code;
  return -1;
}

constinit Real<int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real_timedwait{"pthread_cond_timedwait"};
constinit Real<int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> real_clockwait{"pthread_cond_clockwait"};
constinit Real<int (*)(pthread_mutex_t*, const timespec*)> real_timedlock{"pthread_mutex_timedlock"};
constinit Real<int (*)(pthread_mutex_t*, clockid_t, const timespec*)> real_clocklock{"pthread_mutex_clocklock"};
constinit Real<int (*)(sem_t*, const timespec*)> real_sem_timedwait{"sem_timedwait"};
constinit Real<int (*)(sem_t*, clockid_t, const timespec*)> real_sem_clockwait{"sem_clockwait"};
constinit Real<int (*)(clockid_t, int, const timespec*, timespec*)> real_nanosleep{"clock_nanosleep"};

// It may be null in spite of its declaration.
timeval* as_given(timeval* time) {
  asm("" : "+r"(time));
  return time;
}

} // namespace

extern "C" FARCAST_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  return virtual_time(clock, time, __builtin_return_address(0), __builtin_frame_address(0));
}

extern "C" FARCAST_EXPORT int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
  if (zone != nullptr) std::memset(zone, 0, sizeof(struct timezone)); // as the C library does
  timespec now{};
  const int code = virtual_time(CLOCK_REALTIME, &now, __builtin_return_address(0), __builtin_frame_address(0));
  if (timeval* const into = as_given(time)) *into = {now.tv_sec, now.tv_nsec / 1000};
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

extern "C" FARCAST_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  Until until(Until::kUnknown, time, __builtin_return_address(0), __builtin_frame_address(0));
  return wait_until(until, ETIMEDOUT, [&](const timespec* at) { return real_timedwait.get()(condition, mutex, at); });
}

extern "C" FARCAST_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                                     const timespec* time) {
  Until until(clock, time, __builtin_return_address(0), __builtin_frame_address(0));
  return wait_until(until, ETIMEDOUT, [&](const timespec* at) { return real_clockwait.get()(condition, mutex, clock, at); });
}

extern "C" FARCAST_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  Until until(CLOCK_REALTIME, time, __builtin_return_address(0), __builtin_frame_address(0));
  return wait_until(until, ETIMEDOUT, [&](const timespec* at) { return real_timedlock.get()(mutex, at); });
}

extern "C" FARCAST_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  Until until(clock, time, __builtin_return_address(0), __builtin_frame_address(0));
  return wait_until(until, ETIMEDOUT, [&](const timespec* at) { return real_clocklock.get()(mutex, clock, at); });
}

extern "C" FARCAST_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* time) {
  Until until(CLOCK_REALTIME, time, __builtin_return_address(0), __builtin_frame_address(0));
  return waited(
      wait_until(until, ETIMEDOUT, [&](const timespec* at) { return code_of(real_sem_timedwait.get()(semaphore, at)); }));
}

extern "C" FARCAST_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  Until until(clock, time, __builtin_return_address(0), __builtin_frame_address(0));
  return waited(
      wait_until(until, ETIMEDOUT, [&](const timespec* at) { return code_of(real_sem_clockwait.get()(semaphore, clock, at)); }));
}

extern "C" FARCAST_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  if ((flags & TIMER_ABSTIME) == 0 || !is_of_time(clock)) return real_nanosleep.get()(clock, flags, time, rest);
  Until until(clock, time, __builtin_return_address(0), __builtin_frame_address(0));
  return wait_until(until, 0, [&](const timespec* at) { return real_nanosleep.get()(clock, flags, at, rest); });
}
