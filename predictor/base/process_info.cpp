#include "predictor/base/process_info.h"

#include "libinterpose/stream/ticks.h"
#include "predictor/base/base_name.h"
#include "predictor/base/read_file.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
extern "C" {
#include <sys/pidfd.h> // glibc 2.36 forgot its C linkage
}

namespace farcast::base {

namespace {

std::int64_t raw_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

struct ClockPair {
  std::uint64_t ticks;
  std::int64_t ns;
};

// The reading with the least time between its two clocks, out of a few: an interruption in between
// would spoil the rate.
ClockPair read_clocks() {
  ClockPair best{};
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t before = stream::ticks();
    const std::int64_t ns = raw_ns();
    const std::uint64_t after = stream::ticks();
    if (after - before < least) {
      least = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

} // namespace

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "unknown";
}

std::string command_line(int pid) {
  std::string text = base::read_file(fmt::format("/proc/{}/cmdline", pid)).value_or("");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  return text;
}

std::string executable_path(int pid) {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink(fmt::format("/proc/{}/exe", pid).c_str(), path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

int parent_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return 0;
  char state = 0;
  int parent = 0;
  return std::sscanf(text.c_str() + bracket + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

namespace {

// Returns: whether the process opened its standard error for appending.
bool appends(int pid) {
  const std::string text = base::read_file(fmt::format("/proc/{}/fdinfo/2", pid)).value_or("");
  const std::size_t flags = text.find("flags:");
  return flags != std::string::npos && (std::strtol(text.c_str() + flags + std::strlen("flags:"), nullptr, 8) & O_APPEND) != 0;
}

// A file that was not opened for appending is written at the place where its other writers are: what
// stands at its end would be overwritten. So it is their opening of it, or none.
int open_stderr_of(int pid) {
  const std::string path = fmt::format("/proc/{}/fd/2", pid);
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    const int process = pidfd_open(pid, 0);
    const int theirs = process < 0 ? -1 : pidfd_getfd(process, 2, 0);
    if (process >= 0) close(process);
    if (theirs >= 0 || !appends(pid)) return theirs;
  }
  return open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

} // namespace

int open_stderr_of_ancestor(int pid, bool terminals_only) {
  // The outermost launcher is the one that the user looks at: mpirun, or the rank itself when there
  // is none.
  std::vector<int> chain;
  for (int at = pid; at > 1 && chain.size() < 8; at = parent_of(at)) {
    const std::string name = executable_path(at);
    const std::string base = base::base_name(name);
    chain.push_back(at);
    if (base.starts_with("orterun") || base.starts_with("mpi") || base.starts_with("srun") || base.starts_with("prterun")) break;
    if (base.starts_with("bash") || base.starts_with("dash") || base.starts_with("zsh")) {
      chain.pop_back();
      break;
    }
  }
  for (auto candidate = chain.rbegin(); candidate != chain.rend(); ++candidate) {
    const int fd = open_stderr_of(*candidate);
    if (fd < 0) continue;
    if (!terminals_only || isatty(fd) == 1) return fd;
    close(fd);
  }
  return -1;
}

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string iso_date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

double measure_ticks_per_second(int milliseconds) {
  const ClockPair first = read_clocks();
  const timespec pause{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  nanosleep(&pause, nullptr);
  const ClockPair second = read_clocks();
  return static_cast<double>(second.ticks - first.ticks) / (static_cast<double>(second.ns - first.ns) * 1e-9);
}

std::vector<int> usable_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

} // namespace farcast::base
