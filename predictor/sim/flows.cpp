#include "predictor/sim/flows.h"

namespace farcast::sim {

const model::BlockParameters* Flows::formula(Block block) const {
  if (setting_.options.network != NetworkModel::blocks) return nullptr;
  const auto& found = setting_.platform.blocks.at(static_cast<std::size_t>(block));
  return found ? &*found : nullptr;
}

// Requires: formula(block) is there.
void Flows::carry(std::uint32_t request, Block block, double bytes) {
  constexpr int kTwo = 2; // processes: they do not matter for these blocks
  const double time = model::block_time(block, *formula(block), kTwo, bytes);
  scheduler_.at(scheduler_.now() + time, request, Scheduler::kCarried);
}

void Flows::access(std::uint32_t request, platform::HostId host, bool reads, double bytes) {
  using Access = network::FlowNetwork::Access;
  if (has_formula(reads)) return carry(request, reads ? Block::disk_read : Block::disk_write, bytes);
  network_.start_access(host, reads ? Access::read : Access::write, bytes, request, scheduler_.now());
}

void Flows::start(std::uint32_t index) {
  Request& send = requests_[index];
  send.flow_started = true;
  const platform::HostId source = setting_.host_of(send.key.source);
  const platform::HostId destination = setting_.host_of(send.key.destination);
  if (source != destination && formula(Block::point_to_point) != nullptr) return carry(index, Block::point_to_point, send.bytes);
  const int shared = source == destination ? setting_.platform.hosts[source].cores_per_cache : 0;
  const std::vector<int>& core_of = setting_.placement.core_of;
  const bool same_cache = shared > 0 && core_of[send.key.source] / shared == core_of[send.key.destination] / shared;
  network_.start(source, destination, send.bytes, index, scheduler_.now(), same_cache);
}

void Flows::advance(const LookAhead& ahead) {
  arrived_.clear();
  network_.advance(scheduler_.now(), arrived_);
  base::for_each_fetched(
      arrived_, [this](std::uint32_t request) { arrive(request); }, [&](std::uint32_t send) { ahead.send(send); },
      [&](std::uint32_t send) { ahead.receive(send); }, [&](std::uint32_t send) { ahead.waiting(send); });
}

void Flows::arrive(std::uint32_t index) {
  scheduler_.note_event();
  Request& request = requests_[index];
  if (request.kind == Request::Kind::storage) return requests_.complete(index);
  if (request.kind == Request::Kind::transfer) return messages_.transfer_arrived(index);
  messages_.note_arrival(index);
  request.arrived = true;
  if (request.partner != kNone) messages_.finish(index, request.partner);
}

} // namespace farcast::sim
