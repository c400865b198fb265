#include "predictor/html/link_load.h"

#include <algorithm>
#include <utility>

namespace farcast::html {

void LinkLoad::link(const network::LinkUse& use) {
  if (!(use.end > use.begin)) return;
  Load& load = loads_[use.link];
  const double rate = use.bytes / (use.end - use.begin);
  load.rate.add(use.begin, rate);
  load.rate.add(use.end, -rate);
  load.bytes += use.bytes;
}

std::vector<LinkLoad::Link> LinkLoad::busiest(std::size_t most, std::size_t slices) const {
  std::vector<Link> out;
  if (!(end_s_ > 0)) return out;
  std::vector<std::pair<double, platform::LinkId>> by_share;
  for (const auto& [id, load] : loads_) by_share.emplace_back(load.bytes / (platform_.links[id].bandwidth.value() * end_s_), id);
  std::sort(by_share.begin(), by_share.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  by_share.resize(std::min(by_share.size(), most));
  for (const auto& [share, id] : by_share) {
    const platform::Link& link = platform_.links[id];
    const Load& load = loads_.at(id);
    out.push_back({link.name, link.bandwidth.value(), load.bytes, share, means(load.rate.steps(end_s_), end_s_, slices)});
    for (double& in_slice : out.back().shares) in_slice = std::max(0.0, in_slice / link.bandwidth.value());
  }
  return out;
}

std::vector<double> means(const std::vector<energy::Step>& steps, double end, std::size_t slices) {
  std::vector<double> out(slices);
  const auto begin_of = [&](std::size_t slice) { return end * (static_cast<double>(slice) / static_cast<double>(slices)); };
  std::size_t slice = 0; // that the time has come to; times ascend
  for (std::size_t step = 0; step < steps.size(); ++step) {
    double from = steps[step].begin;
    const double until = step + 1 < steps.size() ? steps[step + 1].begin : end;
    while (from < until) {
      while (slice + 1 < slices && begin_of(slice + 1) <= from) ++slice;
      const double to = slice + 1 < slices ? std::min(until, begin_of(slice + 1)) : until;
      out[slice] += steps[step].value * (to - from);
      from = to;
    }
  }
  for (std::size_t i = 0; i < slices; ++i) out[i] /= begin_of(i + 1) - begin_of(i);
  return out;
}

} // namespace farcast::html
