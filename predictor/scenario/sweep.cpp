#include "predictor/scenario/sweep.h"

#include "predictor/scenario/mean.h"

#include <algorithm>
#include <utility>

namespace farcast::scenario {

namespace {

SweepAnswer answer_of(const sim::Prediction& prediction) {
  SweepAnswer out{.time = prediction.time,
                  .energy = prediction.energy,
                  .nodes = prediction.nodes_used,
                  .complete = prediction.complete,
                  .events = prediction.events};
  out.energy_parts = prediction.energy_parts;
  for (const auto& [link, energy] : prediction.links) out.links += energy.idle + energy.carrying;
  for (const sim::RankTimes& rank : prediction.ranks)
    for (std::size_t i = 0; i < rank.in.size(); ++i) out.spent[i] += rank.in[i] / static_cast<double>(prediction.ranks.size());
  return out;
}

// Returns: a prediction with these figures alone.
sim::Prediction figures_of(const SweepAnswer& answer) {
  sim::Prediction out;
  out.time = answer.time;
  out.energy = answer.energy;
  out.nodes_used = answer.nodes;
  out.complete = answer.complete;
  out.events = answer.events;
  out.energy_parts = answer.energy_parts;
  out.ranks.emplace_back().in = answer.spent;
  if (answer.links > base::Joules(0)) out.links[0].idle = answer.links;
  return out;
}

// Of nodes and links together, as points are compared.
Outcome outcome_of(const SweepAnswer& answer) {
  Outcome out = scenario::outcome_of(figures_of(answer));
  if (answer.energy) out.energy_j = (*answer.energy + answer.links).value();
  return out;
}

} // namespace

Sweep::Sweep(Source& source, std::vector<Scenario> scenarios, Draws draws, SweepStore* store, Share share, RemarksOf remarks_of,
             Pool pool)
    : source_(source), scenarios_(std::move(scenarios)), draws_(draws), store_(store), share_(share),
      remarks_of_(std::move(remarks_of)), pool_(std::move(pool)) {
  for (const Scenario& scenario : scenarios_) chance_.push_back(leaves_to_chance(scenario));
  read_store();
  ask(0, wanted());
  found_ = known_;
}

SweepQuestion Sweep::question_of(std::size_t scenario, std::size_t draw) const {
  return {scenario, chance_[scenario] ? draws_.first_seed + draw : scenarios_[scenario].options.seed, 0};
}

void Sweep::read_store() {
  if (store_ != nullptr) processes_ = std::max(1, store_->read(answers_));
}

void Sweep::count_known() {
  const auto known = [this](const SweepQuestion& question) { return answers_.contains(question); };
  known_ = static_cast<std::size_t>(std::count_if(asked_.begin(), asked_.end(), known));
}

void Sweep::rank_by(std::size_t base, CostOf cost_of) {
  base_ = base;
  cost_of_ = std::move(cost_of);
}

void Sweep::enqueue(const SweepQuestion& question, const Scenario& scenario) {
  const auto turn = static_cast<int>(asked_.size() % static_cast<std::size_t>(share_.size));
  asked_.push_back(question);
  if (turn != share_.rank || answers_.contains(question)) return;
  played_here_.push_back(question);
  enqueued_.push_back(scenario);
  enqueued_.back().options.seed = question.seed;
}

void Sweep::play_enqueued() {
  count_known();
  taken_.assign(played_here_.size(), false);
  questions_.reset();
  if (!enqueued_.empty()) questions_.emplace(source_, std::move(enqueued_), pool_);
  enqueued_.clear();
}

// Asks for the realisations from..to of all that leave something to chance, first of all for those
// that do not too.
void Sweep::ask(std::size_t from, std::size_t to) {
  played_here_.clear();
  for (std::size_t scenario = 0; scenario < scenarios_.size(); ++scenario) {
    for (std::size_t draw = from; draw < (chance_[scenario] ? to : 1); ++draw)
      enqueue(question_of(scenario, draw), scenarios_[scenario]);
  }
  drawn_ = to;
  play_enqueued();
}

// Returns: the base, then all others, the best first.
std::vector<std::size_t> Sweep::ranking() const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t scenario = 0; scenario < scenarios_.size(); ++scenario) {
    const SweepAnswer figure = *answer(scenario);
    const double cost = cost_of_ ? cost_of_(scenario, figure) : figure.time.value();
    if (scenario != base_) order.emplace_back(cost, scenario);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> out{base_};
  for (const auto& [cost, scenario] : order) out.push_back(scenario);
  return out;
}

void Sweep::choose_members() {
  plan_ = {};
  if (draws_.members == 0 || scenarios_.empty()) return;
  const auto events_of = [this](std::size_t scenario) {
    return static_cast<double>(std::max<std::uint64_t>(1, answers_.at(question_of(scenario, 0)).events));
  };
  double spent = 0;
  for (const SweepQuestion& question : asked_) spent += static_cast<double>(answers_.at(question).events);
  const double affordable = std::max(draws_.member_events, spent / 2);
  chosen_.assign(scenarios_.size(), false);
  double events = 0;
  std::size_t chosen = 0;
  for (const std::size_t scenario : ranking()) {
    const double with = events + events_of(scenario);
    if (!draws_.members && with * static_cast<double>(base::kFewestMembers) > affordable) break;
    events = with;
    chosen_[scenario] = true;
    ++chosen;
  }
  if (chosen < std::min<std::size_t>(2, scenarios_.size())) return; // nothing to compare
  plan_.count = members_plan(draws_.members.value_or(0), affordable, static_cast<std::uint64_t>(events)).count;
}

MembersPlan Sweep::plan_of(std::size_t scenario) const { return plan_for(scenarios_[scenario], plan_); }

// Returns: whether there are members to be played, or taken from others.
bool Sweep::ask_members() {
  varies_ = true;
  choose_members();
  if (plan_.count == 0) return false;
  plan_.computation = source_.vary_computation(Deviations::of_another_run);
  plan_.outcomes_as_recorded = source_.outcomes_as_recorded();
  played_here_.clear();
  const std::size_t before = asked_.size();
  for (std::size_t scenario = 0; scenario < scenarios_.size(); ++scenario) {
    if (!chosen_[scenario]) continue;
    for (const Scenario& member : members_of(scenarios_[scenario], plan_of(scenario), chance_[scenario], draws_.first_seed))
      enqueue({scenario, member.options.seed, member.member.number}, member);
  }
  play_enqueued();
  return asked_.size() > before;
}

base::Result<void> Sweep::take_answers() {
  for (std::size_t i = 0; i < played_here_.size(); ++i) {
    const sim::Prediction* const prediction = taken_[i] ? nullptr : questions_->answered(i);
    if (prediction == nullptr) continue;
    taken_[i] = true;
    SweepAnswer answer = answer_of(*prediction);
    const SweepQuestion first = question_of(played_here_[i].scenario, 0);
    if (remarks_of_ && played_here_[i] == first) answer.remarks = remarks_of_(*prediction);
    answers_.emplace(played_here_[i], answer);
    ++known_;
    if (store_ == nullptr) continue;
    if (const auto kept = store_->add(played_here_[i], answer); !kept) return tl::make_unexpected(kept.error());
  }
  return {};
}

base::Result<bool> Sweep::finished() {
  const bool played = !questions_ || questions_->finished();
  if (played && questions_) questions_->wait(); // throws what went wrong
  if (const auto taken = take_answers(); !taken) return tl::make_unexpected(taken.error());
  if (!played) return false;
  if (share_.size > 1) {
    read_store();
    count_known();
  }
  if (known_ < asked_.size()) return share_.rank > 0 && store_->is_gone();
  if (varies_) return true;
  const std::size_t wanted_now = wanted();
  if (wanted_now > drawn_)
    ask(drawn_, wanted_now);
  else if (!ask_members())
    return true;
  return known_ == asked_.size() ? finished() : false; // all may have been kept before
}

std::size_t Sweep::wanted() const {
  std::uint64_t events = 0; // of one realisation, at most
  std::vector<std::vector<double>> times;
  for (const SweepQuestion& question : asked_) events = std::max(events, answers_.at(question).events);
  for (std::size_t scenario = 0; scenario < scenarios_.size(); ++scenario) {
    if (!chance_[scenario]) continue;
    std::vector<double>& of_scenario = times.emplace_back();
    for (std::size_t draw = 0; draw < drawn_; ++draw)
      of_scenario.push_back(answers_.at(question_of(scenario, draw)).time.value());
  }
  return wanted_realisations(draws_, times, events);
}

// Returns: what is known of the scenario's realisations; empty while one is not known.
std::vector<sim::Prediction> Sweep::members(std::size_t scenario) const {
  std::vector<sim::Prediction> out;
  for (std::size_t draw = 0; draw < (chance_[scenario] ? drawn_ : 1); ++draw) {
    const auto found = answers_.find(question_of(scenario, draw));
    if (found == answers_.end()) return {};
    out.push_back(figures_of(found->second));
  }
  return out;
}

std::optional<SweepAnswer> Sweep::answer(std::size_t scenario) const {
  const std::vector<sim::Prediction> played = members(scenario);
  if (played.empty()) return {};
  SweepAnswer out = answer_of(mean_of(played));
  out.remarks = answers_.at(question_of(scenario, 0)).remarks;
  return out;
}

std::optional<Realisations> Sweep::realisations(std::size_t scenario) const {
  const std::vector<sim::Prediction> played = members(scenario);
  if (played.size() < 2) return {};
  return realisations_of(played);
}

// Of its realisations; empty while one is not known.
std::vector<Outcome> Sweep::outcomes(std::size_t scenario) const {
  std::vector<Outcome> out;
  for (std::size_t draw = 0; draw < (chance_[scenario] ? drawn_ : 1); ++draw) {
    const auto found = answers_.find(question_of(scenario, draw));
    if (found == answers_.end()) return {};
    out.push_back(outcome_of(found->second));
  }
  return out;
}

std::optional<MemberValues> Sweep::member_values(std::size_t scenario) const {
  const std::vector<Outcome> realisations = outcomes(scenario);
  if (plan_.count == 0 || !chosen_[scenario] || realisations.empty()) return {};
  const MembersPlan plan = plan_of(scenario);
  std::vector<Outcome> answers;
  for (const Scenario& member : members_of(scenarios_[scenario], plan, chance_[scenario], draws_.first_seed)) {
    const auto found = answers_.find({scenario, member.options.seed, member.member.number});
    if (found == answers_.end()) return {};
    answers.push_back(outcome_of(found->second));
  }
  MemberValues out = values_of(mean_of(realisations), plan.model, plan.count, answers);
  out.watts_known = plan.watts_known;
  return out;
}

} // namespace farcast::scenario
