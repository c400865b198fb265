// Requests: handle values -> the operations that they stand for.
//
// Handle values are not unique (MPICH shares one for all finished operations): a value names a queue, and the oldest of
// it is taken first. Persistent requests keep their value from Start to Start until they are freed.
#pragma once

#include "predictor/trace/operation.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace farcast::trace {

struct QueuedOperation; // decoder.h: an operation that is on its way to the engine

struct Request {
  std::vector<std::uint32_t> ids;            // the engine's requests that it stands for; empty: nothing to wait for
  std::shared_ptr<QueuedOperation> wildcard; // its receive, as long as the source is not known
  bool persistent = false;
  bool active = false;
  bool cancelled = false;
  std::optional<Operation> start;            // persistent: what MPI_Start starts
};

class RequestTable {
public:
  void add(std::uint64_t handle, std::shared_ptr<Request> request) {
    if (handle != 0) live_[handle].push_back(std::move(request));
  }
  // Returns: the oldest request of that handle; null for MPI_REQUEST_NULL and unknown values.
  [[nodiscard]] std::shared_ptr<Request> find(std::uint64_t handle) const {
    const auto at = live_.find(handle);
    return at == live_.end() ? nullptr : at->second.front();
  }
  // Takes the oldest request of that handle out; a persistent one stays and becomes inactive.
  std::shared_ptr<Request> complete(std::uint64_t handle) {
    std::shared_ptr<Request> request = find(handle);
    if (request == nullptr) return nullptr;
    request->active = false;
    if (!request->persistent) remove(handle);
    return request;
  }
  void remove(std::uint64_t handle) {
    const auto at = live_.find(handle);
    if (at == live_.end()) return;
    at->second.pop_front();
    if (at->second.empty()) live_.erase(at);
  }
  std::uint32_t new_id() { return ++last_id_; }

private:
  std::unordered_map<std::uint64_t, std::deque<std::shared_ptr<Request>>> live_; // no empty queues
  std::uint32_t last_id_ = 0;
};

} // namespace farcast::trace
