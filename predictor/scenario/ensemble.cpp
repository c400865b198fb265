#include "predictor/scenario/ensemble.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace farcast::scenario {

namespace {

// Only ordered channels have anything to draw.
bool leaves_to_chance(const Scenario& scenario) {
  return sim::message_model_of(scenario.where->platform, scenario.options) == sim::MessageModel::channel;
}

} // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size();
  Spread out;
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
  out.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
  out.least = values.front();
  out.most = values.back();
  return out;
}

Realisations realisations_of(const std::vector<sim::Prediction>& members) {
  Realisations out;
  out.count = members.size();
  std::vector<double> times;
  struct Ranks {
    std::vector<double> quickest, slowest; // [realisation]
  };
  std::map<std::uint32_t, Ranks> sites;
  for (const sim::Prediction& member : members) {
    times.push_back(member.time.value());
    for (const auto& [site, ranks] : member.sites) {
      double least = 0, most = 0;
      for (const sim::SiteTimes& rank : ranks) {
        const double total = rank.total.value();
        if (total > 0) least = least > 0 ? std::min(least, total) : total;
        most = std::max(most, total);
      }
      if (!(most > 0)) continue;
      sites[site].quickest.push_back(least);
      sites[site].slowest.push_back(most);
    }
  }
  out.time = spread_of(std::move(times));
  for (auto& [site, ranks] : sites) {
    if (ranks.slowest.size() == members.size())
      out.sites[site] = {spread_of(std::move(ranks.quickest)), spread_of(std::move(ranks.slowest))};
  }
  return out;
}

Ensembles::Ensembles(const std::vector<Scenario>& scenarios, std::size_t count)
    : count_(count), all_(scenarios), first_(scenarios.size(), 0) {
  for (std::size_t i = 0; count > 0 && i < scenarios.size(); ++i) {
    if (!leaves_to_chance(scenarios[i])) continue;
    const std::uint64_t seed = scenarios[i].options.seed;
    // One with a seed is a realisation itself: the first.
    const std::size_t more = seed > 0 ? count - 1 : count;
    first_[i] = all_.size();
    for (std::size_t k = 0; k < more; ++k) {
      all_.push_back(scenarios[i]);
      all_.back().options.seed = seed + 1 + k;
    }
  }
}

Ensembles::Divided Ensembles::divide(std::vector<sim::Prediction> predictions) const {
  Divided out;
  out.realisations.resize(first_.size());
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (first_[i] == 0) continue;
    const std::uint64_t seed = all_[i].options.seed;
    std::vector<sim::Prediction> members;
    if (seed > 0) members.push_back(predictions[i]);
    for (std::size_t k = members.size(); k < count_; ++k)
      members.push_back(std::move(predictions[first_[i] + k - (seed > 0 ? 1 : 0)]));
    out.realisations[i] = realisations_of(members);
    out.realisations[i]->first_seed = std::max<std::uint64_t>(seed, 1);
  }
  predictions.resize(first_.size());
  out.usual = std::move(predictions);
  return out;
}

} // namespace farcast::scenario
