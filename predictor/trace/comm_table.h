// Communicators: one rank's numbers -> communicators that all ranks share.
//
// A global communicator is known by its members and by how many with the same members its ranks
// have made before: all members make the communicators of one group in the same order, so every
// rank finds the same name without asking the others. Threads: the registry belongs to one set of
// timelines, which is decoded by one thread at a time.
#pragma once

#include "predictor/trace/call_reader.h"
#include "predictor/trace/operation.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace farcast::trace {

class CommRegistry {
public:
  // Returns: the id of the ordinal-th communicator of these groups; both sides of an
  // inter-communicator get the same id.
  std::uint32_t id(const std::vector<int>& members, const std::vector<int>& remote, std::uint32_t ordinal);
  // Returns: one shared object per (id, side), so that its members are stored once. Valid as long
  // as the registry: operations are many, and counting who holds it would cost each of them, and
  // more where another thread plays them.
  std::shared_ptr<const Communicator> intern(const std::vector<int>& members, const std::vector<int>& remote,
                                             std::uint32_t ordinal);

private:
  using Key = std::pair<std::pair<std::vector<int>, std::vector<int>>, std::uint32_t>;
  std::map<Key, std::uint32_t> ids_;
  std::map<std::pair<std::uint32_t, bool>, std::shared_ptr<const Communicator>> objects_; // (id, smaller side)
};

// Returns: whether it names processes of another world (MPI_Comm_spawn, MPI_Comm_accept).
bool has_foreigners(const GroupDefinition& group);

struct KnownComm {
  std::shared_ptr<const Communicator> shared;
  std::shared_ptr<const std::vector<int>> sources; // neighbourhood
  std::shared_ptr<const std::vector<int>> destinations;
  int own_rank = -1;
  bool foreign = false; // some of its members belong to another job's world: nobody knows what they do
};

class CommTable {
public:
  CommTable(CommRegistry& registry, int world_rank, int world_size)
      : registry_(&registry), world_rank_(world_rank), world_size_(world_size) {}
  // Definitions with ranks that the world does not have are passed over.
  void define(const std::vector<GroupDefinition>& groups);
  // Returns: the communicator of this group that the rank makes next.
  [[nodiscard]] std::shared_ptr<const Communicator> next_of(const std::vector<int>& members) const;
  // Returns: null for a number that was never defined.
  [[nodiscard]] const KnownComm* find(std::uint32_t local) const;
  // Returns: the world rank of a communicator rank (of the remote group in an inter-communicator);
  // kProcNull if out of range.
  static int to_world(const KnownComm& comm, int rank);

  // Returns: whether a number stands for a communicator with processes of another world.
  [[nodiscard]] bool is_foreign(std::uint32_t local) const {
    return foreign_ && comms_.contains(local) && comms_.at(local).foreign;
  }

private:
  [[nodiscard]] bool possible(const std::vector<int>& ranks) const;

  CommRegistry* registry_;
  int world_rank_;
  int world_size_;
  bool foreign_ = false; // there has been one
  std::unordered_map<std::uint32_t, KnownComm> comms_;
  mutable std::pair<std::uint32_t, const KnownComm*> last_{0, nullptr}; // found; nothing leaves comms_, so it stays where it is
  std::map<std::pair<std::vector<int>, std::vector<int>>, std::uint32_t> made_; // groups -> how many so far
};

} // namespace farcast::trace
