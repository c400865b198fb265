#include "libinterpose/counters.h"

#include "libinterpose/slots.h"
#include "libinterpose/stream/papi_library.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace farcast::interpose {
namespace {

stream::Papi papi;
bool papi_ready = false;
std::uint32_t event_count = 0;
char event_names[stream::kMostCounters][sizeof(Settings::counters)];

// The first thing that went wrong, for the whole rank.
void give_up(const char* what, const char* reason) {
  stream::RankHeader& header = *process.header;
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::snprintf(header.counters_note, sizeof(header.counters_note), "%s: %s", what, reason);
  header.counters_off.store(1, std::memory_order_release);
}

const char* reason_of(int code) { return stream::reason_of(papi, code); }

unsigned long thread_number() { return static_cast<unsigned long>(pthread_self()); }

// Returns: the names fit. The settings hold them with commas between.
bool split_names() {
  const char* at = process.settings.counters;
  while (*at != '\0') {
    const char* comma = std::strchr(at, ',');
    const std::size_t length = comma == nullptr ? std::strlen(at) : static_cast<std::size_t>(comma - at);
    if (length > 0) {
      if (event_count == stream::kMostCounters) return false;
      std::memcpy(event_names[event_count], at, length);
      event_names[event_count++][length] = '\0';
    }
    at += length;
    if (*at == ',') ++at;
  }
  return true;
}

// Some virtual machines start a counter that never counts.
bool must_count(const char* name) {
  const char* const always[] = {"PAPI_TOT_INS",
                                "PAPI_TOT_CYC",
                                "PAPI_REF_CYC",
                                "perf::INSTRUCTIONS",
                                "perf::CYCLES",
                                "perf::PERF_COUNT_HW_INSTRUCTIONS",
                                "perf::PERF_COUNT_HW_CPU_CYCLES"};
  for (const char* known : always) {
    if (std::strcmp(name, known) == 0) return true;
  }
  return false;
}

bool counts_at_all(const CounterSet& set) {
  constexpr int kRounds = 20'000;
  volatile int work = 0;
  for (int i = 0; i < kRounds; ++i) work = work + i;
  long long values[stream::kMostCounters] = {};
  if (const int code = papi.read(set.events, values); code != PAPI_OK) {
    give_up(process.settings.counters, reason_of(code));
    return false;
  }
  for (std::uint32_t i = 0; i < set.count; ++i) {
    if (values[i] == 0 && must_count(event_names[i])) {
      give_up(event_names[i], "it was started, but this machine counts none");
      return false;
    }
  }
  return true;
}

// The kernel's counters are descriptors; PAPI leaves them open for programs that this one starts.
class NewDescriptors {
public:
  NewDescriptors() {
    for (int fd = 0; fd < kMost; ++fd) before_[fd] = fcntl(fd, F_GETFD) >= 0;
  }
  void close_on_exec() const {
    for (int fd = 0; fd < kMost; ++fd) {
      if (before_[fd]) continue;
      const int flags = fcntl(fd, F_GETFD);
      if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && is_counter(fd)) fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
  }

private:
  static constexpr int kMost = 1024;
  static bool is_counter(int fd) {
    char path[64];
    char target[64] = {};
    std::snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return readlink(path, target, sizeof(target) - 1) > 0 && std::strstr(target, "[perf_event]") != nullptr;
  }
  bool before_[kMost];
};

// Returns: all events are in the set, and it counts.
bool set_up(CounterSet& set) {
  set.events = PAPI_NULL;
  set.count = event_count;
  if (const int code = papi.create_eventset(&set.events); code != PAPI_OK) {
    give_up("PAPI_create_eventset", reason_of(code));
    return false;
  }
  for (std::uint32_t i = 0; i < event_count; ++i) {
    if (const int code = papi.add_named_event(set.events, event_names[i]); code != PAPI_OK) {
      give_up(event_names[i], reason_of(code));
      return false;
    }
  }
  // Virtual machines often know an event and cannot count it: that shows only here.
  if (const int code = papi.start(set.events); code != PAPI_OK) {
    give_up(process.settings.counters, reason_of(code));
    return false;
  }
  if (counts_at_all(set)) return true;
  long long values[stream::kMostCounters];
  papi.stop(set.events, values);
  return false;
}

void dismantle(CounterSet& set) {
  if (set.events == PAPI_NULL) return;
  papi.cleanup_eventset(set.events);
  papi.destroy_eventset(&set.events);
}

// What reading costs: regions must not be charged for it. Sets what one reading counts of itself,
// from one reading to the next, and Returns: the ticks of the two readings per call; 0 when a
// reading failed.
std::uint64_t calibrate(CounterSet& set) {
  constexpr int kRounds = 64;
  std::uint64_t best = ~std::uint64_t{0};
  for (std::uint64_t& own : set.own) own = ~std::uint64_t{0};
  long long before[stream::kMostCounters];
  long long after[stream::kMostCounters];
  int code = papi.read(set.events, before);
  for (int i = 0; i < kRounds && code == PAPI_OK; ++i) {
    const std::uint64_t from = stream::ticks();
    code = papi.read(set.events, after);
    const std::uint64_t took = stream::ticks() - from;
    if (took < best) best = took;
    for (std::uint32_t event = 0; event < set.count; ++event) {
      const auto own = static_cast<std::uint64_t>(after[event]) - static_cast<std::uint64_t>(before[event]);
      if (own < set.own[event]) set.own[event] = own;
      before[event] = after[event];
    }
  }
  if (code == PAPI_OK) return 2 * best;
  give_up(process.settings.counters, reason_of(code));
  return 0;
}

void read_into(Thread& thread, long long* values) {
  const int saved = errno;
  if (const int code = papi.read(thread.counters.events, values); code != PAPI_OK) {
    thread.counting = false;
    give_up(process.settings.counters, reason_of(code));
  }
  errno = saved;
}

} // namespace

void prepare_counters() {
  if (process.settings.counters[0] == '\0') return;
  std::snprintf(process.header->counters, sizeof(process.header->counters), "%s", process.settings.counters);
  if (!split_names()) return give_up("FARCAST_COUNTERS", "more than 16 events");
  if (event_count == 0) return give_up("FARCAST_COUNTERS", "no event");
  if (stream::papi_is_loaded()) return give_up(process.settings.counters, "the program has PAPI loaded and may count for itself");
  void* library = stream::open_papi();
  if (library == nullptr) return give_up(process.settings.counters, stream::kNoPapi);
  if (!stream::find_papi_functions(library, papi))
    return give_up(process.settings.counters, "the installed PAPI lacks functions");
  if (const int code = stream::init_papi(papi); code != PAPI_OK) return give_up("PAPI_library_init", reason_of(code));
  if (const int code = papi.thread_init(thread_number); code != PAPI_OK) return give_up("PAPI_thread_init", reason_of(code));
  papi_ready = true;
}

void start_counters(Thread& thread, bool first) {
  if (!papi_ready) return;
  const NewDescriptors fresh;
  CounterSet& set = thread.counters;
  if (!set_up(set)) return dismantle(set);
  fresh.close_on_exec();
  const std::uint64_t cost = calibrate(set);
  if (cost == 0) return;
  if (first) {
    process.header->overhead_ticks += cost;
    process.header->call_cost_ticks += cost;
  }
  thread.counting = true;
  read_counters_at_exit(thread);
}

void stop_counters(Thread& thread) {
  if (!thread.counting) return;
  thread.counting = false;
  long long values[stream::kMostCounters];
  papi.stop(thread.counters.events, values);
  dismantle(thread.counters);
  papi.unregister_thread();
}

void read_counters_at_entry(Thread& thread) { read_into(thread, thread.counters.at_entry); }

void write_counters(Thread& thread) {
  const CounterSet& set = thread.counters;
  SlotList<std::uint64_t> list(thread, stream::SlotKind::counters);
  for (std::uint32_t i = 0; i < set.count; ++i) {
    const std::uint64_t counted = static_cast<std::uint64_t>(set.at_entry[i]) - static_cast<std::uint64_t>(set.at_exit[i]);
    list.add(counted > set.own[i] ? counted - set.own[i] : 0);
  }
}

void read_counters_at_exit(Thread& thread) { read_into(thread, thread.counters.at_exit); }

} // namespace farcast::interpose
