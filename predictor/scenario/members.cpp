#include "predictor/scenario/members.h"

#include "predictor/base/normal_deviate.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace farcast::scenario {

namespace {

double variance_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

std::vector<double> times_of(const std::vector<sim::Prediction>& answers, std::size_t from, std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = from; i < std::min(from + count, answers.size()); ++i) out.push_back(answers[i].time.value());
  return out;
}

// Returns: the seconds by which the models of messages may be off, as a standard error.
double model_error_s(const sim::Prediction& figure, bool checked) {
  if (figure.ranks.empty()) return 0;
  double seconds = 0;
  for (const sim::RankTimes& rank : figure.ranks) {
    for (const sim::Activity activity :
         {sim::Activity::point_to_point, sim::Activity::collective, sim::Activity::completion, sim::Activity::waiting})
      seconds += rank.in[static_cast<std::size_t>(activity)].value();
  }
  return (checked ? kChannelError : kFlowError) * seconds / static_cast<double>(figure.ranks.size());
}

// Returns: so many standard normal deviates, one of each of as many equal parts of the distribution, in an order that has nothing
// to do with what else members draw: no chance of the drawing is in them.
std::vector<double> stratified_deviates(std::size_t count) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [](std::size_t a, std::size_t b) { return base::normal_deviate(a + 1) < base::normal_deviate(b + 1); });
  std::vector<double> out(count);
  const boost::math::normal normal;
  for (std::size_t place = 0; place < count; ++place)
    out[order[place]] = boost::math::quantile(normal, static_cast<double>(place + 1) / static_cast<double>(count + 1));
  return out;
}

} // namespace

MembersPlan members_plan(std::size_t asked, double affordable_events, std::uint64_t events) {
  MembersPlan plan;
  const double each = std::max<double>(1.0, static_cast<double>(events));
  const auto affordable = static_cast<std::size_t>(std::min(affordable_events / each, 1e6));
  plan.count = asked > 0 ? asked : std::min(affordable, kUsualMembers);
  if (plan.count < base::kFewestMembers && asked == 0) plan.count = 0;
  const std::size_t left = asked > 0 ? plan.count : affordable - plan.count;
  plan.apart = plan.count == 0 ? 0 : std::min(plan.count / 2, left / 2);
  if (plan.apart < base::kFewestMembers / 2) plan.apart = 0; // too few to say which is more
  return plan;
}

std::vector<Scenario> members_of(const Scenario& scenario, const MembersPlan& plan, bool chance, std::uint64_t first_seed) {
  std::vector<Scenario> out;
  if (!plan.computation && !plan.calibration && !chance) return out;
  const auto add = [&](std::uint64_t number, bool computation, bool calibration, std::uint64_t seed) {
    Scenario& one = out.emplace_back(scenario);
    one.member = {number, computation, calibration};
    one.observer = nullptr;
    one.options.bottlenecks = false;
    if (chance) one.options.seed = seed;
  };
  for (std::uint64_t number = 1; number <= plan.count; ++number) add(number, true, true, first_seed + number - 1);
  for (std::uint64_t number = 1; plan.computation && number <= plan.apart; ++number) add(number, true, false, first_seed);
  for (std::uint64_t number = 1; plan.calibration && number <= plan.apart; ++number) add(number, false, true, first_seed);
  return out;
}

sim::Confidence confidence_of(const sim::Prediction& figure, const MembersPlan& plan, const std::vector<sim::Prediction>& answers,
                              const std::vector<double>& realisations) {
  sim::Confidence out;
  out.members = plan.count;
  out.computation_known = plan.computation;
  out.calibration_known = plan.calibration;
  const double model_s = model_error_s(figure, plan.checked);
  std::vector<double> times = times_of(answers, 0, plan.count);
  if (answers.empty()) times.assign(plan.count, figure.time.value());
  const std::vector<double> deviates = stratified_deviates(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i] += model_s * deviates[i];
  const std::size_t members = times.size();
  out.time_s = base::estimate_of(figure.time.value(), std::move(times)).ninety;
  if (figure.energy) {
    std::vector<double> joules;
    const double watts = figure.time.value() > 0 ? figure.energy->value() / figure.time.value() : 0;
    for (std::size_t i = 0; i < members; ++i)
      joules.push_back((answers.empty() ? *figure.energy : answers[i].energy.value_or(*figure.energy)).value() +
                       watts * model_s * deviates[i]);
    out.energy_j = base::estimate_of(figure.energy->value(), std::move(joules)).ninety;
  }
  const std::size_t computation = plan.computation ? plan.apart : 0;
  out.computation = variance_of(times_of(answers, plan.count, computation));
  out.calibration = variance_of(times_of(answers, plan.count + computation, plan.calibration ? plan.apart : 0));
  out.chance = variance_of(realisations);
  out.model = model_s * model_s;
  const double all = out.computation + out.calibration + out.chance + out.model;
  for (double* part : {&out.computation, &out.calibration, &out.chance, &out.model})
    *part = all > 0 && plan.apart > 0 ? *part / all : 0;
  return out;
}

} // namespace farcast::scenario
