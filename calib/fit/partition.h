// Weighted points in order of x, cut into stretches of one straight line each: the best cuts for
// every number of stretches.
//
// Exact dynamic programming over candidate cuts (Bai and Perron 1998), each stretch's cost in O(1)
// from moments that grow with it. A cut is the number of samples below it. Invariants:
// 1. Samples of equal x are never separated, nor is a stretch made of less than min_samples, or
//    with less than half of these weighing something, or with only one x among those that do.
// 2. A stretch never crosses a forced cut.
// Time O(candidates * (samples + candidates * stretches)), memory O(candidates * stretches).
// Threads: const after construction.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace farcast::fit {

struct Line {
  double base = 0.0;
  double slope = 0.0;
  double operator()(double x) const { return base + slope * x; }
};

struct Points { // of equal lengths
  std::span<const double> x, y, weight;
};

class Moments {
public:
  // weight 0: not there. Requires: x ascending. Keeps pointing to x.
  explicit Moments(const Points& points);

  [[nodiscard]] std::size_t samples() const { return sum_.size() - 1; }
  [[nodiscard]] std::size_t weighing(std::size_t first, std::size_t end) const { return sum_[end].count - sum_[first].count; }
  // More than one x among those that weigh something?
  [[nodiscard]] bool spreads(std::size_t first, std::size_t end) const {
    return weighing(first, end) >= 2 && sum_[end].last_x > sum_[first].next_x;
  }
  // Whether a cut there keeps equal x together.
  [[nodiscard]] bool separates(std::size_t cut) const { return cut == 0 || cut == samples() || x_[cut - 1] < x_[cut]; }
  // Weighted squares left by the best line through samples first .. end-1. Requires: spreads(first,
  // end).
  [[nodiscard]] double cost(std::size_t first, std::size_t end) const;
  [[nodiscard]] Line line(std::size_t first, std::size_t end) const;
  // The best line through what `below` says of samples first .. cut-1 and `above` of cut .. end-1.
  // Requires: first <= cut <= end, spreads(first, end).
  [[nodiscard]] Line straightened(std::size_t first, std::size_t cut, std::size_t end, const Line& below,
                                  const Line& above) const;
  // How much sample i, if it weighs `weight` in there, pulls the line to itself: 0 .. 1.
  [[nodiscard]] double leverage(std::size_t first, std::size_t end, std::size_t i, double weight) const;

private:
  // Long double: sums over all samples are subtracted from each other, where weights span many decades.
  struct Sum {
    long double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, wyy = 0;
    std::size_t count = 0;
    double last_x = 0.0; // the last x below that weighs something; -infinity without one
    double next_x = 0.0; // the first one above; +infinity
  };
  struct Centred {
    long double w, mean_x, mean_y, xx, xy, yy;
  };
  [[nodiscard]] Centred centred(std::size_t first, std::size_t end) const;

  std::span<const double> x_;
  std::vector<Sum> sum_; // [samples below]
};

struct PartitionOptions {
  std::size_t min_samples = 10;
  std::size_t max_stretches = 12;
  std::vector<std::size_t> forced_cuts; // ascending
};

// cuts[number of stretches - 1]: 0, the cuts, samples(); empty where that number is not possible.
struct Partitions {
  std::vector<std::vector<std::size_t>> cuts;
  // cost[number of stretches - 1]: weighted squares left by all lines; infinity where that number
  // is not possible
  std::vector<double> cost;
};

// Requires: x ascending, weights >= 0; candidates ascending, with 0, the number of samples and all
// forced cuts among them.
Partitions best_partitions(const Points& points, std::span<const std::size_t> candidates, const PartitionOptions& options);

} // namespace farcast::fit
