// farcast_bottle_switch PREFIX HOSTS BITS_PER_SECOND LATENCY_US BACKBONE_BITS_PER_SECOND
// STATISTICS_FILE Started by scripts/bottle/bottle, which checks the arguments. Prints "up" when
// the hosts can be configured. SIGUSR1: statistics.
#include "switch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

volatile std::sig_atomic_t stop = 0;
volatile std::sig_atomic_t report = 0;

void on_stop(int /*signal*/) { stop = 1; }
void on_report(int /*signal*/) { report = 1; }

// Above the ranks, which run at 10: the network must not wait for them.
constexpr int kPriority = 50;

void become_punctual() {
  sched_param parameters{};
  parameters.sched_priority = kPriority;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) std::perror("bottle switch: no real-time priority");
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) std::perror("bottle switch: memory is not locked");
  ::prctl(PR_SET_TIMERSLACK, 1UL);
}

// Idle cores wait actively while the switch is up: waking a sleeping one takes tens to hundreds of
// microseconds on a virtual machine, more the longer it has slept. The kernel takes the wish back
// when the file is closed, so when the switch ends in whatever way. (Linux,
// Documentation/power/pm_qos_interface.rst)
void wish_awake_cores() {
  constexpr std::int32_t kNoLatency = 0; // us
  const int wish = ::open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
  if (wish < 0 || ::write(wish, &kNoLatency, sizeof kNoLatency) != sizeof kNoLatency)
    std::perror("bottle switch: idle cores may sleep");
}

// A kernel without a driver for idle states, as on some virtual machines, halts idle cores whatever
// is wished. So each core has a thread that does nothing, and gets the core only while nobody else
// wants it (SCHED_IDLE); it counts as nice.
void* idle_actively(void* core) {
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(*static_cast<int*>(core), &own);
  const sched_param none{};
  if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0 || ::setpriority(PRIO_PROCESS, 0, 19) != 0 ||
      ::sched_setaffinity(0, sizeof own, &own) != 0)
    return nullptr;                       // not at others' cost
  for (;;) asm volatile("" ::: "memory"); // until the process ends
}

void keep_cores_awake() {
  wish_awake_cores();
  static std::array<int, CPU_SETSIZE> cores;
  const auto count = std::min<long>(CPU_SETSIZE, ::sysconf(_SC_NPROCESSORS_ONLN));
  for (int core = 0; core < count; ++core) {
    cores[static_cast<std::size_t>(core)] = core;
    pthread_t thread{};
    if (::pthread_create(&thread, nullptr, idle_actively, &cores[static_cast<std::size_t>(core)]) == 0) ::pthread_detach(thread);
  }
}

bool parse_number(const char* text, double least, double& value) {
  char* end = nullptr;
  value = std::strtod(text, &end);
  return end != text && *end == '\0' && std::isfinite(value) && value >= least;
}

} // namespace

int main(int argc, char** argv) {
  farcast::bottle::SwitchOptions options;
  double hosts = 0;
  const bool understood = argc == 7 && parse_number(argv[2], 2, hosts) && parse_number(argv[3], 1, options.bits_per_second) &&
                          parse_number(argv[4], 0, options.latency_us) &&
                          parse_number(argv[5], 0, options.backbone_bits_per_second);
  if (!understood) {
    std::fprintf(stderr, "usage: farcast_bottle_switch PREFIX HOSTS BITS_PER_SECOND LATENCY_US BACKBONE_BITS_PER_SECOND FILE\n");
    return 2;
  }
  options.prefix = argv[1];
  options.hosts = static_cast<std::size_t>(hosts);
  options.statistics_path = argv[6];
  std::signal(SIGTERM, on_stop);
  std::signal(SIGINT, on_stop);
  std::signal(SIGUSR1, on_report);
  try {
    farcast::bottle::Switch network(options);
    keep_cores_awake();
    become_punctual();
    std::puts("up");
    std::fflush(stdout);
    network.run(stop, report);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bottle switch: %s\n", error.what());
    return 1;
  }
  return 0;
}
