#include "predictor/sim/engine.h"

#include "predictor/sim/channel_layer.h"
#include "predictor/sim/flow_layer.h"
#include "predictor/sim/launch.h"
#include "predictor/sim/sane.h"

#include <algorithm>
#include <cmath>

namespace farcast::sim {

using trace::OperationKind;

namespace {

constexpr std::uint64_t kProgressEvery = 4096; // operations
constexpr std::uint64_t kMostPolls = 32;       // of a row: messages wait for one of them at most a 32nd of its time longer

Activity activity_of(OperationKind kind) {
  switch (kind) {
  case OperationKind::send:
  case OperationKind::receive:
  case OperationKind::isend:
  case OperationKind::ireceive:
  case OperationKind::send_receive:
  case OperationKind::transfer:
    return Activity::point_to_point;
  case OperationKind::init: // for the others' start
  case OperationKind::probe:
  case OperationKind::wait:
    return Activity::completion;
  case OperationKind::collective:
  case OperationKind::icollective:
    return Activity::collective;
  default:
    return Activity::local;
  }
}

} // namespace

Engine::Engine(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
               const Options& options, Progress* progress, Observer* observer)
    : timelines_(timelines), setting_{platform, placement, options, timelines.ranks(), observer}, progress_(progress),
      account_(timelines.ranks()), cores_(setting_, account_), scheduler_(cores_), polls_(setting_, scheduler_, cores_, account_),
      waits_(setting_, scheduler_), requests_(scheduler_, polls_, waits_),
      messages_(setting_, scheduler_, account_, requests_, timelines.asks()), network_(platform),
      flows_(setting_, scheduler_, requests_, messages_, network_), layer_(layer_for(platform, options)),
      overhead_(setting_, scheduler_, *layer_), computation_(setting_, scheduler_, cores_, account_),
      horizon_(setting_, scheduler_, computation_, network_, flows_), answers_(timelines, scheduler_, requests_, messages_),
      ahead_(timelines, scheduler_, polls_, computation_, horizon_, answers_), away_(timelines, scheduler_),
      point_to_point_(setting_, scheduler_, requests_, messages_, polls_, *layer_, overhead_, answers_, problems_),
      saving_(setting_, scheduler_, cores_),
      collectives_(setting_, scheduler_, requests_, messages_, *layer_, overhead_, saving_, problems_),
      files_(setting_, scheduler_, requests_, flows_),
      look_ahead_(setting_, timelines, scheduler_, account_, requests_, messages_, network_) {
  watch_links();
  if (timelines.shares()) flows_.follow();
  if (options.bottlenecks) {
    setting_.causes = &causes_.emplace(scheduler_, timelines.ranks());
    requests_.tell(setting_.causes);
  }
  for (int i = 0; i < timelines.timelines(); ++i) {
    scheduler_.add_timeline(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(timelines.rank_of(i)),
                            i < timelines.ranks());
  }
}

std::unique_ptr<MessageLayer> Engine::layer_for(const platform::Platform& platform, const Options& options) {
  const bool channels = message_model_of(platform, options) == MessageModel::channel;
  std::unique_ptr<MessageLayer> layer;
  if (channels)
    layer = std::make_unique<ChannelLayer>(setting_, timelines_, scheduler_, requests_, messages_, waits_);
  else
    layer = std::make_unique<FlowLayer>(setting_, requests_, messages_, flows_);
  messages_.carry_with(*layer, options.self_over_links && !channels);
  layer_acts_ = layer->has_events();
  return layer;
}

// What links carry is followed only where somebody wants to know.
void Engine::watch_links() {
  Observer* const observer = setting_.observer != nullptr && setting_.observer->wants_links() ? setting_.observer : nullptr;
  if (!setting_.platform.link_power.empty()) link_meter_.emplace(setting_.platform);
  if (observer == nullptr && !link_meter_) return;
  const auto tell = [this, observer](const network::LinkUse& use) {
    if (link_meter_) link_meter_->carry(use.link, base::Bytes(use.bytes));
    if (observer != nullptr) observer->link(use);
  };
  network_.watch(tell);
  layer_->watch(tell);
}

Prediction Engine::run() {
  play_instants();
  report_blocked();
  return conclude();
}

void Engine::play_instants() {
  for (;;) {
    run_ready();
    computation_.settle();
    const Horizon::Next next = horizon_.next_instant(layer_acts_ ? layer_.get() : nullptr);
    look_ahead_.before_instant();
    if (away_.any() && away_.come_back(std::isfinite(next.instant))) continue;
    if (!std::isfinite(next.instant)) return;
    scheduler_.move_to(next.instant);
    if (scheduler_.may_be_due(next.flow)) flows_.advance(look_ahead_);
    if (layer_acts_) layer_->advance();
    scheduler_.take_events([this](const EventQueue::Event& event) {
      if (event.strand == Scheduler::kProgress)
        layer_->progress(event.rank);
      else if (event.strand == Scheduler::kCarried)
        flows_.carried(event.rank);
      else if (event.strand == Scheduler::kSpun)
        waits_.sleep(event.rank, event.time, layer_->busy(event.rank));
      else
        computation_.end(event.rank, event.time);
    });
  }
}

// Lets every strand that is ready at this instant go on, and those that they wake, until all wait
// for a later one.
void Engine::run_ready() {
  const auto strand_of = [](std::uint64_t entry) { return static_cast<std::uint32_t>(entry); };
  while (scheduler_.anybody_ready()) {
    if (const std::optional<std::uint64_t> only = scheduler_.take_only()) {
      resume(strand_of(*only));
      continue;
    }
    base::for_each_fetched(
        scheduler_.take_ready(), [&](std::uint64_t entry) { resume(strand_of(entry)); },
        [&](std::uint64_t entry) { look_ahead_.strand(strand_of(entry)); },
        [&](std::uint64_t entry) { look_ahead_.figures(scheduler_[strand_of(entry)]); },
        [&](std::uint64_t entry) { look_ahead_.what_it_sends(scheduler_[strand_of(entry)]); });
  }
}

void Engine::resume(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  strand.clock = scheduler_.now();
  scheduler_.acts();
  if (causes_) causes_->path.acts(index);
  // Each step moves on to another stage, or arranges for a later resume: by an event or by what it
  // waits for.
  while (strand.stage != Stage::ended) {
    go_on(index);
    if (strand.outstanding > 0 || strand.clock > scheduler_.now() || strand.stage == Stage::ended) {
      if (causes_) causes_->path.stops();
      if (layer_acts_) layer_->paused(strand);
      return;
    }
  }
  if (causes_) causes_->path.stops();
}

void Engine::go_on(std::uint32_t index) {
  switch (scheduler_[index].stage) {
  case Stage::next:
    return take_next(index);
  case Stage::next_poll:
    return next_poll(index);
  case Stage::enter:
    return enter(index);
  case Stage::collective:
    scheduler_[index].stage = Stage::leave;
    return enter_collective(index);
  case Stage::post:
    return point_to_point_.post(index);
  case Stage::settle:
    return answers_.settle(index);
  case Stage::leave:
    return leave(index);
  case Stage::schedule:
    return collectives_.play(index);
  case Stage::post_step:
    return collectives_.post_step(index);
  case Stage::wait_steps:
    scheduler_[index].stage = Stage::schedule;
    return;
  case Stage::ended:
    return;
  }
}

void Engine::tell_progress() {
  if (progress_ == nullptr) return;
  progress_->virtual_time_s.store(scheduler_.now(), std::memory_order_relaxed);
  progress_->operations.store(operations_, std::memory_order_relaxed);
}

void Engine::take_next(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  if (strand.operation.away && away_.leaves(index)) return;
  for (;;) {
    const auto timeline = static_cast<int>(strand.timeline);
    if (!timelines_.next_alike(timeline, strand.operation) && !timelines_.next(timeline, strand.operation))
      return end(index, false);
    if (++operations_ % kProgressEvery == 0) tell_progress();
    const trace::Operation& operation = strand.operation;
    if (strand.started) break;
    const bool init = operation.kind == OperationKind::init;
    const bool local = operation.kind == OperationKind::local || operation.kind == OperationKind::poll;
    strand.started = !local;
    if (!init && !local) break;
    if (init && start_late(index)) return;
    account_.call(strand.rank, operation.site, 0, operation.times, strand.last_call);
  }
  if (strand.operation.kind == OperationKind::poll) divide_polls(strand);
  if (strand.came_late) Away::shorten(strand);
  computation_.begin(index);
}

// Returns: whether the process leaves MPI_Init later than others; it waits until then.
bool Engine::start_late(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const double late = layer_->use().model == MessageModel::channel ? late_start_s(setting_, strand.rank) : 0;
  if (!(late > 0)) return false;
  strand.stage = Stage::leave;
  strand.entered = strand.posted = scheduler_.now();
  strand.ready = strand.entered + late;
  cores_.enter(strand.rank, {true, strand.operation.site}, scheduler_.now());
  scheduler_.advance(index, late, CoreState::polling);
  return true;
}

namespace {

// Lets the operation stand for so many calls of those that it stands for.
void take_part(trace::Operation& row, std::uint64_t calls) {
  const double share = static_cast<double>(calls) / static_cast<double>(row.times);
  row.compute = row.compute * share;
  row.measured = row.measured * share;
  row.others_s *= static_cast<float>(share);
  row.others_in_call_s *= static_cast<float>(share);
  row.times = calls;
}

} // namespace

// A row of polls with computation between them: one after the other, or kMostPolls of which each
// stands for several.
void Engine::divide_polls(Strand& strand) const {
  trace::Operation& row = strand.operation;
  if (row.times < 2 || !strand.main || !layer_->learns_by_polls()) return;
  const std::uint64_t all = row.times;
  take_part(row, (all + kMostPolls - 1) / kMostPolls);
  strand.polls_left = all - row.times;
}

void Engine::next_poll(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  take_part(strand.operation, std::min(strand.operation.times, strand.polls_left));
  strand.polls_left -= strand.operation.times;
  computation_.begin(index);
}

void Engine::enter(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  strand.entered = strand.posted = strand.ready = strand.busy_until = scheduler_.now();
  strand.outstanding = 0;
  strand.poll_given = false;
  strand.look_s = 0;
  strand.stage = Stage::leave;
  scheduler_.note_event();
  if (causes_) {
    causes_->path.computed(index);
    causes_->waits.enters(index);
  }
  if (strand.main) cores_.enter(strand.rank, {true, strand.operation.site}, scheduler_.now());
  switch (strand.operation.kind) {
  case OperationKind::local:
    scheduler_.advance(index, sane(strand.operation.measured.value()), CoreState::computing);
    return;
  case OperationKind::init:
    return;
  case OperationKind::poll:
    return point_to_point_.poll(index);
  case OperationKind::finalize:
    return end(index, true);
  case OperationKind::send:
  case OperationKind::isend:
    return point_to_point_.send(index);
  case OperationKind::receive:
  case OperationKind::ireceive:
    return point_to_point_.receive(index);
  case OperationKind::send_receive:
    return point_to_point_.send_receive(index);
  case OperationKind::transfer:
    return point_to_point_.transfer(index);
  case OperationKind::storage:
  case OperationKind::istorage:
    return files_.access(index);
  case OperationKind::probe:
    return point_to_point_.probe(index);
  case OperationKind::wait:
    return point_to_point_.wait(index);
  case OperationKind::forget:
    return point_to_point_.forget(index);
  case OperationKind::collective:
    if (!saving_.has(strand)) return enter_collective(index);
    strand.stage = Stage::collective;
    return saving_.begin(index);
  case OperationKind::icollective:
    return collectives_.enter(index);
  }
}

void Engine::enter_collective(std::uint32_t index) {
  collectives_.enter(index);
  answers_.entered(index);
}

void Engine::leave(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  if (strand.saving != Saving::none && !saving_.end(index)) return;
  const double now = scheduler_.now();
  scheduler_.note_event();
  const double spent = now - strand.entered;
  if (causes_) causes_->path.left(index);
  account_.call(strand.rank, strand.operation.site, spent, strand.operation.times, strand.last_call);
  if (strand.operation.others_in_call_s > 0) use_others(strand, spent);
  if (strand.operation.asked && strand.operation.kind != OperationKind::ireceive) answer(strand);
  strand.stage = strand.polls_left > 0 ? Stage::next_poll : Stage::next;
  if (!strand.main || !(spent > 0)) return;
  const Activity activity = activity_of(strand.operation.kind);
  double waiting = 0;
  if (activity == Activity::point_to_point || activity == Activity::completion)
    waiting = std::clamp(strand.ready - strand.posted, 0.0, spent);
  account_.spend(strand.rank, Activity::waiting, waiting);
  if (causes_) causes_->waits.waited(index, strand.rank, strand.operation, waiting);
  account_.spend(strand.rank, activity, spent - waiting);
  if (setting_.observer == nullptr) return;
  const double waits_from = std::min(strand.posted, now - waiting);
  tell(strand, activity, strand.entered, waits_from);
  tell(strand, Activity::waiting, waits_from, waits_from + waiting);
  tell(strand, activity, waits_from + waiting, now);
}

// Only who polls, or looks at the clock in between, may say the same again by itself.
void Engine::answer(Strand& strand) {
  tell_progress(); // whoever looks at a standing job sees where it stands
  const OperationKind kind = strand.operation.kind;
  const bool polls = strand.main && (kind == OperationKind::poll || kind == OperationKind::local);
  if (!polls || strand.answered_ahead) return answers_.give(strand);
  const bool for_messages = answers_.only_messages(strand);
  Quiet quiet = horizon_.quiet(strand.rank, for_messages, *layer_);
  if (for_messages && quiet.seconds > 0) ahead_.go_along(strand.rank, *layer_, quiet);
  answers_.give(strand, quiet);
}

// What other threads did beside a call is work, which ends, or a wait in a loop, which lasts as
// long as the call: no more than was measured, and less where the call takes less.
void Engine::use_others(const Strand& strand, double spent) {
  const double measured = sane(strand.operation.measured.value());
  const double others = cores_.compute(strand.rank, sane(strand.operation.others_in_call_s));
  cores_.use_others(strand.rank, {true, strand.operation.site}, measured > spent ? others * spent / measured : others,
                    strand.entered, scheduler_.now());
}

void Engine::tell(const Strand& strand, Activity activity, double begin, double end) const {
  if (setting_.observer == nullptr || !(end > begin)) return;
  const trace::Operation& operation = strand.operation;
  setting_.observer->interval({strand.rank, activity, operation.site, operation.region, begin, end, strand.entered});
}

void Engine::end(std::uint32_t index, bool finalized) {
  Strand& strand = scheduler_[index];
  strand.stage = Stage::ended;
  strand.finalized = finalized;
  strand.entered = scheduler_.now();
  if (finalized) account_.call(strand.rank, strand.operation.site, 0, 1, strand.last_call);
  if (finalized && strand.operation.asked) answers_.give(strand);
  scheduler_.set_core(strand, CoreState::idle);
}

} // namespace farcast::sim
