#include "predictor/sim/flows.h"

#include <algorithm>
#include <utility>

namespace farcast::sim {

const model::BlockParameters* Flows::formula(Block block) const {
  if (setting_.options.network != NetworkModel::blocks) return nullptr;
  const auto& found = setting_.platform.blocks.at(static_cast<std::size_t>(block));
  return found ? &*found : nullptr;
}

namespace {

double seconds_of(Flows::Block block, const model::BlockParameters& formula, double bytes) {
  constexpr int kTwo = 2; // processes: they do not matter for these blocks
  return model::block_time(block, formula, kTwo, bytes);
}

} // namespace

// Returns: unset where the message is a flow.
std::optional<double> Flows::message_s(platform::HostId source, platform::HostId destination, double bytes) const {
  if (source == destination || setting_.options.network != NetworkModel::blocks) return std::nullopt;
  std::optional<double> slowest;
  for (const platform::HostId id : {source, destination}) {
    const auto& processor = setting_.platform.hosts[id].processor;
    if (processor == nullptr || !processor->logp) continue;
    slowest = std::max(slowest.value_or(0.0), processor->logp->message(base::Bytes(bytes)).value());
  }
  if (slowest) return slowest;
  const model::BlockParameters* const block = formula(Block::point_to_point);
  return block == nullptr ? std::nullopt : std::optional(seconds_of(Block::point_to_point, *block, bytes));
}

void Flows::carry(std::uint32_t request, double seconds) {
  scheduler_.at(scheduler_.now() + seconds, request, Scheduler::kCarried);
}

void Flows::access(std::uint32_t request, platform::HostId host, bool reads, double bytes) {
  using Access = network::FlowNetwork::Access;
  const Block block = reads ? Block::disk_read : Block::disk_write;
  if (const model::BlockParameters* const known = formula(block)) return carry(request, seconds_of(block, *known, bytes));
  network_.start_access(host, reads ? Access::read : Access::write, bytes, request, scheduler_.now());
}

void Flows::start(std::uint32_t index) {
  Request& send = requests_[index];
  send.flow_started = true;
  const platform::HostId source = setting_.host_of(send.key.source);
  const platform::HostId destination = setting_.host_of(send.key.destination);
  if (const std::optional<double> seconds = message_s(source, destination, send.bytes)) return carry(index, *seconds);
  const int shared = source == destination ? setting_.platform.hosts[source].cores_per_cache : 0;
  const std::vector<int>& core_of = setting_.placement.core_of;
  const bool same_cache = shared > 0 && core_of[send.key.source] / shared == core_of[send.key.destination] / shared;
  network_.start(source, destination, send.bytes, index, scheduler_.now(), same_cache);
  if (!follows_ || send.kind != Request::Kind::send) return;
  if (index >= place_.size()) place_.resize(index + 1, kNone);
  place_[index] = static_cast<std::uint32_t>(under_way_.size());
  under_way_.push_back({network_.soonest_of_last(source), index});
}

void Flows::forget(std::uint32_t request) {
  if (request >= place_.size() || place_[request] == kNone) return;
  const std::uint32_t place = std::exchange(place_[request], kNone);
  under_way_[place] = under_way_.back();
  under_way_.pop_back();
  if (place < under_way_.size()) place_[under_way_[place].request] = place;
}

bool Flows::soonest(std::span<double> out) {
  constexpr std::size_t kMostPerRank = 4; // more are not looked through at each poll
  if (!follows_ || under_way_.size() != network_.in_flight() || under_way_.size() > kMostPerRank * out.size()) return false;
  for (const UnderWay& one : under_way_) {
    const Request& send = requests_[one.request];
    double& receiver = out[send.key.destination];
    receiver = std::min(receiver, one.soonest);
    if (send.detached) continue;
    double& sender = out[send.key.source];
    sender = std::min(sender, one.soonest);
  }
  return true;
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
  forget(index);
  Request& request = requests_[index];
  if (request.kind == Request::Kind::storage) return requests_.complete(index);
  if (request.kind == Request::Kind::transfer) return messages_.transfer_arrived(index);
  messages_.note_arrival(index);
  request.arrived = true;
  if (request.partner != kNone) messages_.finish(index, request.partner);
}

} // namespace farcast::sim
