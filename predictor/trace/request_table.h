// Requests: handle values -> the operations that they stand for.
//
// Handle values are not unique (MPICH shares one for all finished operations): a value names a
// queue, and the oldest of it is taken first. Persistent requests keep their value from Start to
// Start until they are freed.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/trace/operation.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace farcast::trace {

// What a wildcard receive took, once it is known. Shared by the queued operation and the request.
struct WildcardOutcome {
  bool resolved = false;
  int source = kUnknownPeer; // world rank
  int tag = 0;
};

struct Request {
  std::array<std::uint32_t, 2> ids{};               // the engine's requests that it stands for (Isendrecv: two)
  std::size_t id_count = 0;                         // 0: nothing to wait for
  std::shared_ptr<WildcardOutcome> wildcard;        // as long as the source of its receive is not known
  std::shared_ptr<const Communicator> communicator; // of that receive
  bool persistent = false;
  bool active = false;
  bool cancelled = false;
  std::unique_ptr<const Operation> start; // persistent: what MPI_Start starts
  std::uint32_t starts = 0;               // persistent: how often it did

  void add_id(std::uint32_t id) { ids.at(id_count++) = id; }
};

class RequestTable {
public:
  void add(std::uint64_t handle, std::unique_ptr<Request> request) { append(handle, {0, std::move(request)}); }
  // An active request that stands for one of the engine's and is not persistent, as most are: it
  // takes no memory of its own.
  void add(std::uint64_t handle, std::uint32_t id) { append(handle, {id, nullptr}); }
  // Takes the oldest request of that handle out if it was added so and nobody has asked for it
  // since.
  // Returns: its id; 0: it is none of these.
  std::uint32_t take_plain(std::uint64_t handle) {
    Entry* const entry = entries_.find(handle);
    if (entry == nullptr) return 0;
    const std::uint32_t id = entry->first.plain;
    if (id != 0) drop_first(entry);
    return id;
  }
  // Returns: the oldest request of that handle; null for MPI_REQUEST_NULL and unknown values.
  [[nodiscard]] Request* find(std::uint64_t handle) {
    Entry* const entry = entries_.find(handle);
    if (entry == nullptr) return nullptr;
    if (const std::uint32_t id = std::exchange(entry->first.plain, 0); id != 0) {
      entry->first.request = std::make_unique<Request>();
      entry->first.request->add_id(id);
      entry->first.request->active = true;
    }
    return entry->first.request.get();
  }
  // The oldest request of that handle is complete: a persistent one stays and becomes inactive, any
  // other goes.
  void complete(std::uint64_t handle) {
    Request* const request = find(handle);
    if (request == nullptr) return;
    request->active = false;
    if (!request->persistent) remove(handle);
  }
  void remove(std::uint64_t handle) { take(handle); }
  // The oldest request of `handle` is called `other` from now on, which is not 0.
  void rename(std::uint64_t handle, std::uint64_t other) {
    if (std::unique_ptr<Request> request = take(handle); request != nullptr) add(other, std::move(request));
  }
  // Takes the oldest request of that handle out. Returns: null where there is none.
  std::unique_ptr<Request> take(std::uint64_t handle) {
    if (find(handle) == nullptr) return nullptr;
    Entry* const entry = entries_.find(handle);
    std::unique_ptr<Request> taken = std::move(entry->first.request);
    drop_first(entry);
    return taken;
  }
  std::uint32_t new_id() { return ++last_id_; }

private:
  struct Element {
    std::uint32_t plain = 0; // 0: `request` says what it is
    std::unique_ptr<Request> request;
  };
  struct Entry {
    Element first;
    std::unique_ptr<std::deque<Element>> more; // younger ones of the same value
  };
  void append(std::uint64_t handle, Element element) {
    if (handle == 0) return;
    const auto [entry, made] = entries_.emplace(handle);
    if (made) {
      entry->first = std::move(element);
    } else {
      if (entry->more == nullptr) entry->more = std::make_unique<std::deque<Element>>();
      entry->more->push_back(std::move(element));
    }
  }
  void drop_first(Entry* entry) {
    if (entry->more == nullptr || entry->more->empty()) return entries_.erase_at(entry);
    entry->first = std::move(entry->more->front());
    entry->more->pop_front();
  }

  base::FlatMap<std::uint64_t, Entry> entries_; // [handle]
  std::uint32_t last_id_ = 0;
};

} // namespace farcast::trace
