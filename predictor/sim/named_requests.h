// What each rank's timelines call their open requests: (rank, id) -> request.
//
// Most ids ascend and live shortly: each rank has a ring of places, an id's is id % size. The ring
// grows while two open ids want one place, up to kMostPlaces; beyond it the later one goes into a
// hash table. Threads: none; one owner.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/sim/request.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::sim {

class NamedRequests {
public:
  // From now on the rank calls `request` so. Returns: what it called so before; kNone: nothing.
  std::uint32_t name(std::uint32_t rank, std::uint32_t id, std::uint32_t request) {
    if (rank >= rings_.size()) rings_.resize(rank + 1);
    for (Ring* ring = &rings_[rank];; grow(*ring)) {
      if (ring->empty()) continue;
      Place& place = (*ring)[id & (ring->size() - 1)];
      if (place.request == kNone && crowded_.size() > 0) {
        if (std::uint32_t* const found = crowded_.find(key_of(rank, id))) return std::exchange(*found, request);
      }
      if (place.request == kNone || place.id == id) {
        place.id = id;
        return std::exchange(place.request, request);
      }
      if (ring->size() >= kMostPlaces) break;
    }
    const auto [found, made] = crowded_.emplace(key_of(rank, id));
    const std::uint32_t before = made ? kNone : *found;
    *found = request;
    return before;
  }
  // Returns: the request of that name, which has none from now on; kNone: there is none.
  std::uint32_t take(std::uint32_t rank, std::uint32_t id) {
    if (Place* const place = place_of(rank, id)) return std::exchange(place->request, kNone);
    const std::uint32_t* const found = crowded_.find(key_of(rank, id));
    if (found == nullptr) return kNone;
    const std::uint32_t request = *found;
    crowded_.erase_at(found);
    return request;
  }
  // The same; it keeps its name.
  [[nodiscard]] std::uint32_t find(std::uint32_t rank, std::uint32_t id) const {
    if (const Place* const place = place_of(rank, id)) return place->request;
    const std::uint32_t* const found = crowded_.find(key_of(rank, id));
    return found == nullptr ? kNone : *found;
  }

private:
  struct Place {
    std::uint32_t id = 0;
    std::uint32_t request = kNone; // none: it is free
  };
  using Ring = std::vector<Place>; // its size is a power of two, or 0
  static constexpr std::size_t kFirstPlaces = 4;
  static constexpr std::size_t kMostPlaces = 4096;

  static std::uint64_t key_of(std::uint32_t rank, std::uint32_t id) { return static_cast<std::uint64_t>(rank) << 32 | id; }
  [[nodiscard]] const Place* place_of(std::uint32_t rank, std::uint32_t id) const {
    if (rank >= rings_.size() || rings_[rank].empty()) return nullptr;
    const Place& place = rings_[rank][id & (rings_[rank].size() - 1)];
    return place.request != kNone && place.id == id ? &place : nullptr;
  }
  [[nodiscard]] Place* place_of(std::uint32_t rank, std::uint32_t id) {
    return const_cast<Place*>(std::as_const(*this).place_of(rank, id));
  }
  // Ids that have places of their own have them in a ring twice as large.
  static void grow(Ring& ring) {
    Ring larger(ring.empty() ? kFirstPlaces : ring.size() * 2);
    for (const Place& place : ring) {
      if (place.request != kNone) larger[place.id & (larger.size() - 1)] = place;
    }
    ring = std::move(larger);
  }

  std::vector<Ring> rings_;                             // [rank]
  base::FlatMap<std::uint64_t, std::uint32_t> crowded_; // whose place another one had
};

} // namespace farcast::sim
