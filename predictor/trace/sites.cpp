#include "predictor/trace/sites.h"

#include <algorithm>
#include <numeric>

namespace farcast::trace {

std::uint32_t SiteTable::site(const Site& site) {
  const auto [at, fresh] = index_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
  if (fresh) {
    const std::lock_guard<std::mutex> lock(growing_);
    sites_.push_back(site);
  }
  return at->second;
}

std::uint32_t SiteTable::region(std::uint32_t from, std::uint32_t to) {
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32) | to;
  RecentRegion& recent = recent_[(from * 31 + to) % recent_.size()];
  if (recent.key == key) return recent.number;
  const auto [number, fresh] = region_index_.emplace(key);
  if (fresh) {
    *number = static_cast<std::uint32_t>(regions_.size());
    const std::lock_guard<std::mutex> lock(growing_);
    regions_.emplace_back(from, to);
  }
  recent = {key, *number};
  return *number;
}

std::pair<std::vector<Frame>, std::vector<Frame>> SiteTable::stacks_of(std::uint32_t region) const {
  const std::lock_guard<std::mutex> lock(growing_);
  const auto& [from, to] = regions_[region];
  return {sites_[from].frames, sites_[to].frames};
}

CanonicalOrder canonical_order(const SiteTable& table) {
  CanonicalOrder order;
  const auto positions = [](std::size_t count, auto&& less) {
    std::vector<std::uint32_t> sorted(count);
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::sort(sorted.begin(), sorted.end(), less);
    std::vector<std::uint32_t> position(count);
    for (std::uint32_t i = 0; i < count; ++i) position[sorted[i]] = i;
    return position;
  };
  order.site =
      positions(table.sites().size(), [&](std::uint32_t a, std::uint32_t b) { return table.sites()[a] < table.sites()[b]; });
  order.region = positions(table.regions().size(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t region) {
      return std::pair(order.site[table.regions()[region].first], order.site[table.regions()[region].second]);
    };
    return key(a) < key(b);
  });
  return order;
}

Frame SiteResolver::frame(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(*mutex_);
  // The latest list of modules that knows the address wins: objects come and go.
  for (auto module = rank_->modules.rbegin(); module != rank_->modules.rend(); ++module) {
    if (address > module->base && address <= module->end) return {module->path, module->build_id, address - module->base};
  }
  return {"", "", address};
}

std::uint32_t SiteResolver::site(std::uint64_t key, std::uint16_t function) {
  const std::uint64_t mixed = stream::spread(key) ^ function;
  Recent& recent = recent_[(mixed >> 40) % recent_.size()];
  if (recent.mixed == mixed && mixed != 0) return recent.number;
  if (const std::uint32_t* known = known_.find(mixed)) {
    recent = {mixed, *known};
    return *known;
  }
  Site site;
  site.function = function;
  if (const auto stack = stacks_.find(key); stack != stacks_.end()) {
    for (const std::uint64_t address : stack->second) site.frames.push_back(frame(address));
  } else {
    site.frames.push_back(frame(key));
  }
  const std::uint32_t number = table_->site(site);
  *known_.emplace(mixed).first = number;
  return number;
}

} // namespace farcast::trace
