#include "predictor/scenario/mean.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace farcast::scenario {

namespace {

// Adds up figures in the order of the members, then divides.
class Mean {
public:
  explicit Mean(std::size_t members) : share_(1.0 / static_cast<double>(members)) {}
  template <class Figure> void divide(Figure& figure) const { figure = figure * share_; }
  void divide(std::uint64_t& count) const {
    count = static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * share_));
  }

private:
  double share_;
};

// Calls both(figure of `to`, figure of `from`) for all figures that add up.
template <class Both> void each_figure(sim::RankTimes& to, const sim::RankTimes& from, Both both) {
  for (std::size_t i = 0; i < to.in.size(); ++i) both(to.in[i], from.in[i]);
  both(to.sent, from.sent);
  both(to.messages, from.messages);
  for (std::size_t i = 0; i < to.given_polls.size(); ++i) both(to.given_polls[i], from.given_polls[i]);
  both(to.energy, from.energy);
}
template <class Both> void each_figure(sim::SiteTimes& to, const sim::SiteTimes& from, Both both) {
  both(to.count, from.count);
  both(to.total, from.total);
  both(to.max, from.max);
  both(to.min, from.min);
  both(to.energy, from.energy);
}
template <class Both> void each_figure(sim::RegionTimes& to, const sim::RegionTimes& from, Both both) {
  both(to.visits, from.visits);
  both(to.measured, from.measured);
  both(to.predicted, from.predicted);
  both(to.energy, from.energy);
}
template <class Both> void each_figure(sim::NodeEnergy& to, const sim::NodeEnergy& from, Both both) {
  both(to.total, from.total);
  both(to.idle, from.idle);
}
template <class Both> void each_figure(sim::LinkEnergy& to, const sim::LinkEnergy& from, Both both) {
  to.name = from.name;
  both(to.carried, from.carried);
  both(to.idle, from.idle);
  both(to.carrying, from.carrying);
}
template <class Both> void each_figure(sim::SlowdownUse& to, const sim::SlowdownUse& from, Both both) {
  both(to.played, from.played);
  both(to.played_beyond, from.played_beyond);
}
template <class Both> void each_figure(energy::EnergyParts& to, const energy::EnergyParts& from, Both both) {
  both(to.baseline, from.baseline);
  both(to.computing, from.computing);
  both(to.polling, from.polling);
  both(to.probing, from.probing);
}

template <class Both> void each_figure(base::Seconds& to, base::Seconds from, Both both) { both(to, from); }
template <class Both> void each_figure(sim::WaitTimes& to, const sim::WaitTimes& from, Both both) {
  for (std::size_t state = 0; state < to.size(); ++state) both(to[state], from[state]);
}
template <class Both> void each_figure(sim::Imbalance& to, const sim::Imbalance& from, Both both) {
  both(to.most, from.most);
  both(to.mean, from.mean);
}

template <class Entry, class Both> void each_entry(std::vector<Entry>& to, const std::vector<Entry>& from, Both both) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) each_figure(to[i], from[i], both);
}

template <class Both> void each_figure(sim::Bottlenecks& to, const sim::Bottlenecks& from, Both both) {
  for (const auto& [part, time] : from.path) each_figure(to.path[part], time, both);
  each_entry(to.path_on, from.path_on, both);
  each_entry(to.ranks, from.ranks, both);
  for (const auto& [site, times] : from.sites) each_figure(to.sites[site], times, both);
  for (const auto& [region, times] : from.regions) each_figure(to.regions[region], times, both);
  for (const auto& [region, times] : from.imbalance) each_figure(to.imbalance[region], times, both);
}

template <class Both> void each_figure(sim::Prediction& to, const sim::Prediction& from, Both both) {
  both(to.time, from.time);
  if (to.energy && from.energy) both(*to.energy, *from.energy);
  each_figure(to.energy_parts, from.energy_parts, both);
  both(to.idle_energy, from.idle_energy);
  each_entry(to.nodes, from.nodes, both);
  for (const auto& [link, energy] : from.links) each_figure(to.links[link], energy, both);
  each_entry(to.ranks, from.ranks, both);
  each_entry(to.other_threads, from.other_threads, both);
  for (const auto& [site, times] : from.sites) each_entry(to.sites[site], times, both);
  for (const auto& [region, times] : from.regions) each_figure(to.regions[region], times, both);
  if (to.slowdowns && from.slowdowns) each_figure(*to.slowdowns, *from.slowdowns, both);
  if (to.bottlenecks && from.bottlenecks) each_figure(*to.bottlenecks, *from.bottlenecks, both);
  both(to.events, from.events);
}

} // namespace

sim::Prediction mean_of(const std::vector<sim::Prediction>& members) {
  sim::Prediction out = members.front();
  if (members.size() == 1) return out;
  for (std::size_t i = 1; i < members.size(); ++i) {
    const sim::Prediction& member = members[i];
    each_figure(out, member, [](auto& sum, const auto& figure) { sum += figure; });
    if (out.complete && !member.complete) out.problems = member.problems;
    out.complete = out.complete && member.complete;
  }
  const Mean mean(members.size());
  const sim::Prediction sums = out;
  each_figure(out, sums, [&mean](auto& figure, const auto& /*sum*/) { mean.divide(figure); });
  out.transport.seed = 0;
  return out;
}

} // namespace farcast::scenario
