#include "predictor/region/slowdowns.h"

#include "predictor/base/base_name.h"

#include <algorithm>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <set>
#include <unistd.h>

namespace farcast::region {

namespace {

// The mean curve of regions, each weighted with its time alone, at every number of co-runners that
// one of them was measured in.
std::vector<SlowdownPoint> mean_curve(const std::vector<const RegionSlowdown*>& regions) {
  std::set<int> counts;
  double weights = 0;
  for (const RegionSlowdown* region : regions) {
    for (const SlowdownPoint& point : region->points) counts.insert(point.corunners);
    weights += region->alone_s;
  }
  std::vector<SlowdownPoint> out;
  for (const int corunners : counts) {
    SlowdownPoint point{corunners, 0.0, 0.0, 0};
    for (const RegionSlowdown* region : regions) {
      const double weight = weights > 0 ? region->alone_s / weights : 1.0 / static_cast<double>(regions.size());
      point.slowdown += weight * slowdown_at(region->points, corunners);
    }
    out.push_back(point);
  }
  return out;
}

SiteStack up_to(SiteStack stack, std::size_t frames) {
  stack.resize(std::min(stack.size(), frames));
  return stack;
}

} // namespace

Slowdowns::Slowdowns(const SlowdownTable& table, const trace::SiteTable& sites, std::vector<trace::ResolvedSite> known)
    : table_(table), sites_(sites), names_(std::move(known)) {
  by_name_ =
      std::any_of(table.regions.begin(), table.regions.end(), [](const auto& region) { return region.divisor.has_value(); });
  const auto key = [&](std::uint32_t site) {
    const trace::ResolvedSite& place = table.sites[site];
    return by_name_ ? SiteKey(place.text, 0) : key_of_place(place.build_id, place.module, place.offset);
  };
  const auto stack = [&](std::uint32_t site) {
    SiteStack out{key(site)};
    if (!table.callers.empty()) out.insert(out.end(), table.callers[site].begin(), table.callers[site].end());
    return out;
  };
  regions_.resize(stack_depth(table));
  for (std::uint32_t i = 0; i < table.regions.size(); ++i) {
    const RegionSlowdown& region = table.regions[i];
    for (std::size_t frames = 1; frames <= regions_.size(); ++frames)
      regions_[frames - 1][{up_to(stack(region.from), frames), up_to(stack(region.to), frames)}].push_back(i);
    from_[key(region.from)].push_back(i);
    to_[key(region.to)].push_back(i);
    for (const std::string& file : {table.sites[region.from].file, table.sites[region.to].file}) {
      std::vector<std::uint32_t>& list = file_[file];
      if (!file.empty() && (list.empty() || list.back() != i)) list.push_back(i);
    }
  }
}

SiteKey Slowdowns::key_of(const trace::Frame& frame) {
  if (by_name_) {
    const trace::ResolvedSite site = names_.of(frame);
    return {fmt::format("{}:{}", base::base_name(site.file), site.line), 0};
  }
  return key_of_place(frame.build_id, frame.path, frame.offset);
}

SiteStack Slowdowns::key_of(const std::vector<trace::Frame>& stack) {
  SiteStack out;
  const std::size_t most = std::min(stack.size(), regions_.size());
  for (std::size_t i = 0; i < most; ++i) out.push_back(key_of(stack[i]));
  return out;
}

// Returns: the regions whose stacks agree with these as far as both sides know them, else as far as
// possible; null: none do.
const std::vector<std::uint32_t>* Slowdowns::by_stacks(const SiteStack& from, const SiteStack& to, SlowdownMatch& match) const {
  const std::size_t known = std::max(from.size(), to.size());
  for (std::size_t frames = known; frames > 0; --frames) {
    const auto& regions = regions_[frames - 1];
    const auto found = regions.find({up_to(from, frames), up_to(to, frames)});
    if (found == regions.end()) continue;
    match = frames == known ? SlowdownMatch::exact : SlowdownMatch::neighbour;
    return &found->second;
  }
  return nullptr;
}

void Slowdowns::add_up(Curve& curve, const std::vector<std::uint32_t>& regions) const {
  std::vector<const RegionSlowdown*> list;
  double sum = 0;
  for (const std::uint32_t region : regions) {
    list.push_back(&table_.regions[region]);
    sum += table_.regions[region].divisor.value_or(1.0);
  }
  if (by_name_)
    curve.divisor = sum / static_cast<double>(list.size());
  else
    curve.points = mean_curve(list);
}

// Its own curve, else its neighbourhood's.
Slowdowns::Curve Slowdowns::find(std::uint32_t region) {
  Curve out;
  out.known = true;
  const auto [first, second] = sites_.stacks_of(region);
  const SiteStack from = key_of(first);
  const SiteStack to = key_of(second);
  if (const auto* same = by_stacks(from, to, out.match); same != nullptr) {
    add_up(out, *same);
    return out;
  }
  std::vector<std::uint32_t> near;
  if (const auto found = from_.find(from.front()); found != from_.end()) near = found->second;
  if (const auto found = to_.find(to.front()); found != to_.end())
    near.insert(near.end(), found->second.begin(), found->second.end());
  out.match = SlowdownMatch::neighbour;
  if (near.empty()) {
    const std::string file = names_.of(second.front()).file;
    out.match = SlowdownMatch::same_file;
    if (const auto found = file_.find(file); !file.empty() && found != file_.end()) near = found->second;
  }
  if (near.empty())
    out.match = SlowdownMatch::none;
  else
    add_up(out, near);
  return out;
}

Slowdowns::Curve& Slowdowns::curve_of(std::uint32_t region) {
  if (region >= curves_.size()) curves_.resize(region + 1);
  Curve& curve = curves_[region];
  if (!curve.known) curve = find(region);
  return curve;
}

double Slowdowns::alone_share(const trace::Operation& operation, const std::vector<double>& share) {
  const Curve& curve = curve_of(operation.region);
  const double seconds = std::max(0.0, operation.compute.value());
  switch (curve.match) {
  case SlowdownMatch::exact:
    coverage_.exact_s += seconds;
    break;
  case SlowdownMatch::neighbour:
    coverage_.neighbour_s += seconds;
    break;
  case SlowdownMatch::same_file:
    coverage_.same_file_s += seconds;
    break;
  case SlowdownMatch::none:
    coverage_.none_s += seconds;
    break;
  }
  if (curve.points.empty()) return 1.0 / curve.divisor;
  double alone = 0;
  for (std::size_t i = 0; i < share.size(); ++i) {
    const int corunners = static_cast<int>(i) + 1;
    alone += share[i] / slowdown_at(curve.points, corunners);
    if (corunners > curve.points.back().corunners) coverage_.beyond_s += seconds * share[i];
  }
  return alone;
}

double Slowdowns::slowdown(std::uint32_t region, int corunners) {
  const Curve& curve = curve_of(region);
  return curve.points.empty() ? 1.0 : slowdown_at(curve.points, corunners);
}

void Slowdowns::count_played(std::uint32_t region, int corunners, double seconds) {
  coverage_.played_s += seconds;
  const Curve& curve = curve_of(region);
  if (curve.points.empty() || corunners <= curve.points.back().corunners) return;
  coverage_.played_beyond_s += seconds;
  coverage_.corunners_played = std::max(coverage_.corunners_played, corunners);
  coverage_.corunners_measured = std::max(coverage_.corunners_measured, curve.points.back().corunners);
}

base::Result<void> check_objects(const SlowdownTable& table, const std::vector<trace::LoadedModule>& modules) {
  const trace::ResolvedSite* other = nullptr; // the same file, another build
  const trace::ResolvedSite* any = nullptr;
  for (const trace::ResolvedSite& site : table.sites) {
    if (site.build_id.empty()) return {}; // nothing to compare: SimGrid's files, objects without a build-id
    any = &site;
    for (const trace::LoadedModule& module : modules) {
      if (module.build_id == site.build_id) return {};
      if (base::base_name(module.path) == base::base_name(site.module)) other = &site;
    }
  }
  if (other != nullptr) {
    return base::fail(
        fmt::format("{}: it was measured on another build of {} (build-id {}): calibrate this one, or give the file "
                    "that belongs to it",
                    table.source, base::base_name(other->module), other->build_id));
  }
  if (any == nullptr || modules.empty()) return {};
  return base::fail(fmt::format("{}: it was measured on another program, {} (build-id {}), and holds no region of this one",
                                table.source, base::base_name(any->module), any->build_id));
}

base::Result<void> check_program(const SlowdownTable& table, const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string id;
  elf_version(EV_CURRENT);
  Elf* elf = elf_begin(file, ELF_C_READ, nullptr);
  const void* bits = nullptr;
  const ssize_t length = elf == nullptr ? -1 : dwelf_elf_gnu_build_id(elf, &bits);
  for (ssize_t i = 0; i < length; ++i) id += fmt::format("{:02x}", static_cast<const unsigned char*>(bits)[i]);
  elf_end(elf);
  close(file);
  if (id.empty()) return {};
  trace::LoadedModule module;
  module.path = path;
  module.build_id = id;
  const bool named = std::any_of(table.sites.begin(), table.sites.end(),
                                 [&](const auto& site) { return base::base_name(site.module) == base::base_name(path); });
  // Sites of other objects, such as a library that a script loads, show when they are loaded.
  return named ? check_objects(table, {module}) : base::Result<void>{};
}

} // namespace farcast::region
