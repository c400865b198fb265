#include "predictor/scenario/numbering.h"

namespace farcast::scenario {

Translation intern(const trace::SiteTable& from, trace::SiteTable& to) {
  Translation out;
  for (const trace::Site& site : from.sites()) out.site.push_back(to.site(site));
  for (const auto& [first, second] : from.regions()) out.region.push_back(to.region(out.site[first], out.site[second]));
  return out;
}

trace::SiteTable in_canonical_order(const trace::SiteTable& all) {
  const trace::CanonicalOrder order = trace::canonical_order(all);
  const auto inverse = [](const std::vector<std::uint32_t>& position) {
    std::vector<std::uint32_t> at(position.size());
    for (std::uint32_t i = 0; i < at.size(); ++i) at[position[i]] = i;
    return at;
  };
  trace::SiteTable out;
  for (const std::uint32_t site : inverse(order.site)) out.site(all.sites()[site]);
  for (const std::uint32_t region : inverse(order.region)) {
    const auto& [from, to] = all.regions()[region];
    out.region(order.site[from], order.site[to]);
  }
  return out;
}

namespace {

void renumber_bottlenecks(sim::Bottlenecks& bottlenecks, const Translation& numbers) {
  bottlenecks.sites = renumber(std::move(bottlenecks.sites), numbers.site);
  bottlenecks.regions = renumber(std::move(bottlenecks.regions), numbers.region);
  bottlenecks.imbalance = renumber(std::move(bottlenecks.imbalance), numbers.region);
  std::map<std::pair<sim::PathPart, std::uint32_t>, base::Seconds> path;
  for (const auto& [key, time] : bottlenecks.path) {
    const auto& [part, index] = key;
    path[{part, part == sim::PathPart::compute ? numbers.region[index] : numbers.site[index]}] += time;
  }
  bottlenecks.path = std::move(path);
}

} // namespace

void renumber(sim::Prediction& prediction, const Translation& numbers) {
  prediction.sites = renumber(std::move(prediction.sites), numbers.site);
  prediction.regions = renumber(std::move(prediction.regions), numbers.region);
  if (prediction.bottlenecks) renumber_bottlenecks(*prediction.bottlenecks, numbers);
  for (sim::Problem& problem : prediction.problems) {
    if (problem.site) problem.site = numbers.site[*problem.site];
  }
}

} // namespace farcast::scenario
