#include "predictor/scenario/questions.h"

#include "predictor/base/process_info.h"
#include "predictor/platform/uncertainty.h"
#include "predictor/scenario/numbering.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace farcast::scenario {

Questions::Questions(Source& source, std::vector<Scenario> scenarios, Pool pool)
    : source_(source), scenarios_(std::move(scenarios)) {
  for (std::size_t i = 0; i < scenarios_.size(); ++i) questions_.push_back(std::make_unique<Question>());
  const std::size_t cores = std::max<std::size_t>(1, base::usable_cores().size());
  const std::size_t threads = std::min(pool.threads > 0 ? pool.threads : cores, scenarios_.size());
  source_.expect(scenarios_.size(), threads, pool.begin);
  workers_.start(scenarios_.size(), threads, std::move(pool.begin), [this](std::size_t index) { answer(index); });
}

void Questions::answer(std::size_t index) {
  const Scenario& scenario = scenarios_[index];
  Question& question = *questions_[index];
  std::unique_ptr<Reading> opened = source_.open(scenario);
  Reading& reading = *opened;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    question.reading = std::move(opened);
  }
  sim::Options options = scenario.options;
  options.slowdowns = reading.slowdowns();
  std::optional<platform::Platform> drawn;
  if (scenario.member.number > 0 && scenario.member.calibration)
    drawn = platform::drawn(scenario.where->platform, scenario.member.number);
  if (scenario.member.number > 0 && scenario.member.calibration && options.relative_speed)
    *options.relative_speed *= platform::drawn_factor(scenario.member.number, "relative_speed", options.relative_speed_error);
  question.prediction = sim::predict(reading.timelines(), drawn ? *drawn : scenario.where->platform, scenario.where->placement,
                                     options, &question.progress, scenario.observer);
  reading.conclude(question.prediction);
  question.sites = reading.sites();
  question.answered.store(true, std::memory_order_release);
  const std::lock_guard<std::mutex> lock(mutex_);
  question.slots_played = reading.slots_played();
  question.reading.reset(); // what it holds of the decoded operations goes
}

double Questions::virtual_time_s() const {
  double least = questions_.empty() ? 0.0 : questions_.front()->progress.virtual_time_s.load(std::memory_order_relaxed);
  for (const auto& question : questions_)
    least = std::min(least, question->progress.virtual_time_s.load(std::memory_order_relaxed));
  return least;
}

std::uint64_t Questions::played(const Question& question) {
  return question.reading == nullptr ? question.slots_played : question.reading->slots_played();
}

std::uint64_t Questions::first_played() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return questions_.empty() ? 0 : played(*questions_.front());
}

std::uint64_t Questions::slots_played() const {
  std::uint64_t least = first_played();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& question : questions_) least = std::min(least, played(*question));
  return least;
}

std::size_t Questions::answered() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(questions_, [](const auto& question) { return question->answered.load(std::memory_order_acquire); }));
}

const sim::Prediction* Questions::answered(std::size_t scenario) const {
  const Question& question = *questions_[scenario];
  return question.answered.load(std::memory_order_acquire) ? &question.prediction : nullptr;
}

Answers Questions::answers(const std::vector<trace::SiteTable>& others) {
  wait();
  std::vector<trace::SiteTable> tables;
  for (const auto& question : questions_) tables.push_back(question->sites());
  trace::SiteTable all;
  for (const std::vector<trace::SiteTable>* const list : {&others, static_cast<const std::vector<trace::SiteTable>*>(&tables)}) {
    for (const trace::SiteTable& table : *list) intern(table, all);
  }
  Answers out;
  out.sites = in_canonical_order(all);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out.predictions.push_back(std::move(questions_[i]->prediction));
    renumber(out.predictions.back(), intern(tables[i], out.sites));
  }
  return out;
}

Played play(Source& source, const Scenario& scenario) {
  source.expect(1, 1, nullptr);
  const std::unique_ptr<Reading> reading = source.open(scenario);
  sim::Options options = scenario.options;
  options.slowdowns = reading->slowdowns();
  Played out{sim::predict(reading->timelines(), scenario.where->platform, scenario.where->placement, options, nullptr,
                          scenario.observer),
             {}};
  reading->conclude(out.prediction);
  out.sites = reading->sites()();
  return out;
}

Answers ask(Source& source, std::vector<Scenario> scenarios, Pool pool) {
  return Questions(source, std::move(scenarios), std::move(pool)).answers();
}

} // namespace farcast::scenario
