#include "libinterpose/thread.h"

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

// A thread that ends completes its last call. Its state stays: slots may still be read, and the memory is small.
void thread_exits(void* data) {
  auto* thread = static_cast<Thread*>(data);
  if (!thread->recording || !process.recording.load(std::memory_order_relaxed)) return;
  if (stream::Slot* slot = thread->ring.reserve()) {
    slot->kind = stream::SlotKind::end;
    thread->ring.publish();
  }
  thread->recording = false;
}

Thread* refuse_without_ring() {
  if (process.header != nullptr) process.header->refused_without_ring.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

} // namespace

Thread* enter_thread() {
  static thread_local bool entering __attribute__((tls_model("initial-exec"))) = false;
  if (entering) return nullptr; // our own start-up
  entering = true;
  start();
  entering = false;
  if (!process.recording.load(std::memory_order_acquire)) return process.started.load() ? refuse_without_ring() : nullptr;
  const int saved = errno;
  const std::uint32_t index = process.header->threads.fetch_add(1, std::memory_order_acq_rel);
  if (index >= stream::kMaxThreads) {
    process.header->threads.store(stream::kMaxThreads, std::memory_order_release);
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
  auto* ring = reinterpret_cast<stream::RingHeader*>(process.rings + stream::ring_offset(index));
  ring->thread_id = static_cast<std::int32_t>(syscall(SYS_gettid));
  thread->ring.attach(process.header, ring, process.file, process.settings.max_segments);
  thread->recording = true;
  thread->last_exit = ticks();
  pthread_once(&exit_key_once, [] { pthread_key_create(&exit_key, thread_exits); });
  pthread_setspecific(exit_key, thread);
  current = thread;
  errno = saved;
  return thread;
}

Thread* refuse(Thread* thread) {
  stream::RingHeader* ring = thread->ring.header();
  if (process.header != nullptr && !process.finalized) ring->refused.store(++thread->refused, std::memory_order_relaxed);
  return nullptr;
}

void out_of_room(Thread& thread) {
  thread.recording = false;
  switch_off("the predictor does not keep up and the buffer is full (FARCAST_BUFFER_MB)");
}

} // namespace farcast::interpose
