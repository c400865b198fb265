// The matching queues: posted receives and unexpected messages, per key in posting order, so that
// messages of one key do not overtake each other.
//
// Threads: none; one owner.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/sim/request.h"

#include <cstdint>

namespace farcast::sim {

// A key never holds sends and receives at once: receives name their source and tag, so the later
// one finds the earlier.
class MatchingQueues {
public:
  // Returns: the oldest waiting request of the other kind, taken out of its queue; or kNone, and
  // `request` waits now.
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
    if (queue->head == kNone) queues_.erase_at(queue);
    return found;
  }

  // Fetches what match_or_wait() of that key will look at into the cache.
  void fetch(const MatchKey& key) const { queues_.fetch(key); }
  // The same once that is there: the request that it will meet.
  void fetch_first(RequestPool& pool, const MatchKey& key) {
    if (const Queue* queue = queues_.find(key); queue != nullptr) __builtin_prefetch(&pool[queue->head], 1);
  }

  // Returns: the message that waits there first for its receive; kNone.
  [[nodiscard]] std::uint32_t first_send(RequestPool& pool, const MatchKey& key) {
    const Queue* queue = queues_.find(key);
    return queue != nullptr && pool[queue->head].kind == Request::Kind::send ? queue->head : kNone;
  }

  // Returns: whether a receive waits there for its message.
  [[nodiscard]] bool has_receive(RequestPool& pool, const MatchKey& key) {
    const Queue* queue = queues_.find(key);
    return queue != nullptr && pool[queue->head].kind == Request::Kind::receive;
  }

  // Returns: the receive that waits there first; kNone.
  [[nodiscard]] std::uint32_t first_receive(RequestPool& pool, const MatchKey& key) {
    return has_receive(pool, key) ? queues_.find(key)->head : kNone;
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
  base::FlatMap<MatchKey, Queue, MatchHash> queues_;
};

} // namespace farcast::sim
