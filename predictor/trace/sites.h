// Numbers for call sites and regions, independent of where a rank's objects were loaded.
//
// A site is (object, offset in it, MPI function), or for deeper stacks the chain of such frames.
// Numbers are given in order of appearance, which may differ from run to run of a live prediction:
// canonical_order() gives the order that reports use.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/trace/recording.h"

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace farcast::trace {

struct Frame {
  std::string path; // of the object; empty: unknown
  std::string build_id;
  std::uint64_t offset = 0; // of the return address in the object
  auto operator<=>(const Frame&) const = default;
};

struct Site {
  std::vector<Frame> frames; // innermost first; at least one
  std::uint16_t function = 0;
  auto operator<=>(const Site&) const = default;
};

// Threads: one that numbers; others may call stacks_of() meanwhile, and all else once it is done.
class SiteTable {
public:
  std::uint32_t site(const Site& site);
  std::uint32_t region(std::uint32_t from, std::uint32_t to);
  // Returns: the frames of the two sites of a region.
  [[nodiscard]] std::pair<std::vector<Frame>, std::vector<Frame>> stacks_of(std::uint32_t region) const;
  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& regions() const { return regions_; }

private:
  struct Lock : std::mutex { // each table has its own
    Lock() = default;
    Lock(const Lock& /*other*/) : std::mutex() {}
    Lock& operator=(const Lock& /*other*/) { return *this; }
  };
  mutable Lock growing_; // of sites_ and regions_
  std::map<Site, std::uint32_t> index_;
  std::vector<Site> sites_;
  struct RecentRegion {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t number = 0;
  };
  std::array<RecentRegion, 256> recent_; // in front of region_index_
  base::FlatMap<std::uint64_t, std::uint32_t> region_index_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> regions_;
};

struct CanonicalOrder {
  std::vector<std::uint32_t> site;   // [number in the table] -> position among the sorted sites
  std::vector<std::uint32_t> region; // the same for regions
};
CanonicalOrder canonical_order(const SiteTable& table);

// One rank's addresses -> sites of the shared table.
class SiteResolver {
public:
  SiteResolver(SiteTable& table, RankRecording& rank, std::mutex& mutex) : table_(&table), rank_(&rank), mutex_(&mutex) {}
  std::uint32_t site(std::uint64_t key, std::uint16_t function);
  // Frames of a site whose key is not an address.
  void define_stack(std::uint64_t key, std::vector<std::uint64_t> frames) { stacks_[key] = std::move(frames); }

private:
  Frame frame(std::uint64_t address);

  SiteTable* table_;
  RankRecording* rank_;
  std::mutex* mutex_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> stacks_;
  base::FlatMap<std::uint64_t, std::uint32_t> known_; // key and function -> number
  struct Recent {
    std::uint64_t mixed = 0;
    std::uint32_t number = 0;
  };
  std::array<Recent, 256> recent_{}; // in front of known_: programs call from few places at a time
};

} // namespace farcast::trace
