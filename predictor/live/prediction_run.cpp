#include "predictor/live/prediction_run.h"

#include "predictor/platform/builtin.h"
#include "predictor/region/slowdown_file.h"
#include "predictor/report/assumptions.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::live {

base::Result<std::vector<PlacedPlatform>> place_all(const Settings& settings, int ranks) {
  std::vector<std::string> names = settings.platforms;
  if (names.empty()) names.emplace_back(kDefaultPlatform);
  std::vector<PlacedPlatform> out;
  for (const std::string& name : names) {
    auto found = platform::find_platform(name);
    if (!found) return base::fail(found.error().message);
    auto placed = platform::place(*found, ranks, settings.placement);
    if (!placed) return base::fail(placed.error().message);
    out.push_back({std::move(*found), std::move(*placed)});
  }
  return out;
}

sim::Options options_of(const Settings& settings) {
  sim::Options options;
  options.relative_speed = settings.relative_speed;
  if (!settings.message_model.empty())
    options.p2p = settings.message_model == "smpi" ? sim::MessageModel::smpi : sim::MessageModel::channel;
  if (!settings.progress_rule.empty())
    options.progress = settings.progress_rule == "async" ? sim::ProgressRule::async : sim::ProgressRule::in_call;
  options.seed = settings.seed;
  if (!settings.collectives.empty()) // read once already, so that a mistake was said
    if (auto selection = collective::parse_selection(settings.collectives)) options.collectives = *selection;
  return options;
}

base::Result<SlowdownTable> load_slowdowns(const Settings& settings) {
  if (settings.regions_file.empty()) return SlowdownTable{};
  auto read = region::read_slowdowns(settings.regions_file);
  if (!read) return tl::unexpected(read.error());
  return std::make_shared<const region::SlowdownTable>(std::move(*read));
}

base::Result<void> check_slowdowns(const SlowdownTable& table, trace::Recording& recording) {
  if (table == nullptr) return {};
  std::vector<trace::LoadedModule> modules;
  const std::lock_guard<std::mutex> lock(recording.mutex);
  for (const auto& rank : recording.ranks) modules.insert(modules.end(), rank->modules.begin(), rank->modules.end());
  return region::check_objects(*table, modules);
}

PredictionRun::PredictionRun(trace::Recording& recording, std::vector<PlacedPlatform> platforms, const Settings& settings,
                             SlowdownTable slowdowns, Faults faults, bool background)
    : recording_(recording), placed_(std::move(platforms)), faults_(std::move(faults)), program_(recording.program),
      mpi_library_(recording.mpi_library), background_(background), slowdown_table_(std::move(slowdowns)),
      predictions_(placed_.size()), rank_sites_(recording.ranks.size()), measured_(recording.ranks.size()) {
  options_ = options_of(settings);
  if (!options_.collectives.library) options_.collectives.library = collective::library_named(recording.mpi_library);
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    timelines_.push_back(std::make_unique<trace::RecordedTimelines>(recording));
    timelines_.back()->decode_ahead([this] { lower_priority(); });
    progress_.push_back(std::make_unique<sim::Progress>());
    if (slowdown_table_ == nullptr) continue;
    const std::lock_guard<std::mutex> lock(recording.mutex);
    slowdowns_.push_back(std::make_unique<region::Slowdowns>(*slowdown_table_, timelines_[i]->sites(), recording.resolved));
    timelines_[i]->correct_with(*slowdowns_[i]);
  }
  running_.store(static_cast<int>(placed_.size() + recording.ranks.size()), std::memory_order_release);
  for (std::size_t i = 0; i < placed_.size(); ++i) threads_.emplace_back([this, i] { play(i); });
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank) threads_.emplace_back([this, rank] { count(rank); });
}

PredictionRun::~PredictionRun() { wait(); }

namespace {

sim::SlowdownUse use_of(const region::SlowdownTable& table, const region::SlowdownCoverage& coverage) {
  using base::Seconds;
  const region::SlowdownProvenance& from = table.provenance;
  sim::SlowdownUse use;
  use.source = from.date.empty()
                   ? fmt::format("{}, ratios of SimGrid", table.source)
                   : fmt::format("{}, measured on {} with {} ranks, {}", table.source, from.host, from.ranks, from.date);
  use.exact = Seconds(coverage.exact_s);
  use.neighbour = Seconds(coverage.neighbour_s);
  use.same_file = Seconds(coverage.same_file_s);
  use.none = Seconds(coverage.none_s);
  use.beyond = Seconds(coverage.beyond_s);
  use.played = Seconds(coverage.played_s);
  use.played_beyond = Seconds(coverage.played_beyond_s);
  use.company_played = coverage.company_played;
  use.company_measured = coverage.company_measured;
  return use;
}

} // namespace

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

void PredictionRun::play(std::size_t index) {
  lower_priority();
  PlacedPlatform& placed = placed_[index];
  sim::Options options = options_;
  if (slowdown_table_ != nullptr) options.slowdowns = slowdowns_[index].get();
  predictions_[index] = sim::predict(*timelines_[index], placed.platform, placed.placement, options, progress_[index].get());
  if (slowdown_table_ != nullptr) predictions_[index].slowdowns = use_of(*slowdown_table_, slowdowns_[index]->coverage());
  add_doubts(predictions_[index], placed);
  running_.fetch_sub(1, std::memory_order_acq_rel);
}

void PredictionRun::add_doubts(sim::Prediction& prediction, const PlacedPlatform& placed) const {
  const auto add = [](auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); };
  add(prediction.assumptions, report::assumptions_of(placed.platform));
  add(prediction.assumptions, report::contention_assumption(placed.placement, slowdown_table_ != nullptr));
  add(prediction.cautions, faults_(placed.platform, slowdown_table_.get(), program_, mpi_library_));
  if (slowdown_table_ == nullptr) return;
  add(prediction.cautions, report::slowdown_cautions(*prediction.slowdowns));
}

void PredictionRun::count(std::size_t rank) {
  lower_priority();
  measured_[rank] = trace::tally(recording_, *recording_.ranks[rank], rank_sites_[rank]);
  running_.fetch_sub(1, std::memory_order_acq_rel);
}

void PredictionRun::wait() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

double PredictionRun::virtual_time_s() const {
  double least = -1;
  for (const auto& progress : progress_) {
    const double time = progress->virtual_time_s.load(std::memory_order_relaxed);
    least = least < 0 ? time : std::min(least, time);
  }
  return std::max(least, 0.0);
}

std::uint64_t PredictionRun::slots_played() const {
  std::uint64_t least = 0;
  for (std::size_t i = 0; i < timelines_.size(); ++i) {
    least = i == 0 ? timelines_[i]->slots_read() : std::min(least, timelines_[i]->slots_read());
  }
  return least;
}

namespace {

// Numbers of one table -> numbers of another.
struct Translation {
  std::vector<std::uint32_t> site;
  std::vector<std::uint32_t> region;
};

Translation intern(const trace::SiteTable& from, trace::SiteTable& to) {
  Translation out;
  for (const trace::Site& site : from.sites()) out.site.push_back(to.site(site));
  for (const auto& [first, second] : from.regions()) out.region.push_back(to.region(out.site[first], out.site[second]));
  return out;
}

template <class Map> Map renumber(Map&& map, const std::vector<std::uint32_t>& numbers) {
  std::remove_cvref_t<Map> out;
  for (auto& [key, value] : map) out.emplace(numbers[key], std::move(value));
  return out;
}

} // namespace

PredictionRun::Outcome PredictionRun::outcome() {
  wait();
  // One table with everybody's sites, then the order that does not depend on who came first.
  trace::SiteTable all;
  for (const trace::SiteTable& table : rank_sites_) intern(table, all);
  for (const auto& timelines : timelines_) intern(timelines->sites(), all);
  const trace::CanonicalOrder order = trace::canonical_order(all);
  Outcome out;
  std::vector<std::uint32_t> by_site(order.site.size());
  for (std::uint32_t i = 0; i < by_site.size(); ++i) by_site[order.site[i]] = i;
  for (const std::uint32_t site : by_site) out.sites.site(all.sites()[site]);
  std::vector<std::uint32_t> by_region(order.region.size());
  for (std::uint32_t i = 0; i < by_region.size(); ++i) by_region[order.region[i]] = i;
  for (const std::uint32_t region : by_region) {
    out.sites.region(order.site[all.regions()[region].first], order.site[all.regions()[region].second]);
  }
  for (std::size_t rank = 0; rank < measured_.size(); ++rank) {
    const Translation numbers = intern(rank_sites_[rank], out.sites);
    trace::MeasuredRank measured = std::move(measured_[rank]);
    measured.sites = renumber(std::move(measured.sites), numbers.site);
    measured.regions = renumber(std::move(measured.regions), numbers.region);
    out.ranks.push_back(std::move(measured));
  }
  for (std::size_t i = 0; i < predictions_.size(); ++i) {
    const Translation numbers = intern(timelines_[i]->sites(), out.sites);
    sim::Prediction prediction = std::move(predictions_[i]);
    prediction.sites = renumber(std::move(prediction.sites), numbers.site);
    prediction.regions = renumber(std::move(prediction.regions), numbers.region);
    for (sim::Problem& problem : prediction.problems) {
      if (problem.site) problem.site = numbers.site[*problem.site];
    }
    out.predictions.push_back(std::move(prediction));
  }
  return out;
}

} // namespace farcast::live
