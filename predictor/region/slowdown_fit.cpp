#include "predictor/region/slowdown_fit.h"

#include "predictor/trace/corunners.h"
#include "predictor/trace/recorded_timelines.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace farcast::region {

namespace {

// What a short or rarely shared region shows is chance: such points are said to be not seen, and
// the point below holds.
constexpr double kLeastShare = 0.2;  // of a run's time with more co-runners than the point below
constexpr double kMostSpread = 0.3;  // relative, over the repetitions
constexpr double kLeastVisit = 1e-6; // seconds: shorter ones are as long as what recording a call leaves uncertain
constexpr double kLeastSlowdown = 0.1;
constexpr double kMostSlowdown = 20.0;

// Takes down what the timelines tell on their way.
class Collector : public trace::CorunnerCorrection {
public:
  Collector(const trace::SiteTable& sites, RunSample& out) : sites_(sites), out_(out) {}
  double alone_share(const trace::Operation& operation, const std::vector<double>& share) override {
    if (operation.region >= samples_.size()) samples_.resize(operation.region + 1, nullptr);
    RegionSample*& sample = samples_[operation.region];
    if (sample == nullptr) {
      const auto& [from, to] = sites_.regions()[operation.region];
      sample = &out_.regions[{sites_.sites()[from].frames, sites_.sites()[to].frames}];
    }
    const double seconds = std::max(0.0, operation.compute.value());
    sample->visits += operation.times;
    sample->seconds += seconds;
    if (sample->with_corunners.size() < share.size()) sample->with_corunners.resize(share.size(), 0.0);
    for (std::size_t i = 0; i < share.size(); ++i) sample->with_corunners[i] += seconds * share[i];
    return 1.0;
  }

private:
  const trace::SiteTable& sites_;
  RunSample& out_;
  std::vector<RegionSample*> samples_; // [region number]
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// Returns: seconds alone that one visit's work comes to, by the curve.
double work_of(const RegionSample& sample, const std::vector<SlowdownPoint>& points) {
  double work = 0;
  for (std::size_t i = 0; i < sample.with_corunners.size(); ++i)
    work += sample.with_corunners[i] / slowdown_at(points, static_cast<double>(i + 1));
  return work / static_cast<double>(sample.visits);
}

// Returns: the slowdown of the curve's last point with which the sample's visits come to `work`
// seconds alone.
double solve_last(const RegionSample& sample, std::vector<SlowdownPoint> points, double work) {
  double low = kLeastSlowdown;
  double high = kMostSlowdown;
  constexpr int kHalvings = 80;
  for (int i = 0; i < kHalvings; ++i) {
    points.back().slowdown = std::sqrt(low * high);
    if (work_of(sample, points) > work)
      low = points.back().slowdown; // a higher slowdown makes less work of the same time
    else
      high = points.back().slowdown;
  }
  return std::sqrt(low * high);
}

double share_beyond(const RegionSample& sample, int corunners) {
  double beyond = 0;
  for (std::size_t i = static_cast<std::size_t>(corunners); i < sample.with_corunners.size(); ++i)
    beyond += sample.with_corunners[i];
  return sample.seconds > 0 ? beyond / sample.seconds : 0;
}

using Runs = std::vector<std::pair<int, RegionSample>>;

// One visit alone, by each isolated run; lent tokens put other ranks beside it, which the curve
// takes out.
std::vector<double> works_alone(const Runs& runs, const std::vector<SlowdownPoint>& points) {
  std::vector<double> out;
  for (const auto& [corunners, sample] : runs) {
    if (corunners == 1 && sample.visits > 0 && sample.seconds > 0) out.push_back(work_of(sample, points));
  }
  return out;
}

void fit_point(const Runs& runs, double work, double relative_error, std::vector<SlowdownPoint>& points, int corunners) {
  const SlowdownPoint below = points.back();
  points.push_back({corunners, below.slowdown, 0.0, 0});
  if (work < kLeastVisit) return;
  std::vector<double> found;
  std::vector<double> shares;
  for (const auto& [wanted, sample] : runs) {
    const double share = wanted == corunners && sample.visits > 0 ? share_beyond(sample, below.corunners) : 0.0;
    if (share < kLeastShare) continue;
    found.push_back(solve_last(sample, points, work));
    shares.push_back(share);
  }
  if (found.empty()) return;
  const double slowdown = median(found);
  // The whole error of the work alone falls to that share of the time.
  const double spread = std::hypot(deviation(found) / slowdown, relative_error / median(shares));
  if (spread > kMostSpread || slowdown < kLeastSlowdown * 1.01 || slowdown > kMostSlowdown * 0.99) return;
  points.back() = {corunners, slowdown, spread, found.size()};
}

} // namespace

RunSample sample_run(trace::Recording& recording, int corunners) {
  RunSample out;
  out.corunners = corunners;
  trace::RecordedTimelines timelines(recording);
  Collector collector(timelines.sites(), out);
  timelines.correct_with(collector);
  trace::Operation operation;
  for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
    while (timelines.next(timeline, operation)) {
    }
  }
  return out;
}

std::vector<SlowdownPoint> fit_region(const Runs& runs, double& alone_s) {
  std::vector<SlowdownPoint> points{{1, 1.0, 0.0, 0}};
  std::set<int> counts;
  std::uint64_t visits = 0;
  for (const auto& [corunners, sample] : runs) {
    if (corunners == 1) visits = sample.visits;
    if (corunners > 1) counts.insert(corunners);
  }
  if (works_alone(runs, points).empty()) return {};
  constexpr int kRounds = 3; // the second takes out what lent tokens did to the isolated runs; the third changes nothing any more
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> works = works_alone(runs, points);
    const double work = median(works);
    const double error = deviation(works) / work;
    points.assign(1, {1, 1.0, error, works.size()});
    for (const int corunners : counts) fit_point(runs, work, error, points, corunners);
    alone_s = work * static_cast<double>(visits);
  }
  return points;
}

} // namespace farcast::region
