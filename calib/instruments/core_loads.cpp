#include "calib/instruments/core_loads.h"

#include "predictor/base/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace farcast::instruments {

namespace {

constexpr int kStartTimeoutMs = 30000; // MPI_Init on a busy node

// Multiplies and adds in registers.
[[noreturn]] void compute_forever() {
  std::array<double, 16> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 + static_cast<double>(i);
  volatile double kept = 0.0;
  for (;;) {
    for (int round = 0; round < 100000; ++round) {
      for (double& value : values) value = value * 0.999999 + 1e-6;
    }
    kept = values[0] + values[15];
    if (kept < 0.0) _exit(1); // never: the loop must have a result
  }
}

// Streams through more memory than caches hold.
[[noreturn]] void stream_forever() {
  constexpr std::size_t kWords = std::size_t{8} << 20U;
  std::vector<std::uint64_t> words(kWords, 1);
  volatile std::uint64_t kept = 0;
  for (;;) {
    for (std::uint64_t& word : words) word += 3;
    kept = words[kWords / 2];
    if (kept == 0) _exit(1);
  }
}

[[noreturn]] void become_load(const std::string& workload, int core, const std::string& probe, int ready) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
  if (workload == "compute" || workload == "memory") {
    if (write(ready, "+", 1) != 1) _exit(1);
    if (workload == "compute") compute_forever();
    stream_forever();
  }
  dup2(ready, STDOUT_FILENO);
  execl(probe.c_str(), probe.c_str(), workload.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

} // namespace

CoreLoads::~CoreLoads() { stop(); }

void CoreLoads::stop() {
  for (const int child : children_) kill(child, SIGKILL);
  for (const int child : children_) base::wait_for(child);
  children_.clear();
}

bool CoreLoads::running() const {
  for (const int child : children_) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0) return false;
  }
  return true;
}

base::Result<void> CoreLoads::start(const std::string& workload, int count, const std::vector<int>& cores,
                                    const std::string& probe) {
  stop();
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return base::fail(fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t self = getpid();
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != self) _exit(1);
      close(ends[0]);
      become_load(workload, cores[static_cast<std::size_t>(i)], probe, ends[1]);
    }
    if (child > 0) children_.push_back(child);
  }
  close(ends[1]);
  int begun = 0;
  pollfd wait{ends[0], POLLIN, 0};
  while (begun < count && poll(&wait, 1, kStartTimeoutMs) > 0) {
    std::array<char, 64> marks{};
    const ssize_t got = read(ends[0], marks.data(), marks.size());
    if (got <= 0) break;
    begun += static_cast<int>(got);
  }
  close(ends[0]);
  if (begun >= count) return {};
  stop();
  return base::fail(fmt::format("{} of {} processes that should keep cores {} did not begin", count - begun, count, workload));
}

} // namespace farcast::instruments
