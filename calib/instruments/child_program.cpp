#include "calib/instruments/child_program.h"

#include "predictor/base/child_process.h"
#include "predictor/base/process_info.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace farcast::instruments {

namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t signal_received = 0;
volatile std::sig_atomic_t child_group = 0;

void on_signal(int signal) {
  signal_received = signal;
  if (child_group > 0) kill(-static_cast<pid_t>(child_group), SIGTERM);
}

// "farcast-calibrate-<host>-<pid>-XXXXXX": the host, because containers and nodes may share the
// folder, and not their processes.
std::string prefix() { return fmt::format("farcast-calibrate-{}-", base::host_name()); }

// Removes what processes of this user left that are no more.
void sweep(const fs::path& parent) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix())) continue;
    const long pid = std::strtol(name.c_str() + prefix().size(), nullptr, 10);
    struct stat status {};
    if (pid <= 0 || ::lstat(entry.path().c_str(), &status) != 0 || status.st_uid != getuid() || !S_ISDIR(status.st_mode))
      continue;
    if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), error);
  }
}

[[noreturn]] void become(const ChildProgram& child) {
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  struct stat input {};
  const bool file = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) && lseek(STDIN_FILENO, 0, SEEK_SET) == 0;
  if (!file) {
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
  }
  const int output = open(child.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const auto& [name, value] : child.environment) setenv(name.c_str(), value.c_str(), 1);
  base::become(child.command.front(), child.command);
  _exit(127);
}

// Returns: whether this process has a child, each of which got `signal`.
bool signal_children(int signal) {
  bool any = false;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || base::parent_of(pid) != getpid()) continue;
    any = true;
    kill(pid, signal);
  }
  return any;
}

void reap() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

// Ends what outlived a launcher that was ended: MPICH's leaves its proxy and the ranks waiting for
// one another where they are just starting. Whose parents are gone are our children
// (PR_SET_CHILD_SUBREAPER), and so in the next round are theirs.
void end_orphans() {
  constexpr int kRounds = 50;
  constexpr int kPatientRounds = 10; // in which they may end by themselves
  constexpr unsigned kPauseUs = 100'000;
  for (int round = 0; round < kRounds; ++round) {
    reap();
    if (!signal_children(round < kPatientRounds ? 0 : SIGKILL)) return;
    usleep(kPauseUs);
  }
}

} // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal; // without SA_RESTART: waitpid returns
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  struct sigaction before {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGCHLD, SIG_DFL); // where it is ignored, children cannot be waited for
}

base::Result<TemporaryFolder> TemporaryFolder::create() {
  watch_signals();
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return base::fail(fmt::format("no folder for temporary files: {}", error.message()));
  sweep(parent);
  std::string path = (parent / fmt::format("{}{}-XXXXXX", prefix(), getpid())).string();
  if (mkdtemp(path.data()) == nullptr)
    return base::fail(fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)));
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

int run_to_end(const ChildProgram& child) {
  if (signal_received != 0) return 128 + signal_received;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t pid = fork();
  if (pid < 0) return 126;
  if (pid == 0) become(child);
  setpgid(pid, pid);
  child_group = pid;
  if (signal_received != 0) kill(-pid, SIGTERM); // it came before there was a group
  int status = 0;
  constexpr unsigned kGraceSeconds = 10;
  constexpr unsigned kPauseUs = 100'000;
  unsigned pauses = 0;
  for (;;) {
    const pid_t ended = waitpid(pid, &status, signal_received == 0 ? 0 : WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) break;
    if (signal_received == 0) continue;
    usleep(kPauseUs);
    if (++pauses == kGraceSeconds * 10) kill(-pid, SIGKILL);
  }
  child_group = 0;
  reap();
  if (signal_received != 0) end_orphans();
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int ending_signal() { return signal_received; }

bool sleep_unless_ended(double seconds) {
  constexpr double kLongestNap = 0.1; // a signal that comes just before a nap is seen after it
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    if (signal_received != 0) return false;
    const double left = std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0.0) return true;
    const auto nap = static_cast<long>(std::min(left, kLongestNap) * 1e9);
    const timespec time{0, nap};
    nanosleep(&time, nullptr);
  }
}

std::string last_lines(const std::string& path, std::size_t count, const std::string& indent) {
  std::deque<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    lines.push_back(std::move(line));
    if (lines.size() > count) lines.pop_front();
  }
  std::string out;
  for (const std::string& line : lines) out += indent + line + "\n";
  return out;
}

} // namespace farcast::instruments
