// One end of a message, or a running non-blocking collective: what a strand can wait for.
#pragma once

#include "predictor/base/slots.h"
#include "predictor/network/flat_map.h"

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

struct MatchHash {
  std::uint64_t operator()(const MatchKey& key) const {
    const std::uint64_t ranks = static_cast<std::uint64_t>(key.destination) << 32 | key.source;
    const std::uint64_t rest = static_cast<std::uint64_t>(key.context) << 32 | key.tag;
    return network::mix_bits(ranks * 0x9e3779b97f4a7c15ULL ^ rest);
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
  bool forgotten : 1 = false; // nobody will wait: goes when done
  bool step : 1 = false;      // an isend or ireceive step of a schedule, completed by one of the schedule's waits
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

// Posted and unexpected messages, per key in posting order, so that messages of one key do not overtake each other.
// A key never holds sends and receives at once: receives name their source and tag, so the later one finds the earlier.
class Matching {
public:
  // Returns: the oldest waiting request of the other kind, taken out of its queue; or kNone, and `request` waits now.
  std::uint32_t match_or_wait(RequestPool& pool, const MatchKey& key, std::uint32_t request) {
    const auto [queue, made] = queues_.emplace(key);
    if (made) {
      *queue = Queue{request, request};
      return kNone;
    }
    if (pool[queue->head].kind == pool[request].kind) {
      pool[queue->tail].next = request;
      queue->tail = request;
      return kNone;
    }
    const std::uint32_t found = queue->head;
    queue->head = pool[found].next;
    pool[found].next = kNone;
    if (queue->head == kNone) queues_.erase(key);
    return found;
  }

  // Fetches what match_or_wait() of that key will look at into the cache.
  void fetch(const MatchKey& key) const { queues_.fetch(key); }
  // The same once that is there: the request that it will meet.
  void fetch_first(RequestPool& pool, const MatchKey& key) {
    if (const Queue* queue = queues_.find(key); queue != nullptr) __builtin_prefetch(&pool[queue->head], 1);
  }

  // Returns: whether a message waits there for its receive.
  [[nodiscard]] bool has_send(RequestPool& pool, const MatchKey& key) {
    const Queue* queue = queues_.find(key);
    return queue != nullptr && pool[queue->head].kind == Request::Kind::send;
  }

  // Returns: whether a receive waits there for its message.
  [[nodiscard]] bool has_receive(RequestPool& pool, const MatchKey& key) {
    const Queue* queue = queues_.find(key);
    return queue != nullptr && pool[queue->head].kind == Request::Kind::receive;
  }

  // Takes a request that still waits out of its queue.
  void withdraw(RequestPool& pool, const MatchKey& key, std::uint32_t request) {
    Queue* queue = queues_.find(key);
    if (queue == nullptr) return;
    std::uint32_t before = kNone;
    std::uint32_t at = queue->head;
    while (at != kNone && at != request) {
      before = at;
      at = pool[at].next;
    }
    if (at == kNone) return;
    if (before == kNone)
      queue->head = pool[at].next;
    else
      pool[before].next = pool[at].next;
    if (queue->tail == at) queue->tail = before;
    pool[at].next = kNone;
    if (queue->head == kNone) queues_.erase(key);
  }

private:
  struct Queue {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
  };
  network::FlatMap<MatchKey, Queue, MatchHash> queues_;
};

} // namespace farcast::sim
