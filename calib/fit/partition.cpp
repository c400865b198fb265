#include "calib/fit/partition.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace farcast::fit {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

Moments::Moments(const Points& points) : x_(points.x), sum_(points.x.size() + 1) {
  const auto& [x, y, weight] = points;
  sum_[0].last_x = -kInfinity;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double w = weight[i], lx = x[i], ly = y[i];
    const Sum& before = sum_[i];
    sum_[i + 1] = {before.w + w,
                   before.wx + w * lx,
                   before.wy + w * ly,
                   before.wxx + w * lx * lx,
                   before.wxy + w * lx * ly,
                   before.wyy + w * ly * ly,
                   before.count + (weight[i] > 0.0 ? 1 : 0),
                   weight[i] > 0.0 ? x[i] : before.last_x,
                   0.0};
  }
  sum_.back().next_x = kInfinity;
  for (std::size_t i = x.size(); i-- > 0;) sum_[i].next_x = weight[i] > 0.0 ? x[i] : sum_[i + 1].next_x;
}

Moments::Centred Moments::centred(std::size_t first, std::size_t end) const {
  const Sum& a = sum_[first];
  const Sum& b = sum_[end];
  const long double w = b.w - a.w, mean_x = (b.wx - a.wx) / w, mean_y = (b.wy - a.wy) / w;
  return {w,
          mean_x,
          mean_y,
          (b.wxx - a.wxx) - w * mean_x * mean_x,
          (b.wxy - a.wxy) - w * mean_x * mean_y,
          (b.wyy - a.wyy) - w * mean_y * mean_y};
}

double Moments::cost(std::size_t first, std::size_t end) const {
  const Centred c = centred(first, end);
  const long double left = c.xx > 0 ? c.yy - c.xy * c.xy / c.xx : c.yy;
  return left > 0 ? static_cast<double>(left) : 0.0;
}

Line Moments::line(std::size_t first, std::size_t end) const {
  const Centred c = centred(first, end);
  const long double slope = c.xx > 0 ? c.xy / c.xx : 0.0L;
  return {static_cast<double>(c.mean_y - slope * c.mean_x), static_cast<double>(slope)};
}

Line Moments::straightened(std::size_t first, std::size_t cut, std::size_t end, const Line& below, const Line& above) const {
  if (weighing(first, cut) == 0) return above;
  if (weighing(cut, end) == 0) return below;
  const Centred all = centred(first, end), low = centred(first, cut), high = centred(cut, end);
  const auto at_middle = [](const Line& line, const Centred& part) { return line.base + line.slope * part.mean_x; };
  const long double low_y = at_middle(below, low), high_y = at_middle(above, high);
  const long double mean_y = (low.w * low_y + high.w * high_y) / all.w;
  const long double xy = below.slope * low.xx + low.w * (low.mean_x - all.mean_x) * (low_y - mean_y) + above.slope * high.xx +
                         high.w * (high.mean_x - all.mean_x) * (high_y - mean_y);
  const long double slope = all.xx > 0 ? xy / all.xx : 0.0L;
  return {static_cast<double>(mean_y - slope * all.mean_x), static_cast<double>(slope)};
}

double Moments::leverage(std::size_t first, std::size_t end, std::size_t i, double weight) const {
  const Centred c = centred(first, end);
  const long double distance = x_[i] - c.mean_x;
  return static_cast<double>(weight * (1.0L / c.w + (c.xx > 0 ? distance * distance / c.xx : 0.0L)));
}

namespace {

// The moments of one stretch while it grows, in double: the origin is its first sample. Noise grows
// with y, so weights fall with x, and about that origin no sum is much larger than what is taken
// from it.
class Growing {
public:
  Growing(double x, double y) : origin_x_(x), origin_y_(y) {}
  void add(double x, double y, double weight) {
    if (weight <= 0.0) return;
    const double dx = x - origin_x_, dy = y - origin_y_;
    w_ += weight;
    x_ += weight * dx;
    y_ += weight * dy;
    xx_ += weight * dx * dx;
    xy_ += weight * dx * dy;
    yy_ += weight * dy * dy;
    first_x_ = std::min(first_x_, x);
    last_x_ = x;
    ++count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool spreads() const { return last_x_ > first_x_; }
  [[nodiscard]] double cost() const {
    const double share = 1.0 / w_;
    const double xx = xx_ - x_ * x_ * share, xy = xy_ - x_ * y_ * share, yy = yy_ - y_ * y_ * share;
    return std::max(0.0, xx > 0.0 ? yy - xy * xy / xx : yy);
  }

private:
  double origin_x_, origin_y_;
  double w_ = 0.0, x_ = 0.0, y_ = 0.0, xx_ = 0.0, xy_ = 0.0, yy_ = 0.0;
  double first_x_ = kInfinity, last_x_ = -kInfinity;
  std::size_t count_ = 0;
};

// cost[candidate * most + k]: least cost of the samples below that candidate in k + 1 stretches;
// from: where the last begins.
struct Table {
  std::size_t most;
  std::vector<double> cost;
  std::vector<std::uint32_t> from;

  Table(std::size_t candidates, std::size_t stretches)
      : most(stretches), cost(candidates * stretches, kInfinity), from(candidates * stretches, 0) {}
  // A stretch from candidate a to b that costs so much.
  void offer(std::size_t a, std::size_t b, double stretch_cost) {
    double* const to = &cost[b * most];
    std::uint32_t* const via = &from[b * most];
    if (a == 0) {
      to[0] = stretch_cost;
      return;
    }
    const double* const before = &cost[a * most];
    for (std::size_t k = 1; k < most; ++k) {
      const double whole = before[k - 1] + stretch_cost;
      const bool better = whole < to[k];
      to[k] = better ? whole : to[k];
      via[k] = better ? static_cast<std::uint32_t>(a) : via[k];
    }
  }
  [[nodiscard]] std::vector<std::size_t> cuts(std::size_t k, std::span<const std::size_t> candidates) const {
    std::size_t at = candidates.size() - 1;
    if (cost[at * most + k] == kInfinity) return {};
    std::vector<std::size_t> answer{candidates[at]};
    for (std::size_t step = k + 1; step-- > 0;) {
      at = from[at * most + step];
      answer.push_back(candidates[at]);
    }
    std::reverse(answer.begin(), answer.end());
    return answer;
  }
};

} // namespace

Partitions best_partitions(const Points& points, std::span<const std::size_t> candidates, const PartitionOptions& options) {
  const auto& [x, y, weight] = points;
  const std::size_t count = candidates.size(), most = options.max_stretches;
  Table table(count, most);
  auto forced = options.forced_cuts.begin();
  for (std::size_t a = 0; a + 1 < count; ++a) {
    while (forced != options.forced_cuts.end() && *forced <= candidates[a]) ++forced;
    const std::size_t furthest = forced == options.forced_cuts.end() ? x.size() : *forced;
    const double* const reached = &table.cost[a * most];
    if (a > 0 && std::all_of(reached, reached + most, [](double cost) { return cost == kInfinity; })) continue;
    Growing stretch(x[candidates[a]], y[candidates[a]]);
    for (std::size_t b = a + 1; b < count && candidates[b] <= furthest; ++b) {
      for (std::size_t i = candidates[b - 1]; i < candidates[b]; ++i) stretch.add(x[i], y[i], weight[i]);
      const bool enough = candidates[b] - candidates[a] >= options.min_samples && 2 * stretch.count() >= options.min_samples;
      if (enough && stretch.spreads()) table.offer(a, b, stretch.cost());
    }
  }
  Partitions answer;
  for (std::size_t k = 0; k < most; ++k) {
    answer.cost.push_back(table.cost[(count - 1) * most + k]);
    answer.cuts.push_back(table.cuts(k, candidates));
  }
  return answer;
}

} // namespace farcast::fit
