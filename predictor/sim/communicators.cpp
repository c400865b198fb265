#include "predictor/sim/communicators.h"

#include <algorithm>

namespace farcast::sim {

namespace {

std::uint64_t key_of(const trace::Communicator& communicator, std::uint32_t sequence) {
  return static_cast<std::uint64_t>(communicator.id) << 32 | sequence;
}

std::size_t members_of(const trace::Communicator& communicator) {
  return communicator.members.size() + communicator.remote.size();
}

} // namespace

// A communicator that only we still hold cannot come up again.
void Communicators::drop_unused() {
  std::erase_if(entries_, [](const auto& entry) { return entry.second.communicator.use_count() == 1; });
  drop_at_ = std::max<std::size_t>(1024, entries_.size() * 2);
}

Communicators::Entry& Communicators::of(const std::shared_ptr<const trace::Communicator>& communicator) {
  const auto found = entries_.find(communicator.get());
  if (found != entries_.end()) return found->second;
  if (entries_.size() >= drop_at_) drop_unused();
  Entry& entry = entries_[communicator.get()];
  entry.communicator = communicator;
  entry.calls.assign(communicator->members.size(), 0);
  bool same = true;
  for (std::size_t i = 0; same && i < communicator->members.size(); ++i) same = communicator->members[i] == static_cast<int>(i);
  if (!same) {
    entry.rank_of.reserve(communicator->members.size());
    for (std::size_t i = 0; i < communicator->members.size(); ++i) {
      entry.rank_of.emplace(communicator->members[i], static_cast<std::uint32_t>(i));
    }
  }
  return entry;
}

int Communicators::rank_in(const Entry& entry, std::uint32_t world_rank) {
  if (entry.rank_of.empty()) return world_rank < entry.calls.size() ? static_cast<int>(world_rank) : -1;
  const auto found = entry.rank_of.find(static_cast<int>(world_rank));
  return found == entry.rank_of.end() ? -1 : static_cast<int>(found->second);
}

Communicators::Agreement Communicators::enter(const Entry& entry, std::uint32_t sequence, trace::CollectiveKind kind) {
  const trace::Communicator& communicator = *entry.communicator;
  const std::uint64_t key = key_of(communicator, sequence);
  const auto [call, made] = calls_.emplace(key);
  if (made) call->kind = kind;
  Agreement result = Agreement::agrees;
  if (call->kind != kind) {
    result = call->reported ? Agreement::already_reported : Agreement::disagrees;
    call->reported = true;
  }
  if (++call->entered >= members_of(communicator)) calls_.erase(key);
  return result;
}

void Communicators::add_work(const Entry& entry, std::uint32_t sequence, double measured_s) {
  const auto [work, made] = works_.emplace(key_of(*entry.communicator, sequence));
  work->least_s = made ? measured_s : std::min(work->least_s, measured_s);
}

double Communicators::take_work(const Entry& entry, std::uint32_t sequence) {
  const std::uint64_t key = key_of(*entry.communicator, sequence);
  Work* const work = works_.find(key);
  if (work == nullptr) return 0;
  const double least_s = work->least_s;
  if (++work->taken >= members_of(*entry.communicator)) works_.erase(key);
  return least_s;
}

} // namespace farcast::sim
