#include "predictor/scenario/ensemble.h"

#include "predictor/scenario/mean.h"
#include "predictor/scenario/numbering.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace farcast::scenario {

namespace {

constexpr std::size_t kLeast = 2; // that a spread can be told from
constexpr std::size_t kUsual = 8; // of cheap ones: two states, one of them in a quarter of all runs, are both seen in 9 of 10
constexpr std::size_t kMost = 32; // that are played unasked
constexpr double kCheap = 4e6;    // events: seconds of computation
constexpr double kDear = 4e8;     // minutes
constexpr double kConfidence = 0.9;

std::size_t within(double budget, std::uint64_t events, std::size_t least, std::size_t most) {
  const double affordable = budget / static_cast<double>(std::max<std::uint64_t>(events, 1));
  return std::clamp(static_cast<std::size_t>(std::min(affordable, 1e6)), least, most);
}

// Returns: half of the interval of the mean, as a share of it, were there `count` of them.
double known_to(const std::vector<double>& times, std::size_t count) {
  if (times.size() < 2) return std::numeric_limits<double>::infinity();
  const auto size = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / size;
  double squares = 0;
  for (const double time : times) squares += (time - mean) * (time - mean);
  if (!(squares > 0)) return 0;
  const boost::math::students_t student(size - 1);
  const double factor = boost::math::quantile(student, (1 + kConfidence) / 2);
  return factor * std::sqrt(squares / (size - 1) / static_cast<double>(count)) / mean;
}

} // namespace

bool leaves_to_chance(const Scenario& scenario) {
  return sim::message_model_of(scenario.where->platform, scenario.options) == sim::MessageModel::channel;
}

std::size_t wanted_realisations(const Draws& draws, const std::vector<std::vector<double>>& times, std::uint64_t events) {
  if (draws.count > 0) return draws.count;
  std::size_t most = 1;
  for (const std::vector<double>& of_scenario : times) most = std::max(most, enough_realisations(of_scenario, events));
  return most;
}

std::size_t enough_realisations(const std::vector<double>& times, std::uint64_t events) {
  const std::size_t least = within(kCheap, events, kLeast, kUsual);
  if (times.size() < least) return times.size() < kLeast ? kLeast : least;
  const double now = known_to(times, times.size());
  if (now <= kSettled) return times.size();
  const double needed = std::ceil(static_cast<double>(times.size()) * (now / kSettled) * (now / kSettled));
  const std::size_t most = within(kDear, events, 2 * kLeast, kMost);
  return std::max(times.size(), static_cast<std::size_t>(std::min(needed, static_cast<double>(most))));
}

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
  out.known_to = known_to(times, times.size());
  out.time = spread_of(std::move(times));
  for (auto& [site, ranks] : sites) {
    if (ranks.slowest.size() == members.size())
      out.sites[site] = {spread_of(std::move(ranks.quickest)), spread_of(std::move(ranks.slowest))};
  }
  return out;
}

Ensemble::Ensemble(Source& source, std::vector<Scenario> scenarios, Draws draws, Pool pool)
    : source_(source), scenarios_(std::move(scenarios)), draws_(draws), pool_(std::move(pool)) {
  for (const Scenario& scenario : scenarios_) chance_.push_back(leaves_to_chance(scenario));
  ask(0, wanted());
}

// Asks for the realisations from..to of all that leave something to chance, first of all for those
// that do not too.
void Ensemble::ask(std::size_t from, std::size_t to) {
  Stage& stage = stages_.emplace_back();
  std::vector<Scenario> questions;
  for (std::size_t i = 0; i < scenarios_.size(); ++i) {
    stage.first.push_back(questions.size());
    for (std::size_t draw = from; draw < (chance_[i] ? to : 1); ++draw) {
      questions.push_back(scenarios_[i]);
      if (chance_[i]) questions.back().options.seed = draws_.first_seed + draw;
      if (draw > 0) questions.back().observer = nullptr;
    }
  }
  stage.first.push_back(questions.size());
  drawn_ = to;
  asked_.insert(asked_.end(), questions.begin(), questions.end());
  questions_.emplace(source_, std::move(questions), pool_);
}

std::size_t Ensemble::wanted() const {
  std::uint64_t events = 0; // of one realisation, at most
  for (const Stage& stage : stages_) {
    for (const sim::Prediction& prediction : stage.answers.predictions) events = std::max(events, prediction.events);
  }
  std::vector<std::vector<double>> times;
  for (std::size_t scenario = 0; scenario < scenarios_.size(); ++scenario) {
    if (!chance_[scenario]) continue;
    times.push_back(times_of(scenario));
  }
  return wanted_realisations(draws_, times, events);
}

// Of the realisations that there are.
std::vector<double> Ensemble::times_of(std::size_t scenario) const {
  std::vector<double> times;
  for (const Stage& stage : stages_) {
    for (std::size_t i = stage.first[scenario]; i < stage.first[scenario + 1]; ++i)
      times.push_back(stage.answers.predictions[i].time.value());
  }
  return times;
}

// What of the plan holds for one scenario.
MembersPlan Ensemble::plan_of(std::size_t scenario) const {
  MembersPlan plan = plan_for(scenarios_[scenario], plan_);
  if (draws_.deviations == Deviations::of_the_mean) plan.model = of_one_recording(plan.model, draws_.member_seed);
  return plan;
}

// Returns: whether there are members to be played.
bool Ensemble::ask_members() {
  varies_ = true;
  if (draws_.members == 0 || scenarios_.empty()) return false;
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < scenarios_.size(); ++i)
    events += stages_.front().answers.predictions[stages_.front().first[i]].events;
  plan_ = members_plan(draws_.members.value_or(0), draws_.member_events, events);
  if (plan_.count == 0) return false;
  if (!draws_.tell_apart) plan_.apart = 0;
  plan_.computation = source_.vary_computation(draws_.deviations);
  plan_.outcomes_as_recorded = source_.outcomes_as_recorded();
  std::vector<Scenario> questions;
  for (std::size_t i = 0; i < scenarios_.size(); ++i) {
    members_.first.push_back(questions.size());
    const std::vector<Scenario> members =
        members_of(scenarios_[i], plan_of(i), chance_[i], draws_.first_seed + draws_.member_seed);
    questions.insert(questions.end(), members.begin(), members.end());
  }
  members_.first.push_back(questions.size());
  if (questions.empty()) return false;
  questions_.emplace(source_, std::move(questions), pool_);
  return true;
}

void Ensemble::tell_confidence(Expected& out, const std::vector<std::vector<Outcome>>& realisations) {
  if (draws_.members != 0 && plan_.count == 0)
    for (sim::Prediction& prediction : out.predictions) prediction.confidence.emplace().too_dear = true;
  if (members_.first.empty()) return;
  const Translation numbers = intern(members_.answers.sites, out.sites);
  for (std::size_t i = 0; i < scenarios_.size(); ++i) {
    std::vector<Outcome> answers;
    std::map<std::uint32_t, std::vector<double>> region_s;
    for (std::size_t at = members_.first[i]; at < members_.first[i + 1]; ++at) {
      sim::Prediction& member = members_.answers.predictions[at];
      answers.push_back(outcome_of(member));
      if (answers.size() > plan_.count) continue;
      renumber(member, numbers);
      for (const auto& [region, times] : member.regions) {
        std::vector<double>& seconds = region_s[region];
        seconds.resize(plan_.count, 0.0);
        seconds[answers.size() - 1] = times.predicted.value();
      }
    }
    const MembersPlan plan = plan_of(i);
    const std::vector<double> factors = computation_factors(plan.model, plan.count);
    for (auto& [region, seconds] : region_s)
      for (std::size_t member = 0; member < seconds.size(); ++member) seconds[member] *= factors[member];
    const Outcome figure = mean_of(realisations[i]);
    std::vector<double> times;
    for (const Outcome& one : realisations[i]) times.push_back(one.time_s);
    MemberValues values = values_of(figure, plan.model, plan.count, answers);
    out.predictions[i].confidence = confidence_of(figure, plan, values, answers, times);
    values.watts_known = plan.watts_known;
    values.region_s = std::move(region_s);
    out.members[i] = std::move(values);
  }
}

bool Ensemble::finished() {
  if (!under_way_) return true;
  if (!questions_->finished()) return false;
  if (varies_) {
    members_.answers = questions_->answers();
    under_way_ = false;
    return true;
  }
  stages_.back().answers = questions_->answers();
  const std::size_t wanted_now = wanted();
  if (wanted_now > drawn_)
    ask(drawn_, wanted_now);
  else
    under_way_ = ask_members();
  return !under_way_;
}

void Ensemble::wait() {
  while (!finished()) questions_->wait();
}

Expected Ensemble::expected(const std::vector<trace::SiteTable>& others) {
  wait();
  trace::SiteTable all;
  for (const trace::SiteTable& table : others) intern(table, all);
  for (const Stage& stage : stages_) intern(stage.answers.sites, all);
  Expected out;
  out.sites = in_canonical_order(all);
  std::vector<std::vector<sim::Prediction>> members(scenarios_.size());
  for (Stage& stage : stages_) {
    const Translation numbers = intern(stage.answers.sites, out.sites);
    for (std::size_t scenario = 0; scenario < scenarios_.size(); ++scenario) {
      for (std::size_t i = stage.first[scenario]; i < stage.first[scenario + 1]; ++i) {
        sim::Prediction& prediction = stage.answers.predictions[i];
        renumber(prediction, numbers);
        members[scenario].push_back(std::move(prediction));
      }
    }
  }
  out.realisations.resize(scenarios_.size());
  out.members.resize(scenarios_.size());
  std::vector<std::vector<Outcome>> outcomes(scenarios_.size()); // [scenario][realisation]
  for (std::size_t i = 0; i < scenarios_.size(); ++i) {
    for (const sim::Prediction& realisation : members[i]) outcomes[i].push_back(outcome_of(realisation));
    out.predictions.push_back(mean_of(members[i]));
    if (members[i].size() < 2) continue;
    out.realisations[i] = realisations_of(members[i]);
    out.realisations[i]->first_seed = draws_.first_seed;
  }
  tell_confidence(out, outcomes);
  return out;
}

} // namespace farcast::scenario
