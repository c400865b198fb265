// The stream between two processes, as it is used: a writer that knows nothing of its reader.
#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <sched.h>
#include <sys/wait.h>
#include <unit/stream/shared_ring.h>
#include <vector>

using namespace farcast::stream;

namespace {

constexpr std::uint32_t kSegments = 64;

// Waits for the reader where the real writer would latch: a slow test machine must not fail the test.
void keep_room(SharedRing& shared, const RingWriter& writer) {
  while (writer.head() - shared.ring().drained.load(std::memory_order_acquire) > (kSegments - 2) * kSegmentSlots) sched_yield();
}

// Two slots per call: the call and a result extension.
[[noreturn]] void write_until(SharedRing& shared, std::uint64_t calls) {
  RingWriter writer;
  shared.attach(writer, kSegments);
  for (std::uint64_t i = 0; i < calls; ++i) {
    if (i % 1024 == 0) keep_room(shared, writer);
    if (!write_call(writer, i) || !write_word(writer, SlotKind::message, result_for(i))) _exit(1);
  }
  _exit(write_end(writer) ? 0 : 1);
}

// Returns: the number of calls in `slots` when they go on from `from` without a fault, checked to
// the last bit; -1 otherwise.
long follow(const std::vector<Slot>& slots, std::uint64_t& next, bool& in_call) {
  long calls = 0;
  for (const Slot& slot : slots) {
    if (slot.kind == SlotKind::end) continue;
    if (!in_call) {
      if (!complete(slot, next)) return -1;
      ++calls;
    } else {
      if (slot.kind != SlotKind::message || slot.extension.words[0] != result_for(next)) return -1;
      ++next;
    }
    in_call = !in_call;
  }
  return calls;
}

} // namespace

TEST_CASE("five million slots from another process") {
  constexpr std::uint64_t kCalls = 2'500'000;
  SharedRing shared;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) write_until(shared, kCalls);
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  std::uint64_t next = 0;
  bool in_call = false;
  bool good = true;
  bool gone = false;
  int status = 0;
  while (good) {
    gone = gone || waitpid(child, &status, WNOHANG) == child;
    out.clear();
    good = reader.drain(out, gone) == RingReader::Status::ok && follow(out, next, in_call) >= 0;
    if (gone && out.empty()) break;
    if (out.empty()) sched_yield();
  }
  if (!gone) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  REQUIRE(good);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(next == kCalls);
  CHECK(reader.drained() == 2 * kCalls + 1);
  CHECK(shared.rank().segments <= kSegments);
}

TEST_CASE("a writer killed in the middle leaves a readable stream") {
  SharedRing shared;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) write_until(shared, ~std::uint64_t{0});
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  std::uint64_t next = 0;
  bool in_call = false;
  bool good = true;
  while (good && next < 50000) {
    out.clear();
    good = reader.drain(out, false) == RingReader::Status::ok && follow(out, next, in_call) >= 0;
    if (out.empty()) sched_yield();
  }
  kill(child, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(good);
  const std::uint64_t published = reader.published();
  out.clear();
  REQUIRE(reader.drain(out, true) == RingReader::Status::ok);
  REQUIRE_FALSE(out.empty());
  CHECK(reader.drained() == published);
  // All but the last call are complete; of the last one, the entry.
  const auto last = std::find_if(out.rbegin(), out.rend(), [](const Slot& slot) { return slot.kind == SlotKind::call; });
  REQUIRE(last != out.rend());
  const std::vector<Slot> before(out.begin(), last.base() - 1);
  CHECK(follow(before, next, in_call) >= 0);
  CHECK_FALSE(in_call);
  CHECK(entered(*last, next));
}
