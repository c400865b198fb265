// What one rank's trace has given a number to, beyond SimGrid: communicators (`comm@2 0-7`) and
// requests (`isend#5`).
//
// A communicator's number means the same on all ranks: the registry holds one object per number
// (and side), and refuses another group under it. A request's number is the rank's own. Threads:
// one reader.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace farcast::trace {

// A communicator as one rank sees it.
struct TiCommunicator {
  std::shared_ptr<const Communicator> shared;
  std::uint32_t calls = 0; // collectives so far
  // Returns: whom a rank in an action means: the remote group of an inter-communicator.
  [[nodiscard]] const std::vector<int>& peers() const { return shared->remote.empty() ? shared->members : shared->remote; }
};

class TiCommunicatorRegistry {
public:
  // Errors: the number has another group already; the text is the end of a sentence.
  base::Result<std::shared_ptr<const Communicator>> define(std::uint32_t number, std::vector<int> members,
                                                           std::vector<int> remote);

private:
  std::map<std::pair<std::uint32_t, bool>, std::shared_ptr<const Communicator>> objects_; // (number, smaller side)
};

// A request with a number.
struct TiNumberedRequest {
  std::uint32_t id = 0;                   // of the operation under way; 0: none
  double flops = 0;                       // of a persistent reduction, at each start
  std::unique_ptr<const Operation> start; // persistent
};

struct TiNames {
  std::unordered_map<std::uint32_t, TiCommunicator> communicators;
  std::map<std::uint32_t, TiNumberedRequest> requests; // in order: waitall takes them so
};

} // namespace farcast::trace
