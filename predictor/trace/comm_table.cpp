#include "predictor/trace/comm_table.h"

#include <algorithm>
#include <limits>

namespace farcast::trace {

std::uint32_t CommRegistry::id(const std::vector<int>& members, const std::vector<int>& remote, const Ordinal& ordinal) {
  // Both sides of an inter-communicator must find the same name: the smaller group first.
  Key key = remote.empty() || members < remote ? Key{{members, remote}, ordinal} : Key{{remote, members}, ordinal};
  const auto [at, fresh] = ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(ids_.size()));
  return at->second;
}

std::shared_ptr<const Communicator> CommRegistry::intern(const std::vector<int>& members, const std::vector<int>& remote,
                                                         const Ordinal& ordinal) {
  const std::uint32_t number = id(members, remote, ordinal);
  std::shared_ptr<const Communicator>& object = objects_[{number, remote.empty() || members < remote}];
  if (object == nullptr) {
    auto made = std::make_shared<Communicator>();
    made->id = number;
    made->members = members;
    made->remote = remote;
    object = std::move(made);
  }
  return {std::shared_ptr<const void>(), object.get()}; // owns nothing: copies of it count nothing
}

std::shared_ptr<const Communicator> CommRegistry::expected(const Creation& creation, const std::vector<int>& members) {
  std::shared_ptr<Communicator>& object = expected_[creation];
  if (object == nullptr) {
    object = std::make_shared<Communicator>();
    object->members = members;
  }
  return {std::shared_ptr<const void>(), object.get()};
}

void CommRegistry::meet(const Creation& creation, const Meeting& meeting,
                        const std::function<Ordinal(const std::vector<int>&, const std::vector<int>&)>& made) {
  const auto other = waiting_.find({meeting.other, meeting.leader, meeting.tag});
  if (other == waiting_.end()) {
    waiting_[meeting].push_back(creation);
    return;
  }
  const std::shared_ptr<Communicator> own = expected_.at(creation), theirs = expected_.at(other->second.front());
  other->second.pop_front();
  if (other->second.empty()) waiting_.erase(other);
  const std::uint32_t number = id(own->members, theirs->members, made(own->members, theirs->members));
  const std::vector<int> members = own->members;
  complete(own, number, theirs->members);
  complete(theirs, number, members);
}

void CommRegistry::complete(const std::shared_ptr<Communicator>& side, std::uint32_t id, const std::vector<int>& remote) {
  side->id = id;
  side->remote = remote;
  objects_[{id, side->members < remote}] = side;
}

bool has_foreigners(const GroupDefinition& group) {
  const bool members = group.kind == stream::SlotKind::members || group.kind == stream::SlotKind::remote_members;
  return members && std::find(group.ranks.begin(), group.ranks.end(), stream::kNoPeer) != group.ranks.end();
}

bool CommTable::possible(const std::vector<int>& ranks) const {
  // -1: a process of another world (MPI_Comm_spawn)
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) { return rank >= -1 && rank < world_size_; });
}

Origin CommTable::origin_of(const Constructor& by) const {
  const KnownComm* const parent = find(by.parent);
  return {parent == nullptr ? Origin::kUnknown : parent->shared->id, by.tag};
}

Ordinal CommTable::next_ordinal(const Groups& groups, const Origin& origin) const {
  const auto made = made_.find({groups, origin});
  return {origin, made == made_.end() ? 0U : made->second};
}

void CommTable::define(const std::vector<GroupDefinition>& groups, std::optional<Constructor> by) {
  using stream::SlotKind;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupDefinition& group = groups[i];
    if (group.kind == SlotKind::members) {
      static const std::vector<int> none;
      const bool inter =
          i + 1 < groups.size() && groups[i + 1].kind == SlotKind::remote_members && groups[i + 1].comm == group.comm;
      const std::vector<int>& remote = inter ? groups[i + 1].ranks : none;
      if (!possible(group.ranks) || !possible(remote)) continue;
      const Origin origin = by && by->parent != group.comm ? origin_of(*by) : Origin{};
      const Ordinal ordinal = next_ordinal({group.ranks, remote}, origin);
      ++made_[{{group.ranks, remote}, origin}];
      KnownComm known;
      known.shared = registry_->intern(group.ranks, remote, ordinal);
      const auto own = std::find(group.ranks.begin(), group.ranks.end(), world_rank_);
      known.own_rank = own == group.ranks.end() ? -1 : static_cast<int>(own - group.ranks.begin());
      known.foreign = has_foreigners(group) || (inter && has_foreigners(groups[i + 1]));
      foreign_ = foreign_ || known.foreign;
      comms_[group.comm] = std::move(known);
    } else if (group.kind == SlotKind::sources || group.kind == SlotKind::destinations) {
      KnownComm& known = comms_[group.comm];
      auto ranks = std::make_shared<const std::vector<int>>(group.ranks);
      (group.kind == SlotKind::sources ? known.sources : known.destinations) = std::move(ranks);
    }
  }
}

std::shared_ptr<const Communicator> CommTable::next_of(const std::vector<int>& members, const Constructor& by) const {
  return registry_->intern(members, {}, next_ordinal({members, {}}, origin_of(by)));
}

std::shared_ptr<const Communicator> CommTable::apart(const std::vector<int>& members) const {
  constexpr std::uint32_t number = std::numeric_limits<std::uint32_t>::max();
  return registry_->intern(members, {}, {{}, number});
}

std::shared_ptr<const Communicator> CommTable::begin_intercomm(const KnownComm& local, int leader, int other, int tag) {
  const int leading = to_world(local, leader);
  const CommRegistry::Creation creation{local.shared->id, leading, begun_[{local.shared->id, leading}]++};
  std::shared_ptr<const Communicator> expected = registry_->expected(creation, local.shared->members);
  if (other == kProcNull) return expected;
  registry_->meet(creation, {leading, other, tag}, [this](const std::vector<int>& members, const std::vector<int>& remote) {
    return next_ordinal({members, remote}, {});
  });
  return expected;
}

const KnownComm* CommTable::find(std::uint32_t local) const {
  if (last_.second == nullptr || last_.first != local) {
    const auto at = comms_.find(local);
    if (at == comms_.end() || at->second.shared == nullptr) return nullptr;
    last_ = {local, &at->second};
  }
  return last_.second;
}

int CommTable::to_world(const KnownComm& comm, int rank) {
  const std::vector<int>& peers = comm.shared->remote.empty() ? comm.shared->members : comm.shared->remote;
  return rank < 0 || static_cast<std::size_t>(rank) >= peers.size() ? kProcNull : peers[static_cast<std::size_t>(rank)];
}

} // namespace farcast::trace
