#include "predictor/sim/wildcards.h"

#include <algorithm>

namespace farcast::sim {

void Wildcards::note_posted(std::uint32_t receive) {
  if (receive >= order_.size()) order_.resize(receive + 1);
  order_[receive] = ++posted_;
}

void Wildcards::post(std::uint32_t receive, const Pattern& pattern) {
  receives_[pattern.destination].push_back({receive, ++posted_, pattern});
}

std::uint32_t Wildcards::take_receive(const MatchKey& key, std::uint32_t exact) {
  std::deque<Receive>& waiting = receives_[key.destination];
  const auto first =
      std::find_if(waiting.begin(), waiting.end(), [&key](const Receive& receive) { return receive.pattern.fits(key); });
  if (first == waiting.end() || (exact != kNone && order_[exact] < first->order)) return kNone;
  const std::uint32_t found = first->request;
  waiting.erase(first);
  return found;
}

bool Wildcards::has_receive(const MatchKey& key) const {
  const std::deque<Receive>& waiting = receives_[key.destination];
  return std::any_of(waiting.begin(), waiting.end(), [&key](const Receive& receive) { return receive.pattern.fits(key); });
}

bool Wildcards::withdraw(std::uint32_t destination, std::uint32_t receive) {
  return std::erase_if(receives_[destination], [receive](const Receive& one) { return one.request == receive; }) > 0;
}

void Wildcards::drop_unexpected(std::uint32_t send) {
  std::deque<std::uint32_t>& waiting = unexpected_[pool_[send].key.destination];
  if (const auto found = std::find(waiting.begin(), waiting.end(), send); found != waiting.end()) waiting.erase(found);
}

std::uint32_t Wildcards::first_unexpected(const Pattern& pattern) {
  const std::deque<std::uint32_t>& waiting = unexpected_[pattern.destination];
  const auto found =
      std::find_if(waiting.begin(), waiting.end(), [&](std::uint32_t send) { return pattern.fits(pool_[send].key); });
  return found == waiting.end() ? kNone : *found;
}

std::vector<std::uint32_t> Wildcards::take_probes(const MatchKey& key) {
  std::vector<std::uint32_t> out;
  std::erase_if(probes_[key.destination], [&](const Probe& probe) {
    if (!probe.pattern.fits(key)) return false;
    out.push_back(probe.strand);
    return true;
  });
  return out;
}

} // namespace farcast::sim
