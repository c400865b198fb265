// One end of a message, or a running non-blocking collective: what a strand can wait for.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/base/slots.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::sim {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// What a message is matched by. `context` keeps user messages and those inside collectives apart.
struct MatchKey {
  std::uint32_t destination = 0; // world ranks
  std::uint32_t source = 0;
  std::uint32_t context = 0;
  std::uint32_t tag = 0;
  bool operator==(const MatchKey&) const = default;
};

// Contexts, as in an MPI library: one for the program's messages on a communicator, one for those
// of its collectives.
inline constexpr std::uint32_t user_context(std::uint32_t communicator) { return communicator << 1; }
inline constexpr std::uint32_t collective_context(std::uint32_t communicator) { return communicator << 1 | 1u; }
inline constexpr std::uint32_t kNoCommunicator = UINT32_MAX >> 1; // of a message without one
// Where a message waits that a probe has taken out for the receive that names it
// (Operation::message): no program's context.
inline constexpr std::uint32_t kTakenContext = user_context(kNoCommunicator - 1);
inline constexpr bool in_collective(const MatchKey& key) { return (key.context & 1u) != 0; }

struct MatchHash {
  std::uint64_t operator()(const MatchKey& key) const {
    const std::uint64_t ranks = static_cast<std::uint64_t>(key.destination) << 32 | key.source;
    const std::uint64_t rest = static_cast<std::uint64_t>(key.context) << 32 | key.tag;
    return base::mix_bits(ranks * base::kGolden ^ rest);
  }
};

struct alignas(64) Request { // one cache line: messages are met in no order that a cache could foresee
  enum class Kind : std::uint8_t { send, receive, collective, transfer, storage };

  double bytes = 0;    // payload of a send
  double reply = -1;   // transfer: bytes that come back once it has arrived; below 0: none
  double ready = 0;    // when both ends had been posted
  double overhead = 0; // `or`: paid by whoever completes this receive
  MatchKey key;
  std::uint32_t partner = kNone; // the other end, once matched
  std::uint32_t next = kNone;    // in its queue, while unmatched
  std::uint32_t strand = kNone;  // who waits for it
  Kind kind = Kind::send;
  bool synchronous : 1 = false;  // send: on a channel, always by rendezvous
  bool detached : 1 = false;     // send: its sender went on when it was posted
  bool flow_started : 1 = false; // send
  bool arrived : 1 = false;      // send: the flow has ended
  bool hopeless : 1 = false;     // receive: from nobody known; no queue holds it
  bool done : 1 = false;
  bool forgotten : 1 = false;               // nobody will wait: goes when done
  bool watched : 1 = false;                 // `strand` waits for any of several, and takes none of them when it completes
  bool step : 1 = false;                    // an isend or ireceive step of a schedule, completed by one of the schedule's waits
  trace::Lock lock : 2 = trace::Lock::none; // transfer; of the window that `key` names by context and tag
};
static_assert(sizeof(Request) == 64);

// Requests by index; indexes of released ones are used again.
class RequestPool {
public:
  std::uint32_t take() {
    const std::uint32_t index = base::take_slot(requests_, free_);
    requests_[index] = kFresh;
    return index;
  }
  void release(std::uint32_t index) { free_.push_back(index); }
  Request& operator[](std::uint32_t index) { return requests_[index]; }

private:
  static const Request kFresh; // copied from memory: one made on the stack would have to be stored before it can be read again
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_;
};

inline const Request RequestPool::kFresh{};

} // namespace farcast::sim
