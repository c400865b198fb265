#include "predictor/scenario/sweep.h"

#include "predictor/scenario/mean.h"

#include <algorithm>

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
  return {scenario, chance_[scenario] ? draws_.first_seed + draw : scenarios_[scenario].options.seed};
}

void Sweep::read_store() {
  if (store_ != nullptr) processes_ = std::max(1, store_->read(answers_));
}

void Sweep::count_known() {
  const auto known = [this](const SweepQuestion& question) { return answers_.contains(question); };
  known_ = static_cast<std::size_t>(std::count_if(asked_.begin(), asked_.end(), known));
}

// Asks for the realisations from..to of all that leave something to chance, first of all for those
// that do not too.
void Sweep::ask(std::size_t from, std::size_t to) {
  std::vector<Scenario> questions;
  played_here_.clear();
  for (std::size_t scenario = 0; scenario < scenarios_.size(); ++scenario) {
    for (std::size_t draw = from; draw < (chance_[scenario] ? to : 1); ++draw) {
      const SweepQuestion question = question_of(scenario, draw);
      const auto turn = static_cast<int>(asked_.size() % static_cast<std::size_t>(share_.size));
      asked_.push_back(question);
      if (turn != share_.rank || answers_.contains(question)) continue;
      played_here_.push_back(question);
      questions.push_back(scenarios_[scenario]);
      questions.back().options.seed = question.seed;
    }
  }
  drawn_ = to;
  count_known();
  taken_.assign(played_here_.size(), false);
  questions_.reset();
  if (!questions.empty()) questions_.emplace(source_, std::move(questions), pool_);
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
  const std::size_t wanted_now = wanted();
  if (wanted_now <= drawn_) return true;
  ask(drawn_, wanted_now);
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

} // namespace farcast::scenario
