#include "libinterpose/process.h"

#include "libinterpose/channel.h"
#include "libinterpose/counters.h"
#include "libinterpose/coupled_board.h"
#include "libinterpose/isolation.h"
#include "libinterpose/other_threads.h"
#include "libinterpose/pushed_aside.h"
#include "libinterpose/real.h"
#include "libinterpose/stream/ring_writer.h"
#include "libinterpose/thread.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace farcast::interpose {

constinit Process process{};

namespace {

constexpr std::size_t kFixedBytes = stream::kSegmentsOffset;
constexpr std::uint32_t kDefaultBufferMb = 512;
#ifdef FARCAST_OPENMPI
constexpr const char* kLibrary = "an Open MPI program";
constexpr const char* kOtherLibrary = "MPICH";
#else
constexpr const char* kLibrary = "an MPICH program";
constexpr const char* kOtherLibrary = "Open MPI";
#endif

bool first_rank_here() { return local_rank() <= 0; }

struct Identity { // of an open file
  dev_t device;
  ino_t inode;
};
constinit Identity stderr_identity{}; // as it was when recording started
constinit Identity socket_identity{};
constinit Identity file_identity{};

bool identify(int fd, Identity& out) {
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) return false;
  out = {status.st_dev, status.st_ino};
  return true;
}

bool is_same(int fd, const Identity& known) {
  Identity now{};
  return identify(fd, now) && now.device == known.device && now.inode == known.inode;
}

// Descriptors of ours stay out of the host's way: it may have closed 0, 1 or 2, or count on getting
// the lowest number. Takes `fd`. Returns: its new number; -1 when there is none (the descriptor is
// closed then).
int move_up(int fd) {
  constexpr int kOutOfTheWay = 960; // below the usual limit of 1024
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (moved < 0) moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return moved;
}

// Before start-up descriptor 2 is taken for what it should be; later it must still be the same: a
// host that closed it may have got its number for a data file.
void say(const char* format, const char* detail) {
  if (stderr_identity.inode != 0 && !is_same(STDERR_FILENO, stderr_identity)) return;
  char line[512];
  const int length = std::snprintf(line, sizeof(line), format, detail);
  if (length > 0 &&
      write(STDERR_FILENO, line,
            static_cast<std::size_t>(length) < sizeof(line) ? static_cast<std::size_t>(length) : sizeof(line) - 1) < 0)
    return;
}

void copy_variable(const char* name, char* out, std::size_t size) {
  const char* text = std::getenv(name);
  std::snprintf(out, size, "%s", text == nullptr ? "" : text);
}

std::uint32_t number_variable(const char* name, std::uint32_t otherwise, std::uint32_t low, std::uint32_t high) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  const long value = std::strtol(text, nullptr, 10);
  if (value < static_cast<long>(low)) return low;
  return value > static_cast<long>(high) ? high : static_cast<std::uint32_t>(value);
}

// As the predictor reads it (predictor/live/settings.cpp).
bool flag_variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0 && std::strcmp(text, "no") != 0 &&
         std::strcmp(text, "off") != 0;
}

void read_settings(Settings& settings) {
  settings.stack_depth = number_variable("FARCAST_STACK", 1, 1, kMaxStack);
  const std::uint32_t megabytes = number_variable("FARCAST_BUFFER_MB", kDefaultBufferMb, 1, 1024);
  settings.max_segments = megabytes * static_cast<std::uint32_t>(1024 * 1024 / stream::kSegmentBytes);
  copy_variable("FARCAST_SKIP_LIB", settings.skip_libraries, sizeof(settings.skip_libraries));
  copy_variable("FARCAST_COUNTERS", settings.counters, sizeof(settings.counters));
  settings.isolate = number_variable("FARCAST_ISOLATE", 0, 0, 1u << 16);
  settings.coupled = flag_variable("FARCAST_COUPLED");
  settings.real_wtime = flag_variable("FARCAST_REAL_WTIME");
  settings.one_thread = flag_variable("FARCAST_ONE_THREAD");
  const char* on_fault = std::getenv("FARCAST_ON_FAULT");
  settings.ends_on_fault = on_fault != nullptr && std::strcmp(on_fault, "end") == 0;
  settings.fixed_clock = std::getenv("FARCAST_FIXED_CLOCK") != nullptr;
  settings.poll_ns = number_variable("FARCAST_FIXED_CLOCK", 0, 0, 1'000'000'000);
  settings.cpu_clock = flag_variable("FARCAST_CPU_CLOCK");
  stack_depth = settings.stack_depth;
}

// A memory file: not in /dev/shm, gone with its last user, and sealed so that the reader can trust
// its size.
bool make_file() {
  int file = memfd_create("farcast-stream", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0) file = move_up(file);
  if (file < 0) return false;
  // The rings of further threads are reserved when those come: 128 ranks would hold 200 MB for
  // threads that they do not have.
  if (!stream::reserve_blocks(file, 0, stream::ring_offset(1)) || !stream::set_size(file, kFixedBytes) ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    close(file);
    return false;
  }
  void* memory = mmap(nullptr, kFixedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    close(file);
    return false;
  }
  process.file = file;
  identify(file, file_identity);
  process.header = new (memory) stream::RankHeader;
  process.rings = static_cast<char*>(memory);
  return true;
}

void drop_file() {
  munmap(process.header, kFixedBytes);
  close(process.file);
  if (process.socket >= 0) close(process.socket);
  process.header = nullptr;
  process.file = process.socket = -1;
}

void fork_child() {
  end_isolation(false); // the token is the parent's
  process.recording.store(false, std::memory_order_relaxed);
  process.socket = -1; // close-on-exec keeps it from exec'd programs; a plain child must not keep the connection open
  process.header = nullptr;
  if (current != nullptr) current->recording = false;
  current = nullptr;
}

constinit int socket_before_fork = -1;
void fork_prepare() { socket_before_fork = open_socket(); }
void fork_in_child() {
  if (socket_before_fork >= 0) close(socket_before_fork);
  fork_child();
}

void give_up(const char* why) { tell_first(why, "the program runs unwatched"); }

// Returns: this process is the one that `farcast exec` turned into the program, and it has run no
// other program since.
bool is_exec_target() {
  const char* text = std::getenv("FARCAST_EXEC_PID"); // "<pid>:<page faults of children before>"
  if (text == nullptr) return false;
  char* faults = nullptr;
  if (std::strtol(text, &faults, 10) != getpid() || *faults != ':') return false;
  rusage children{};
  return getrusage(RUSAGE_CHILDREN, &children) != 0 || children.ru_minflt <= std::strtol(faults + 1, nullptr, 10);
}

constinit bool exec_target = false;
constinit int early_stderr = -1; // for at_exit(): some programs close their standard error before destructors run

void start_once() {
  const int saved = errno;
  exec_target = early_stderr >= 0 || is_exec_target(); // starting the predictor counts as running a program
  if (early_stderr >= 0) close(early_stderr);
  early_stderr = -1;
  if (const char* off = std::getenv("FARCAST_OFF"); off != nullptr && *off != '\0' && std::strcmp(off, "0") != 0) return;
  process.socket = -1;
  if (!identify(STDERR_FILENO, stderr_identity)) stderr_identity.inode = ~ino_t{0}; // closed: nothing is ever said
  if (!is_our_library()) {
    give_up("the program's MPI library is not the one that this libfarcast is for");
    return;
  }
  if (const int ranks = ranks_of_other_launcher(); ranks > 0) {
    char why[200];
    std::snprintf(why, sizeof(why), "%d ranks of %s were started by the launcher of %s, and each is alone", ranks, kLibrary,
                  kOtherLibrary);
    give_up(why);
    return;
  }
  read_settings(process.settings);
  const char* error = nullptr;
  if (!make_file()) {
    give_up("no memory for recording");
    errno = saved;
    return;
  }
  stream::RankHeader& header = *process.header;
  header.magic = stream::kMagic;
  header.version = stream::kVersion;
  header.pid = getpid();
  header.world_rank = -1;
  header.stack_depth = process.settings.stack_depth;
  header.cpu_clock = process.settings.cpu_clock ? 1 : 0;
  set_clock(header);
  process.ranks_here = local_ranks() > 0 ? static_cast<std::uint32_t>(local_ranks()) : 1;
  prepare_call_sites();
  prepare_counters();
  pthread_atfork(fork_prepare, nullptr, fork_in_child);
  process.socket = connect_predictor(&error);
  if (process.socket >= 0) process.socket = move_up(process.socket);
  identify(process.socket, socket_identity);
  if (process.socket < 0 || !send_hello(process.socket, process.file,
                                        process.settings.isolate | (process.settings.coupled ? stream::kAsksForClocks : 0))) {
    char why[256];
    std::snprintf(why, sizeof(why), "no predictor: %s", error);
    give_up(why);
    drop_file();
    errno = saved;
    return;
  }
  if (process.settings.isolate > 0 && !join_gate(process.socket, process.settings.isolate))
    tell_first("no gate came from the predictor", "all ranks compute at a time");
  if (process.settings.coupled) board.join(process.socket); // else ranks that poll ask more often
  send_modules(process.socket);
  process.recording.store(true, std::memory_order_release);
  errno = saved;
}

// A program run by `farcast exec` that never calls MPI: say so, or the user waits for a report that
// cannot come. A launcher script is silent: its children are the programs.

__attribute__((constructor)) void at_load() {
  constexpr int kOutOfTheWay = 500;
  if (!process.started.load(std::memory_order_relaxed) && is_exec_target())
    early_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, kOutOfTheWay);
}

__attribute__((destructor)) void at_exit() {
  if (early_stderr < 0 || process.started.load(std::memory_order_relaxed) || !is_exec_target() || !first_rank_here()) return;
  constexpr const char kText[] = "farcast: the program ended without a call to MPI: nothing to predict\n";
  if (write(early_stderr, kText, sizeof(kText) - 1) < 0) return;
}

} // namespace

bool was_exec_target() { return exec_target; }

// A launcher that ends a job may lose what its own process has not fetched from the pipe by then.
void await_said() {
  constexpr int kLooks = 200;
  constexpr long kPauseNs = 10'000'000;
  if (!is_same(STDERR_FILENO, stderr_identity)) return;
  for (int look = 0; look < kLooks; ++look) {
    int left = 0;
    if (ioctl(STDERR_FILENO, FIONREAD, &left) != 0 || left == 0) return;
    const timespec pause{0, kPauseNs};
    nanosleep(&pause, nullptr);
  }
}

void tell_first(const char* why, const char* so) {
  if (first_rank_here()) tell(why, so);
}

void print_texts(int socket) {
  const bool stderr_ours = is_same(STDERR_FILENO, stderr_identity);
  if (socket >= 0) relay_texts(socket, stderr_ours ? STDERR_FILENO : -1);
}

void tell(const char* why, const char* so) {
  char sentence[400];
  std::snprintf(sentence, sizeof(sentence), "%s; %s", why, so);
  say("farcast: %s\n", sentence);
}

int open_socket() { return process.socket >= 0 && is_same(process.socket, socket_identity) ? process.socket : -1; }

bool file_is_ours() { return is_same(process.file, file_identity); }

void start() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    start_once();
    process.started.store(true, std::memory_order_release);
  });
}

void switch_off(const char* reason) {
  if (!process.recording.exchange(false)) return;
  end_isolation(true);
  if (process.header != nullptr) {
    std::snprintf(process.header->off_reason, sizeof(process.header->off_reason), "%s", reason);
    process.header->state.store(static_cast<std::uint32_t>(stream::RankState::off), std::memory_order_release);
  }
  const int saved = errno;
  say("farcast: recording stopped: %s; the program goes on unwatched\n", reason);
  errno = saved;
}

void after_init(int rank, int size, bool multithreaded, const char* mpi_version) {
  if (!process.recording.load(std::memory_order_relaxed) || process.saw_init) return;
  process.saw_init = true;
  stream::RankHeader& header = *process.header;
  header.world_rank = rank;
  header.world_size = size;
  header.multithreaded = multithreaded ? 1 : 0;
  std::snprintf(header.mpi_version, sizeof(header.mpi_version), "%s", mpi_version);
  header.state.store(static_cast<std::uint32_t>(stream::RankState::running), std::memory_order_release);
  const int saved = errno;
  send_modules(open_socket());
  errno = saved;
}

void before_finalize() {
  if (process.header == nullptr || process.finalized) return;
  const int saved = errno;
  end_isolation(true);
  process.finalized = true;
  if (process.recording.load(std::memory_order_relaxed)) {
    send_modules(open_socket());
    count_threads();
    process.header->state.store(static_cast<std::uint32_t>(stream::RankState::finalized), std::memory_order_release);
  }
  const bool waits = process.header->world_rank == 0 || local_rank() == 0;
  // A program may close its standard error, or put another file there; one that began without any wants
  // to hear nothing.
  const bool prints = waits && (stderr_identity.inode == ~ino_t{0} || is_same(STDERR_FILENO, stderr_identity));
  send_finalized(open_socket(), prints ? stream::kPrintsReport : waits ? stream::kWaitsForReport : 0);
  errno = saved;
}

void after_finalize() {
  if (process.header == nullptr || process.socket < 0) return;
  const int saved = errno;
  process.recording.store(false, std::memory_order_release);
  const int socket = open_socket(); // -1: the program closed it; the predictor reports by itself then
  const bool stderr_ours = is_same(STDERR_FILENO, stderr_identity);
  if (socket >= 0 && (process.header->world_rank == 0 || local_rank() == 0)) {
    if (!relay_report(socket, stderr_ours ? STDERR_FILENO : -1))
      say("farcast: %s\n", "the predictor is gone or stopped: no report");
  }
  if (socket >= 0) close(socket);
  process.socket = -1;
  errno = saved;
}

} // namespace farcast::interpose
