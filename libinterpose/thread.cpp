#include "libinterpose/thread.h"

#include "libinterpose/recorder.h"
#include "libinterpose/spin_guard.h"

#include <cerrno>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::interpose {

__thread Thread* current __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

pthread_key_t exit_key;
pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

// A thread that ends completes its last call. Its state stays: slots may still be read, and the
// memory is small.
void thread_exits(void* data) {
  auto* thread = static_cast<Thread*>(data);
  stop_aside(thread->aside);
  if (!thread->recording) return;
  stop_counters(*thread);
  close_polls(*thread);
  if (stream::Slot* slot = thread->ring.reserve()) {
    slot->extension = {};
    slot->kind = stream::SlotKind::end;
    thread->ring.publish();
  }
  thread->recording = false;
}

Thread* refuse_without_ring() {
  if (process.header != nullptr) process.header->refused_without_ring.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

// Returns: the number of this thread's ring, whose memory is reserved before any reader hears of
// it; -1 when there is none.
int take_ring() {
  static std::atomic_flag taking = ATOMIC_FLAG_INIT;
  const SpinGuard guard(taking);
  const std::uint32_t index = process.header->threads.load(std::memory_order_relaxed);
  const bool taken =
      index < stream::kMaxThreads && stream::reserve_blocks(process.file, stream::ring_offset(index), stream::kRingStride);
  if (taken) process.header->threads.store(index + 1, std::memory_order_release);
  return taken ? static_cast<int>(index) : -1;
}

} // namespace

Thread* enter_thread(void* caller, const char* function) {
  static thread_local bool entering __attribute__((tls_model("initial-exec"))) = false;
  if (entering) return nullptr; // our own start-up
  entering = true;
  start();
  entering = false;
  // What is refused is counted as what is recorded: calls of the program, not of the MPI library.
  if (!process.started.load() || process.header == nullptr || process.finalized || is_internal(caller, function)) return nullptr;
  if (!process.recording.load(std::memory_order_acquire)) return refuse_without_ring();
  const int saved = errno;
  const int index = file_is_ours() ? take_ring() : -1;
  if (index < 0) {
    errno = saved;
    return refuse_without_ring();
  }
  if (index > 0) process.multiple.store(true, std::memory_order_release);
  void* memory = mmap(nullptr, sizeof(Thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    errno = saved;
    return refuse_without_ring();
  }
  auto* thread = new (memory) Thread{};
  auto* ring = reinterpret_cast<stream::RingHeader*>(process.rings + stream::ring_offset(static_cast<std::uint32_t>(index)));
  ring->thread_id = static_cast<std::int32_t>(syscall(SYS_gettid));
  thread->ring.attach(process.header, ring, process.file, process.settings.max_segments, process.ranks_here);
  start_counters(*thread, index == 0);
  start_aside(thread->aside);
  thread->recording = true;
  thread->first = index == 0;
  thread->last_exit = clock_ticks();
  thread->until_sample = kCallsPerBurst;
  pthread_once(&exit_key_once, [] { pthread_key_create(&exit_key, thread_exits); });
  pthread_setspecific(exit_key, thread);
  current = thread;
  errno = saved;
  return thread;
}

Thread* refuse(Thread* thread, void* caller, const char* function) {
  if (classify(thread->sites, reinterpret_cast<std::uint64_t>(caller), function) == CallerKind::internal) return nullptr;
  stream::RingHeader* ring = thread->ring.header();
  if (process.header != nullptr && !process.finalized) ring->refused.store(++thread->refused, std::memory_order_relaxed);
  return nullptr;
}

void refuse_more(Thread& thread, std::uint64_t calls) {
  thread.refused += calls;
  thread.ring.header()->refused.store(thread.refused, std::memory_order_relaxed);
}

// Of the program's calls; one that was pushed aside, or waited for a new segment (which is counted
// apart), is none.
void take_sample(Thread& thread, std::uint64_t exit) {
  constexpr double kMostNs = 2000;
  const std::uint64_t cost = thread.front_ticks + (clock_ticks() - exit);
  const bool counts = thread.until_sample < kCountedPerBurst;
  if (thread.until_sample == 0) thread.until_sample = kCallsPerBurst;
  if (!counts || static_cast<double>(cost) > kMostNs * process.ticks_per_ns) return;
  stream::RingHeader* ring = thread.ring.header();
  ring->sampled_ticks.store(ring->sampled_ticks.load(std::memory_order_relaxed) + cost, std::memory_order_relaxed);
  ring->sampled_calls.store(ring->sampled_calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool is_left(Thread& thread, void* caller, const char* function) {
  // The MPI library calls itself inside a call; a program that does so, in a callback, is inside
  // one if one of our wrappers is further up the stack.
  if (classify(thread.sites, reinterpret_cast<std::uint64_t>(caller), function) == CallerKind::internal) return false;
  if (is_inside_wrapper()) return false;
  thread.frame = nullptr;
  return true;
}

void out_of_room(Thread& thread) {
  thread.recording = false;
  for (std::uint32_t i = 0; i < thread.open_polls; ++i) refuse_more(thread, thread.polls[i].calls);
  thread.open_polls = 0;
  switch_off(!thread.ring.denied()     ? "the predictor does not keep up and the buffer is full (FARCAST_BUFFER_MB)"
             : thread.ring.lost_file() ? "the program closed the descriptor of the buffer, which cannot grow any more"
                                       : "the system gives no more memory for the buffer");
}

} // namespace farcast::interpose
