// Communicators: one rank's numbers -> communicators that all ranks share.
//
// A global communicator is known by its members, by what it was made of and by how many of these
// its ranks have made before: all members make the communicators of one parent in the same order, so
// every rank finds the same name without asking the others. Those of different parents have no order
// (MPI_Comm_idup), nor have those of MPI_Comm_create_group with different tags.
// Threads: the registry belongs to one set of timelines, which is decoded by one thread at a time.
#pragma once

#include "predictor/trace/call_reader.h"
#include "predictor/trace/operation.h"

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace farcast::trace {

// Communicators that have an order: those that constructors have made of one communicator, with one
// tag where the constructor has one; of whatever else is known.
struct Origin {
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  static constexpr std::int64_t kNoTag = -1;
  std::uint32_t parent = kUnknown; // id
  std::int64_t tag = kNoTag;
  auto operator<=>(const Origin&) const = default;
};
struct Ordinal { // the number-th of that origin
  Origin of;
  std::uint32_t number = 0;
  auto operator<=>(const Ordinal&) const = default;
};

class CommRegistry {
public:
  // Returns: the id of the ordinal-th communicator of these groups; both sides of an
  // inter-communicator get the same id.
  std::uint32_t id(const std::vector<int>& members, const std::vector<int>& remote, const Ordinal& ordinal);
  // Returns: one shared object per (id, side), so that its members are stored once. Valid as long
  // as the registry: operations are many, and counting who holds it would cost each of them, and
  // more where another thread plays them.
  std::shared_ptr<const Communicator> intern(const std::vector<int>& members, const std::vector<int>& remote,
                                             const Ordinal& ordinal);

  // An inter-communicator before it is there: the number-th of those that the parent's members make
  // with this leader (a world rank).
  struct Creation {
    std::uint32_t parent;
    int leader;
    std::uint32_t number;
    auto operator<=>(const Creation&) const = default;
  };
  // Returns: what intern() will give for it. It has no remote group until its leaders have met.
  std::shared_ptr<const Communicator> expected(const Creation& creation, const std::vector<int>& members);
  // A leader is about to meet another one: the second of two completes both sides. `made`: how many
  // inter-communicators of these groups it knows.
  struct Meeting {
    int leader; // world ranks
    int other;
    int tag;
    auto operator<=>(const Meeting&) const = default;
  };
  void meet(const Creation& creation, const Meeting& meeting,
            const std::function<Ordinal(const std::vector<int>& members, const std::vector<int>& remote)>& made);

private:
  using Key = std::pair<std::pair<std::vector<int>, std::vector<int>>, Ordinal>;
  void complete(const std::shared_ptr<Communicator>& side, std::uint32_t id, const std::vector<int>& remote);

  std::map<Creation, std::shared_ptr<Communicator>> expected_;
  std::map<Meeting, std::deque<Creation>> waiting_; // leaders whose other one has not come
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
  // `by`: the constructor of all that are not its parent (numbers of the rank's).
  struct Constructor {
    std::uint32_t parent;
    std::int64_t tag = Origin::kNoTag; // MPI_Comm_create_group
  };
  void define(const std::vector<GroupDefinition>& groups, std::optional<Constructor> by = {});
  // Returns: the communicator of this group that the rank makes next so.
  [[nodiscard]] std::shared_ptr<const Communicator> next_of(const std::vector<int>& members, const Constructor& by) const;
  // Returns: a communicator of these members that no program has: for messages of the model's own,
  // which no receive of a program takes.
  [[nodiscard]] std::shared_ptr<const Communicator> apart(const std::vector<int>& members) const;
  // The rank begins to make an inter-communicator with this local group and leader (a rank in it).
  // `other`: the leader's own call: a world rank, otherwise kProcNull.
  // Returns: the one to be.
  std::shared_ptr<const Communicator> begin_intercomm(const KnownComm& local, int leader, int other, int tag);
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
  using Groups = std::pair<std::vector<int>, std::vector<int>>;

  [[nodiscard]] bool possible(const std::vector<int>& ranks) const;
  [[nodiscard]] Origin origin_of(const Constructor& by) const;
  [[nodiscard]] Ordinal next_ordinal(const Groups& groups, const Origin& origin) const;

  CommRegistry* registry_;
  int world_rank_;
  int world_size_;
  bool foreign_ = false; // there has been one
  std::unordered_map<std::uint32_t, KnownComm> comms_;
  mutable std::pair<std::uint32_t, const KnownComm*> last_{0, nullptr}; // found; nothing leaves comms_, so it stays where it is
  std::map<std::pair<Groups, Origin>, std::uint32_t> made_;             // how many so far
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> begun_;        // local communicator's id, leader -> begin_intercomm()
};

} // namespace farcast::trace
