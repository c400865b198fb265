#include "predictor/sim/critical_path.h"

namespace farcast::sim {

namespace {

// Keys of the sums: parts of the path, and beside them on which rank it lies.
constexpr std::uint64_t kOnRank = 3;
constexpr std::uint64_t key_of(std::uint64_t part, std::uint32_t index) { return part << 32 | index; }
constexpr std::uint64_t key_of(PathPart part, std::uint32_t index) { return key_of(static_cast<std::uint64_t>(part), index); }

} // namespace

CriticalPath::Place& CriticalPath::place_of(std::uint32_t strand) {
  if (strand >= places_.size()) places_.resize(strand + 1);
  Place& place = places_[strand];
  if (place.tip == PathTree::kNoNode) place.tip = tree_.begin(PathTree::kNoNode);
  return place;
}

// From where the strand's path is known to now.
void CriticalPath::spend(Place& place, std::uint32_t rank, PathPart part, std::uint32_t index) {
  const double seconds = scheduler_.now() - place.at;
  place.at = scheduler_.now();
  if (!(seconds > 0)) return;
  tree_.add(place.tip, key_of(part, index), seconds);
  tree_.add(place.tip, key_of(kOnRank, rank), seconds);
}

void CriticalPath::spend_in_call(std::uint32_t strand) {
  Place& place = place_of(strand);
  spend(place, scheduler_[strand].rank, PathPart::call, place.site);
}

void CriticalPath::computed(std::uint32_t strand) {
  Place& place = place_of(strand);
  const trace::Operation& operation = scheduler_[strand].operation;
  spend(place, scheduler_[strand].rank, PathPart::compute, operation.region);
  place.site = operation.site;
}

void CriticalPath::left(std::uint32_t strand) { spend_in_call(strand); }

CriticalPath::Origin CriticalPath::place_as_origin(std::uint32_t strand) {
  if (scheduler_[strand].stage != Stage::ended) spend_in_call(strand);
  const Place& place = place_of(strand);
  return {place.tip, place.at, place.site};
}

void CriticalPath::set(std::uint32_t request, const Origin& origin) {
  if (request >= origins_.size()) origins_.resize(request + 1);
  if (origin.node != PathTree::kNoNode) tree_.hold(origin.node);
  const PathTree::Node before = origins_[request].node;
  origins_[request] = origin;
  if (before != PathTree::kNoNode) tree_.drop(before);
}

void CriticalPath::taken(std::uint32_t request) { set(request, {}); }

void CriticalPath::begun(std::uint32_t request) {
  if (acting_ != kNone) set(request, here());
}

void CriticalPath::begins(std::uint32_t strand) {
  if (acting_ == kNone) return;
  const Origin origin = here();
  Place& place = place_of(strand);
  tree_.hold(origin.node);
  tree_.drop(place.tip);
  place = {origin.node, origin.at, origin.site};
}

void CriticalPath::held_up(std::uint32_t request, std::uint32_t strand) { set(request, place_as_origin(strand)); }

void CriticalPath::met(std::uint32_t send, std::uint32_t receive, bool by_receive, bool held) {
  if (by_receive && held && acting_ != kNone) set(send, here());
  set(receive, Origin(origins_[send]));
}

void CriticalPath::adopt(std::uint32_t strand, const Origin& origin) {
  Place& place = place_of(strand);
  const PathTree::Node tip = tree_.begin(origin.node);
  tree_.drop(place.tip);
  place.tip = tip;
  place.at = scheduler_.now();
  const double seconds = scheduler_.now() - origin.at;
  if (seconds > 0) tree_.add(place.tip, key_of(PathPart::message, origin.site), seconds);
}

void CriticalPath::woken(std::uint32_t strand, std::uint32_t request) {
  if (request < origins_.size() && origins_[request].node != PathTree::kNoNode) adopt(strand, Origin(origins_[request]));
}

void CriticalPath::woken_by_actor(std::uint32_t strand) {
  if (acting_ != kNone && acting_ != strand) adopt(strand, here());
}

void CriticalPath::report(std::uint32_t strand, Bottlenecks& out) const {
  if (strand >= places_.size() || places_[strand].tip == PathTree::kNoNode) return;
  for (const auto& [key, seconds] : tree_.sums(places_[strand].tip)) {
    const auto index = static_cast<std::uint32_t>(key);
    if (key >> 32 == kOnRank)
      out.path_on[index] += base::Seconds(seconds);
    else
      out.path[{static_cast<PathPart>(key >> 32), index}] += base::Seconds(seconds);
  }
}

} // namespace farcast::sim
