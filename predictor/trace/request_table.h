// Requests: handle values -> the operations that they stand for.
//
// Handle values are not unique (MPICH shares one for all finished operations): a value names a queue, and the oldest of
// it is taken first. Persistent requests keep their value from Start to Start until they are freed.
#pragma once

#include "predictor/trace/operation.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

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
  RequestTable() : entries_(kFirstSize) {}

  void add(std::uint64_t handle, std::unique_ptr<Request> request) {
    if (handle == 0) return;
    if (used_ * 2 >= entries_.size()) grow();
    Entry& entry = entries_[place_of(handle)];
    if (entry.first == nullptr) {
      entry.handle = handle;
      entry.first = std::move(request);
      ++used_;
    } else {
      if (entry.more == nullptr) entry.more = std::make_unique<std::deque<std::unique_ptr<Request>>>();
      entry.more->push_back(std::move(request));
    }
  }
  // Returns: the oldest request of that handle; null for MPI_REQUEST_NULL and unknown values.
  [[nodiscard]] Request* find(std::uint64_t handle) const {
    return handle == 0 ? nullptr : entries_[place_of(handle)].first.get();
  }
  // The oldest request of that handle is complete: a persistent one stays and becomes inactive, any other goes.
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
    if (handle == 0) return nullptr;
    std::size_t hole = place_of(handle);
    Entry& entry = entries_[hole];
    std::unique_ptr<Request> taken = std::move(entry.first);
    if (taken == nullptr) return nullptr;
    if (entry.more != nullptr && !entry.more->empty()) {
      entry.first = std::move(entry.more->front());
      entry.more->pop_front();
      return taken;
    }
    // Linear probing without tombstones: entries behind move up into the hole when their own place allows it.
    entry = Entry{};
    --used_;
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; entries_[at].first != nullptr; at = (at + 1) & mask) {
      const std::size_t home = home_of(entries_[at].handle);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      entries_[hole] = std::move(entries_[at]);
      entries_[at] = Entry{};
      hole = at;
    }
    return taken;
  }
  std::uint32_t new_id() { return ++last_id_; }

private:
  struct Entry {
    std::uint64_t handle = 0;
    std::unique_ptr<Request> first;                             // null: free
    std::unique_ptr<std::deque<std::unique_ptr<Request>>> more; // younger ones of the same value
  };
  static constexpr std::size_t kFirstSize = 64; // a power of two, as all later sizes

  [[nodiscard]] std::size_t home_of(std::uint64_t handle) const {
    return static_cast<std::size_t>((handle * 0x9e3779b97f4a7c15ull) >> 32) & (entries_.size() - 1);
  }
  // Returns: the entry of that handle, or the free one where it belongs.
  [[nodiscard]] std::size_t place_of(std::uint64_t handle) const {
    std::size_t at = home_of(handle);
    while (entries_[at].first != nullptr && entries_[at].handle != handle) at = (at + 1) & (entries_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (Entry& entry : old) {
      if (entry.first != nullptr) entries_[place_of(entry.handle)] = std::move(entry);
    }
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
  std::uint32_t last_id_ = 0;
};

} // namespace farcast::trace
