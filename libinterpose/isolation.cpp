#include "libinterpose/isolation.h"

#include "libinterpose/channel.h"
#include "libinterpose/process.h"
#include "libinterpose/sealed_memory.h"
#include "libinterpose/stream/gate.h"
#include "libinterpose/thread.h"

#include <cerrno>
#include <dlfcn.h>
#include <unistd.h>

namespace farcast::interpose {

std::atomic<bool> isolated{false};
unsigned* (*idle_word)();
bool (*owed_progress)();

namespace {

// A program that looks for a message between two pieces of work computes; one that only looks waits.
constexpr std::uint64_t kPollsOfAWait = 64;  // in one row
constexpr std::uint32_t kPollsAtMost = 4096; // since it last waited, whatever stood between

stream::Gate* gate;
std::uint32_t seat;
Thread* owner;               // the thread that takes part
bool holding;                // as far as this rank knows
std::uint32_t polls;         // since the last call that waited
unsigned at_rest = kPollsOn; // what idle_word is where the owner does not wait apart

constexpr std::int64_t kProgressMs = 1; // between two rounds of it, of a rank that waits for its turn

bool predictor_is_gone(void* /*context*/) {
  const int socket = open_socket();
  return socket < 0 || is_gone(socket);
}

bool is_to_give_up(void* context) {
  owed_progress();
  return predictor_is_gone(context);
}

void give_back_to(stream::Gate& here) {
  stream::give_token_back(here, seat);
  holding = false;
}

void give_back_held() {
  stream::Gate* here = gate;
  if (holding && here != nullptr) give_back_to(*here);
}

void set_idle(unsigned value) {
  if (idle_word != nullptr) *idle_word() = value;
}

void find_idle_word() {
  if (idle_word != nullptr) return;
  const int saved = errno;
  idle_word = reinterpret_cast<unsigned* (*)()>(dlsym(RTLD_DEFAULT, "farcast_idle_word"));
  if (idle_word == nullptr) dlerror(); // as the program's own calls left it
  errno = saved;
}

} // namespace

bool join_gate(int socket, std::uint32_t tokens) {
  std::uint32_t number = 0;
  const int file = receive_file(socket, stream::MessageKind::gate, number);
  if (file < 0) return false;
  void* const memory = map_sealed(file, stream::kGateBytes);
  if (memory == nullptr || number >= stream::kGateSeats) return false;
  gate = static_cast<stream::Gate*>(memory);
  seat = number;
  process.header->isolate = gate->magic == stream::kGateMagic ? tokens : 0;
  if (process.header->isolate == 0) gate = nullptr;
  return gate != nullptr;
}

void begin_isolation(Thread& thread) {
  if (gate == nullptr || owner != nullptr) return;
  owner = &thread;
  find_idle_word();
  isolated.store(true, std::memory_order_relaxed);
  end_waiting(thread);
}

void end_isolation(bool give_back) {
  if (gate == nullptr) return;
  isolated.store(false, std::memory_order_relaxed);
  if (give_back) stream::give_token_back(*gate, seat);
  gate = nullptr; // the mapping stays: another thread may be using it
  holding = false;
}

void yield_when_idle(bool coupled) {
  find_idle_word();
  at_rest = coupled || local_ranks() > sysconf(_SC_NPROCESSORS_ONLN) ? kYields : kPollsOn;
  set_idle(at_rest);
}

bool begin_waiting(Thread& thread) {
  if (&thread != owner) return false;
  const bool held = holding;
  polls = 0;
  set_idle(kWaits);
  give_back_held();
  return held;
}

void begin_polling(Thread& thread, std::uint64_t row) {
  if (&thread != owner) return;
  if (row < kPollsOfAWait && polls < kPollsAtMost) {
    ++polls;
  } else {
    give_back_held();
  }
}

void end_waiting(Thread& thread) {
  if (&thread != owner) return;
  set_idle(at_rest);
  stream::Gate* here = gate;
  if (holding || here == nullptr) return;
  const bool owes = owed_progress != nullptr && owed_progress();
  holding = owes ? stream::take_token(*here, seat, is_to_give_up, nullptr, kProgressMs)
                 : stream::take_token(*here, seat, predictor_is_gone, nullptr);
  if (!holding) return end_isolation(false);
  if (!isolated.load(std::memory_order_relaxed)) give_back_to(*here); // another thread switched off meanwhile
}

} // namespace farcast::interpose
