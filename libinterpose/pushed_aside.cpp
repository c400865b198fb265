#include "libinterpose/pushed_aside.h"

#include "libinterpose/clock.h"

#include "libinterpose/process.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace farcast::interpose {
namespace {

// Interrupts and a hypervisor's steal lie between the two clocks as well, and run_delay does not
// know them: what was found without it must stay small beside what is to be found with it.
constexpr std::int64_t kDoubtNs = 50'000;

bool is_open(const AsideClock& clock) {
  struct stat status {};
  return clock.schedstat >= 0 && fstat(clock.schedstat, &status) == 0 && status.st_dev == clock.device &&
         status.st_ino == clock.inode;
}

bool open_schedstat(AsideClock& clock) {
  constexpr int kOutOfTheWay = 960; // of descriptors that the host counts on; below the usual limit of 1024
  const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  int moved = fcntl(file, F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (moved < 0) moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(file);
  struct stat status {};
  if (moved < 0 || fstat(moved, &status) != 0) return false;
  clock.schedstat = moved;
  clock.device = status.st_dev;
  clock.inode = status.st_ino;
  return true;
}

// "time on the processor, time in the run queue, time slices", the first two in ns. Returns: the
// second; -1: there is none.
std::int64_t read_delay(AsideClock& clock) {
  if (!is_open(clock) && !open_schedstat(clock)) return -1;
  char text[96];
  const ssize_t got = pread(clock.schedstat, text, sizeof(text), 0);
  std::int64_t value = -1;
  for (ssize_t i = 0; i < got; ++i) {
    if (text[i] == ' ' && value >= 0) return value;
    if (text[i] == ' ')
      value = 0;
    else if (text[i] < '0' || text[i] > '9')
      return -1;
    else if (value >= 0)
      value = value * 10 + (text[i] - '0');
  }
  return -1;
}

} // namespace

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void start_aside(AsideClock& clock) {
  read_aside(clock);
  clock.delay_ns = read_delay(clock);
  clock.since_ns = 0;
  if (clock.delay_ns < 0) process.header->aside_partial.store(1, std::memory_order_relaxed);
}

std::uint64_t read_aside(AsideClock& clock) {
  const int saved = errno;
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const std::int64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::int64_t wall = clock_ns(CLOCK_MONOTONIC_RAW);
  std::int64_t aside = (wall - clock.wall_ns) - (cpu - clock.cpu_ns);
  if (usage.ru_nvcsw != clock.voluntary && !process.settings.cpu_clock) {
    const std::int64_t delay = clock.delay_ns < 0 ? -1 : read_delay(clock);
    aside = delay < 0 ? 0 : delay - clock.delay_ns - clock.since_ns;
    if (delay < 0 && clock.delay_ns >= 0) process.header->aside_partial.store(1, std::memory_order_relaxed);
    clock.delay_ns = delay;
    clock.since_ns = 0;
  } else {
    clock.since_ns += aside;
    if (clock.since_ns > kDoubtNs && clock.delay_ns >= 0) {
      clock.delay_ns = read_delay(clock);
      clock.since_ns = 0;
    }
  }
  clock.voluntary = usage.ru_nvcsw;
  clock.cpu_ns = cpu;
  clock.wall_ns = wall;
  clock.ticks = clock_ticks();
  aside -= static_cast<std::int64_t>(ns_of(clock.yielded_ticks));
  clock.yielded_ticks = 0;
  errno = saved;
  return aside > 0 ? static_cast<std::uint64_t>(aside) : 0;
}

void stop_aside(AsideClock& clock) {
  if (is_open(clock)) close(clock.schedstat);
  clock.schedstat = -1;
}

} // namespace farcast::interpose
