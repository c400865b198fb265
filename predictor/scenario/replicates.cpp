#include "predictor/scenario/replicates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace farcast::scenario {

namespace {

constexpr double kAlike = 0.5; // standard deviation of noise, as a share: beyond, ranks do not do the same

std::vector<double> means_of(const std::vector<std::span<const double>>& ranks) {
  std::vector<double> out(ranks.front().size(), 0.0);
  for (const std::span<const double> rank : ranks)
    for (std::size_t step = 0; step < out.size(); ++step) out[step] += rank[step] / static_cast<double>(ranks.size());
  return out;
}

} // namespace

std::optional<Replicates> replicates_of(const std::vector<std::span<const double>>& ranks) {
  if (ranks.size() < 2 || ranks.front().size() < 2) return std::nullopt;
  Replicates out;
  out.step = means_of(ranks);
  double squares = 0, fourth = 0;
  for (const double mean : out.step) {
    squares += mean * mean;
    fourth += mean * mean * mean * mean;
  }
  if (!(fourth > 0)) return std::nullopt;
  const double steps = squares * squares / fourth; // that count, by their weights
  const auto others = static_cast<double>(ranks.size() - 1);
  out.degrees = others * (steps - 1);
  if (out.degrees < kFewestDegrees) return std::nullopt;
  double left = 0, factors = 0;
  for (const std::span<const double> rank : ranks) {
    double products = 0;
    for (std::size_t step = 0; step < out.step.size(); ++step) products += rank[step] * out.step[step];
    out.rank.push_back(products / squares);
    factors += out.rank.back() * out.rank.back();
    for (std::size_t step = 0; step < out.step.size(); ++step) {
      const double off = rank[step] - out.rank.back() * out.step[step];
      left += off * off;
    }
  }
  // A rank's noise goes with its factor: the mean of their squares is beside the steps'.
  out.variance = left / squares / others * steps / (steps - 1) * static_cast<double>(ranks.size()) / factors;
  if (out.variance > kAlike * kAlike) return std::nullopt;
  return out;
}

std::vector<std::vector<double>> left_of(const std::vector<std::span<const double>>& ranks, const Replicates& replicates) {
  const double scale = std::sqrt(static_cast<double>(ranks.size()) / static_cast<double>(ranks.size() - 1));
  std::vector<std::vector<double>> out;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::vector<double>& series = out.emplace_back();
    for (std::size_t step = 0; step < ranks[rank].size(); ++step) {
      const double level = replicates.rank[rank] * replicates.step[step];
      series.push_back(level > 0 ? std::max(0.0, 1 + scale * (ranks[rank][step] / level - 1)) : 1.0);
    }
  }
  return out;
}

} // namespace farcast::scenario
