#include "libinterpose/other_threads.h"

#include "libinterpose/process.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::interpose {
namespace {

constexpr std::size_t kMostThreads = 1024; // of a process; those beyond are not looked at
constexpr std::size_t kMostLibraryThreads = 32;
constexpr std::int64_t kComputingShare = 20; // a thread computed if it used 1 / 20 of what the busiest one did,
constexpr std::int64_t kLeastNs = 5'000'000; // and that much: short programs have helpers too (asynchronous I/O, timers)

struct ThreadList {
  std::size_t count;
  pid_t ids[kMostThreads];
};
constinit ThreadList own_threads{};  // of the program: there before the MPI call that is under way
constinit ThreadList threads_now{};  // scratch: too large for the stack of a thread of the host
constinit nlink_t threads_known = 0; // links of /proc/self/task when a list was last made; 0: never

struct LibraryThread {
  pid_t id;
  std::int64_t cpu_ns; // as it was last read: stays when the thread ends
};
constinit LibraryThread library_threads[kMostLibraryThreads]{};
constinit std::size_t library_count = 0;
constinit std::int64_t ended_library_ns = 0; // CPU time of those that have ended

struct Readings {
  std::int64_t wall_ns;
  std::int64_t own_ns;
  std::int64_t process_ns; // without the MPI library's threads
};
constinit Readings last{};

struct DirectoryEntry { // as the kernel writes it
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  unsigned char type;
  char name[1]; // and more
};

// opendir would allocate.
void list_threads(ThreadList& out) {
  out.count = 0;
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(DirectoryEntry) char buffer[4096];
  for (;;) {
    const long got = syscall(SYS_getdents64, folder, buffer, sizeof(buffer));
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      const long id = std::strtol(entry->name, nullptr, 10); // "." and ".." are 0
      if (id > 0 && out.count < kMostThreads) out.ids[out.count++] = static_cast<pid_t>(id);
      at += entry->length;
    }
  }
  close(folder);
}

bool contains(const ThreadList& list, pid_t id) {
  return std::find(list.ids, list.ids + list.count, id) != list.ids + list.count;
}

bool is_library_thread(pid_t id) {
  return std::any_of(library_threads, library_threads + library_count,
                     [id](const LibraryThread& thread) { return thread.id == id; });
}

// Returns: links of /proc/self/task, which are two more than the process has threads; 0: unknown.
nlink_t thread_links() {
  struct stat status {};
  return stat("/proc/self/task", &status) == 0 ? status.st_nlink : 0;
}

// Returns: the CPU time of a thread of this process; -1: it is gone. The clock's number is what
// pthread_getcpuclockid() makes of a thread, for one whose pthread_t nobody knows.
std::int64_t cpu_ns_of(pid_t thread) {
  constexpr unsigned kPerThreadScheduled = 6; // CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kPerThreadScheduled);
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return -1;
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::int64_t program_cpu_ns() {
  std::int64_t sum = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  for (std::size_t i = 0; i < library_count; ++i) {
    LibraryThread& thread = library_threads[i];
    if (const std::int64_t used = cpu_ns_of(thread.id); used >= 0) thread.cpu_ns = used;
    sum -= thread.cpu_ns;
  }
  return sum - ended_library_ns;
}

// The clocks of process and thread, read together: what a hypervisor takes from the thread between them
// counts as its own, in one of them alone, and would be other threads' on any number of cores.
// `now`: the thread's was just read. Returns: false: it did so time after time.
bool read_together(Readings& now) {
  constexpr std::int64_t kTogetherNs = 50'000;
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t before = now.own_ns;
    now.process_ns = program_cpu_ns();
    now.own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (now.own_ns - before <= kTogetherNs) return true;
  }
  return false;
}

// Makes room for other threads: glibc's for asynchronous files end after a second without work.
void drop_ended_library_threads() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < library_count; ++i) {
    if (contains(threads_now, library_threads[i].id))
      library_threads[kept++] = library_threads[i];
    else
      ended_library_ns += library_threads[i].cpu_ns;
  }
  library_count = kept;
}

// Those that `threads_now` has and `own_threads` has not.
void add_library_threads() {
  for (std::size_t i = 0; i < threads_now.count && library_count < kMostLibraryThreads; ++i) {
    const pid_t id = threads_now.ids[i];
    if (!contains(own_threads, id) && !is_library_thread(id)) library_threads[library_count++] = {id, 0};
  }
}

// Adds the cores that a thread may use to those that the rank may use.
void add_cores(pid_t thread) {
  unsigned long mask[stream::kCoreWords] = {};
  static_assert(sizeof(unsigned long) == sizeof(std::uint64_t));
  if (syscall(SYS_sched_getaffinity, thread, sizeof(mask), mask) <= 0) return; // more cores than fit: they stay unknown
  for (std::size_t i = 0; i < stream::kCoreWords; ++i) process.header->cores[i] |= mask[i];
}

} // namespace

void note_own_threads() {
  if (process.header == nullptr || process.saw_init) return;
  const int saved = errno;
  list_threads(own_threads);
  errno = saved;
}

void note_library_threads() {
  if (process.header == nullptr || library_count > 0) return;
  const int saved = errno;
  list_threads(threads_now);
  add_cores(0); // MPI_Init may have bound the rank
  add_library_threads();
  errno = saved;
}

void note_threads_before_file_call() {
  const int saved = errno;
  if (const nlink_t links = thread_links(); links != threads_known) {
    list_threads(own_threads);
    threads_known = links;
  }
  errno = saved;
}

void note_threads_after_file_call() {
  const int saved = errno;
  if (const nlink_t links = thread_links(); links != threads_known) {
    list_threads(threads_now);
    drop_ended_library_threads();
    add_library_threads();
    threads_known = 0; // what went meanwhile may be the program's: the next call makes its list anew
  }
  errno = saved;
}

stream::Others read_others(const AsideClock& own) {
  const std::int64_t passed = own.wall_ns - last.wall_ns;
  if (passed < kOthersNs) return {};
  const int saved = errno;
  Readings now{own.wall_ns, own.cpu_ns, 0};
  const bool together = read_together(now);
  errno = saved;
  if (!together) return {};
  const std::int64_t own_ns = now.own_ns - last.own_ns;
  const std::int64_t others = now.process_ns - last.process_ns - own_ns;
  const bool first = last.wall_ns == 0;
  last = now;
  if (first || others < passed / kNoticedShare) return {};
  if (passed >= kPeakNs) {
    const auto cores = static_cast<std::uint32_t>(100 * (others + own_ns) / passed);
    std::atomic<std::uint32_t>& peak = process.header->peak_cores;
    if (cores > peak.load(std::memory_order_relaxed)) peak.store(cores, std::memory_order_relaxed);
  }
  return {static_cast<std::uint64_t>(others), static_cast<std::uint64_t>(std::max<std::int64_t>(own_ns, 0)),
          static_cast<std::uint64_t>(passed)};
}

void count_threads() {
  const int saved = errno;
  static std::int64_t used[kMostThreads];
  ThreadList& now = threads_now;
  list_threads(now);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < now.count; ++i) {
    used[i] = is_library_thread(now.ids[i]) ? -1 : cpu_ns_of(now.ids[i]);
    most = std::max(most, used[i]);
    if (used[i] >= 0) add_cores(now.ids[i]);
  }
  const auto alive = std::count_if(used, used + now.count, [](std::int64_t ns) { return ns >= 0; });
  const std::int64_t least = std::max(most / kComputingShare, kLeastNs);
  const auto computing = std::count_if(used, used + now.count, [least](std::int64_t ns) { return ns > least; });
  process.header->program_threads = static_cast<std::uint32_t>(alive);
  process.header->computing_threads = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(computing, alive > 0 ? 1 : 0));
  errno = saved;
}

} // namespace farcast::interpose
