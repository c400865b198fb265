#include "predictor/scenario/members.h"

#include "predictor/base/normal_deviate.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

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

std::vector<double> times_of(const std::vector<Outcome>& answers, std::size_t from, std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = from; i < std::min(from + count, answers.size()); ++i) out.push_back(answers[i].time_s);
  return out;
}

std::vector<std::size_t> order_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

std::uint64_t mixed(std::uint64_t into, double figure) { return base::mix_bits(into ^ std::bit_cast<std::uint64_t>(figure)); }

// Returns: so many standard normal deviates, one of each of as many equal parts of the
// distribution, in the order of what is drawn: no chance of the drawing is in them.
std::vector<double> stratified(const std::vector<double>& drawn) {
  const std::vector<std::size_t> order = order_of(drawn);
  std::vector<double> out(drawn.size());
  const boost::math::normal normal;
  for (std::size_t place = 0; place < out.size(); ++place)
    out[order[place]] = boost::math::quantile(normal, static_cast<double>(place + 1) / static_cast<double>(out.size() + 1));
  return out;
}

// Has nothing to do with what else members draw, nor with those of another key.
std::vector<double> normal_deviates(std::size_t count, std::uint64_t key) {
  const std::uint64_t own = base::mix_bits(key + 1);
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = base::normal_deviate(own + i);
  return out;
}

// What one draw for all networks is made of, beside the networks' keys.
constexpr std::uint64_t kOfOutcomes = 0x6f7574636f6d6573, kOfComputation = 0x636f6d70757465;

std::vector<double> deviates_everywhere(std::size_t count, std::uint64_t key) { return stratified(normal_deviates(count, key)); }

std::vector<double> deviates_of_computation(std::size_t count, std::uint64_t recording) {
  return deviates_everywhere(count, kOfComputation ^ recording);
}

// Independent ones at whole octaves of bandwidth and latency, and between these mixtures of their
// neighbours whose variance is the same.
std::vector<double> deviates_of(const NetworkPlace& network, std::size_t count) {
  std::vector<double> drawn(count, 0.0);
  const double bandwidth = std::floor(network.bandwidth), latency = std::floor(network.latency);
  const auto weight = [](double part, int corner) {
    const double angle = part * std::numbers::pi / 2;
    return corner == 0 ? std::cos(angle) : std::sin(angle);
  };
  for (const auto& [right, up] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
    const std::uint64_t key = mixed(mixed(network.number, bandwidth + right), latency + up);
    const std::vector<double> corner = normal_deviates(count, key);
    const double share = weight(network.bandwidth - bandwidth, right) * weight(network.latency - latency, up);
    for (std::size_t i = 0; i < count; ++i) drawn[i] += share * corner[i];
  }
  return stratified(drawn);
}

// Returns: the mean of the logarithms of what is above 0; takes it from each, to a thousandth, into
// the number.
double octaves_of(const std::vector<double>& figures, std::uint64_t& number) {
  double sum = 0, count = 0;
  for (const double figure : figures) {
    if (!(figure > 0)) continue;
    sum += std::log2(figure);
    count += 1;
  }
  const double mean = count > 0 ? sum / count : 0;
  for (const double figure : figures)
    number = mixed(number, figure > 0 ? std::round(1000 * (std::log2(figure) - mean)) + 0.0 : 1e9); // no -0
  return mean;
}

NetworkPlace place_of(const Scenario& scenario, sim::MessageModel model) {
  NetworkPlace out;
  out.number = static_cast<std::uint64_t>(model) + 2 * static_cast<std::uint64_t>(scenario.options.network);
  std::vector<double> bandwidths, latencies;
  for (const platform::Link& link : scenario.where->platform.links) {
    bandwidths.push_back(link.bandwidth.value());
    latencies.push_back(link.latency.value());
  }
  out.bandwidth = octaves_of(bandwidths, out.number);
  out.latency = octaves_of(latencies, out.number);
  for (const platform::HostId host : scenario.where->placement.host_of) out.number = base::mix_bits(out.number + host);
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

ModelError model_error_of(const Scenario& scenario) {
  const platform::Platform& platform = scenario.where->platform;
  const sim::MessageModel model = sim::message_model_of(platform, scenario.options);
  const bool checked = model == sim::MessageModel::channel && platform.transport.kind == platform::TransportKind::tcp_openmpi &&
                       scenario.options.network == sim::NetworkModel::flows;
  return {checked ? kChannelError : kFlowError, kComputationError, place_of(scenario, model)};
}

ModelError of_one_recording(ModelError error, std::uint64_t recording) {
  error.computation /= std::numbers::sqrt2;
  error.recording = recording;
  return error;
}

MembersPlan plan_for(const Scenario& scenario, MembersPlan plan) {
  const platform::Uncertainty& sure = scenario.where->platform.uncertainty;
  plan.calibration = sure.any() || (scenario.options.relative_speed && scenario.options.relative_speed_error > 0);
  plan.network_known = sure.network_known();
  plan.watts_known = sure.watts.has_value();
  plan.model = model_error_of(scenario);
  plan.model.outcomes = plan.outcomes_as_recorded ? kOutcomeError : 0;
  return plan;
}

Outcome outcome_of(const sim::Prediction& prediction) {
  Outcome out{prediction.time.value(), {}, 0, 0};
  if (prediction.energy) out.energy_j = prediction.energy->value();
  const auto in_the_mean = [&](sim::Activity activity) {
    double sum = 0; // as SweepAnswer::spent has it, to the last bit
    for (const sim::RankTimes& rank : prediction.ranks)
      sum += rank.in[static_cast<std::size_t>(activity)].value() / static_cast<double>(prediction.ranks.size());
    return sum;
  };
  for (const sim::Activity activity :
       {sim::Activity::point_to_point, sim::Activity::collective, sim::Activity::completion, sim::Activity::waiting})
    out.message_s += in_the_mean(activity);
  out.compute_s = in_the_mean(sim::Activity::compute);
  return out;
}

Outcome mean_of(const std::vector<Outcome>& realisations) {
  Outcome out = realisations.front();
  for (std::size_t i = 1; i < realisations.size(); ++i) {
    out.time_s += realisations[i].time_s;
    out.message_s += realisations[i].message_s;
    out.compute_s += realisations[i].compute_s;
    if (out.energy_j && realisations[i].energy_j) *out.energy_j += *realisations[i].energy_j;
  }
  const double share = 1.0 / static_cast<double>(realisations.size());
  out.time_s *= share;
  out.message_s *= share;
  out.compute_s *= share;
  if (out.energy_j) *out.energy_j *= share;
  return out;
}

MemberValues values_of(const Outcome& figure, const ModelError& error, std::size_t count, const std::vector<Outcome>& answers) {
  MemberValues out;
  const double watts = figure.energy_j && figure.time_s > 0 ? *figure.energy_j / figure.time_s : 0;
  const std::vector<double> of_messages = deviates_of(error.network, count);
  const std::vector<double> of_outcomes = deviates_everywhere(count, kOfOutcomes);
  const std::vector<double> of_computation = deviates_of_computation(count, error.recording);
  for (std::size_t i = 0; i < count; ++i) {
    const Outcome& member = answers.empty() ? figure : answers[i];
    const double off = figure.message_s * (error.messages * of_messages[i] + error.outcomes * of_outcomes[i]) +
                       error.computation * figure.compute_s * of_computation[i];
    out.time_s.push_back(member.time_s + off);
    if (figure.energy_j) out.energy_j.push_back(member.energy_j.value_or(*figure.energy_j) + watts * off);
  }
  return out;
}

std::vector<double> computation_factors(const ModelError& error, std::size_t count) {
  std::vector<double> out = deviates_of_computation(count, error.recording);
  for (double& factor : out) factor = 1 + error.computation * factor;
  return out;
}

sim::Confidence confidence_of(const Outcome& figure, const MembersPlan& plan, const MemberValues& values,
                              const std::vector<Outcome>& answers, const std::vector<double>& realisations) {
  sim::Confidence out;
  out.members = plan.count;
  out.computation_known = plan.computation;
  out.calibration_known = plan.network_known;
  out.watts_known = plan.watts_known;
  out.time_s = base::estimate_of(figure.time_s, values.time_s).ninety;
  if (figure.energy_j && plan.watts_known) out.energy_j = base::estimate_of(*figure.energy_j, values.energy_j).ninety;
  const std::size_t computation = plan.computation ? plan.apart : 0;
  out.computation = variance_of(times_of(answers, plan.count, computation));
  out.calibration = variance_of(times_of(answers, plan.count + computation, plan.calibration ? plan.apart : 0));
  out.chance = variance_of(realisations);
  const double of_messages = std::hypot(plan.model.messages, plan.model.outcomes) * figure.message_s;
  const double of_computation = plan.model.computation * figure.compute_s;
  out.model = of_messages * of_messages + of_computation * of_computation;
  const double all = out.computation + out.calibration + out.chance + out.model;
  for (double* part : {&out.computation, &out.calibration, &out.chance, &out.model})
    *part = all > 0 && plan.apart > 0 ? *part / all : 0;
  return out;
}

} // namespace farcast::scenario
