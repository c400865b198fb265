#include "predictor/timeline/names.h"

#include "predictor/trace/function_info.h"

namespace farcast::timeline {

namespace {

const CallName kUnknown{};

} // namespace

Names::Names(const trace::SiteTable& sites, region::FrameNames& frames) : regions_(sites.regions()) {
  const std::vector<trace::FunctionInfo>& infos = trace::function_infos();
  calls_.reserve(sites.sites().size());
  for (const trace::Site& site : sites.sites()) {
    CallName& name = calls_.emplace_back();
    if (site.function < infos.size()) name.function = infos[site.function].name;
    if (site.frames.empty()) continue;
    trace::ResolvedSite place = frames.of(site.frames.front());
    name.place = std::move(place.text);
    name.file = std::move(place.file);
    name.line = place.line;
  }
}

const CallName& Names::call(std::uint32_t site) const { return site < calls_.size() ? calls_[site] : kUnknown; }

std::pair<const CallName&, const CallName&> Names::between(std::uint32_t region) const {
  if (region >= regions_.size()) return {kUnknown, kUnknown};
  return {call(regions_[region].first), call(regions_[region].second)};
}

std::string Names::region(std::uint32_t region) const {
  const auto [from, to] = between(region);
  return from.place + " -> " + to.place;
}

} // namespace farcast::timeline
