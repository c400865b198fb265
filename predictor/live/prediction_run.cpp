#include "predictor/live/prediction_run.h"

#include "predictor/base/process_info.h"
#include "predictor/scenario/numbering.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace farcast::live {

PredictionRun::PredictionRun(trace::Recording& recording, std::vector<PlacedPlatform> platforms, const Settings& settings,
                             SlowdownTable slowdowns, Faults faults, bool background, const std::set<trace::Frame>& memory_bound,
                             scenario::Coupling coupling)
    : recording_(recording), slowdowns_(std::move(slowdowns)),
      faults_(std::move(faults)), played_{recording.program, recording.mpi_library, 1}, background_(background),
      rank_sites_(recording.ranks.size()), measured_(recording.ranks.size()),
      source_(recording, slowdowns_, std::move(coupling)) {
  sim::Options options = options_of(settings);
  if (!options.collectives.library) options.collectives.library = collective::library_named(recording.mpi_library);
  scenarios_ = scenarios_on(std::move(platforms), options);
  for (scenario::Scenario& scenario : scenarios_) scenario.memory_bound = memory_bound;
  power_ = power_of(scenarios_, settings);
  ensemble_.emplace(source_, scenarios_, draws_with_members(settings), scenario::Pool{0, [this] { lower_priority(); }});
  const std::size_t ranks = recording.ranks.size();
  counters_.start(
      ranks, is_over() ? base::usable_cores().size() : ranks, [this] { lower_priority(); },
      [this](std::size_t rank) { measured_[rank] = trace::tally(recording_, *recording_.ranks[rank], rank_sites_[rank]); });
}

// Idle class: runs only on cores that nobody else wants, so that the watched program keeps its own.
void PredictionRun::lower_priority() {
  if (!background_) return;
  const sched_param none{};
  const std::lock_guard<std::mutex> lock(ids_mutex_);
  sched_setscheduler(0, hurries_ ? SCHED_OTHER : SCHED_IDLE, &none); // threads begin in the class of those that make them
  thread_ids_.push_back(static_cast<int>(syscall(SYS_gettid)));
}

void PredictionRun::hurry() {
  const std::lock_guard<std::mutex> lock(ids_mutex_);
  const sched_param none{};
  hurries_ = true;
  for (const int id : thread_ids_) sched_setscheduler(id, SCHED_OTHER, &none);
}

// What tells how far a prediction is off takes a twelfth of the time that the program did, where
// somebody waits for its end.
void PredictionRun::afford_members() {
  constexpr double kEventsPerSecond = 5e6; // of the engine
  constexpr double kShare = 1.0 / 12;
  if (is_over()) return;
  double seconds = 0;
  for (const trace::MeasuredRank& rank : measured_) seconds = std::max(seconds, rank.app_s);
  ensemble_->afford(std::min(scenario::kPredictionEvents, seconds * kShare * kEventsPerSecond));
}

bool PredictionRun::finished() {
  if (!counters_.finished()) return false;
  afford_members();
  return ensemble_->finished();
}

PredictionRun::Outcome PredictionRun::outcome() {
  counters_.wait();
  afford_members();
  scenario::Expected answers = ensemble_->expected(rank_sites_);
  Outcome out;
  out.sites = std::move(answers.sites);
  for (std::size_t rank = 0; rank < measured_.size(); ++rank) {
    const scenario::Translation numbers = scenario::intern(rank_sites_[rank], out.sites);
    trace::MeasuredRank measured = std::move(measured_[rank]);
    measured.sites = scenario::renumber(std::move(measured.sites), numbers.site);
    measured.regions = scenario::renumber(std::move(measured.regions), numbers.region);
    out.ranks.push_back(std::move(measured));
  }
  out.predictions = std::move(answers.predictions);
  out.realisations = std::move(answers.realisations);
  out.members = std::move(answers.members);
  out.power = std::move(power_);
  played_.cpus_seen = trace::cores_per_rank(recording_);
  for (std::size_t i = 0; i < out.predictions.size(); ++i)
    add_doubts(out.predictions[i], *scenarios_[i].where, slowdowns_.get(), faults_, played_);
  return out;
}

} // namespace farcast::live
