#include "predictor/sim/engine.h"

#include "predictor/base/fetch_ahead.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace farcast::sim {

using trace::OperationKind;

namespace {

constexpr std::uint64_t kProgressEvery = 4096;    // operations
constexpr std::uint32_t kComputation = kNone - 1; // in place of an event's strand: the end of the rank's computation

// Recorded figures may be odd (a broken clock, a truncated file); none of them may stop time or turn it back.
double sane(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

Activity activity_of(OperationKind kind) {
  switch (kind) {
  case OperationKind::send:
  case OperationKind::receive:
  case OperationKind::isend:
  case OperationKind::ireceive:
  case OperationKind::send_receive:
  case OperationKind::transfer:
    return Activity::point_to_point;
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
               const Options& options, Progress* progress)
    : timelines_(timelines), platform_(platform), placement_(placement), options_(options), progress_(progress),
      network_(platform), cores_(platform, placement, options, timelines.ranks()), account_(timelines.ranks()) {
  for (int i = 0; i < timelines.timelines(); ++i) {
    Strand& strand = strands_.emplace_back();
    strand.timeline = static_cast<std::uint32_t>(i);
    strand.rank = static_cast<std::uint32_t>(timelines.rank_of(i));
    strand.main = i < timelines.ranks();
    strand.started = !strand.main; // further threads have no Init of their own
    make_ready(strand.rank, strand.timeline);
  }
  if (options.slowdowns != nullptr)
    company_ = std::make_unique<Company>(placement, static_cast<std::size_t>(timelines.ranks()), *options.slowdowns);
  const bool ordered = platform.transport.kind != platform::TransportKind::smpi;
  if (options.p2p.value_or(ordered ? MessageModel::channel : MessageModel::smpi) == MessageModel::channel) use_channels();
  const bool over_links = options.self_over_links && !channels_;
  for (int i = 0; i < timelines.ranks(); ++i) {
    const platform::HostId host = placement.host_of[static_cast<std::size_t>(i)];
    copies_.push_back(!platform.p2p.self_message.empty() || !(over_links || platform.topology.loops_back(host)));
  }
}

Prediction Engine::run() {
  play_instants();
  report_blocked();
  return conclude();
}

void Engine::play_instants() {
  for (;;) {
    run_ready();
    if (company_) settle_company();
    double next = std::min(queue_.next_time(), network_.next_event());
    if (channels_) next = std::min(next, channels_->network->next_event());
    look_ahead();
    if (!std::isfinite(next)) return;
    now_ = std::max(now_, next);
    arrived_.clear();
    network_.advance(now_, arrived_);
    base::for_each_fetched(
        arrived_, [this](std::uint32_t send) { arrive(send); }, [this](std::uint32_t send) { fetch_send(send); },
        [this](std::uint32_t send) { fetch_receive(send); }, [this](std::uint32_t send) { fetch_waiting(send); });
    if (channels_) advance_channels();
    const double due = instant_end();
    while (!queue_.empty() && queue_.next_time() <= due) {
      const EventQueue::Event event = queue_.pop();
      if (event.strand == kNone)
        read_inbox(event.rank);
      else if (event.strand == kComputation)
        end_computation(event.rank, event.time);
      else
        make_ready(event.rank, event.strand);
    }
  }
}

// What a message that arrives leads to, line by line: its send, its receive, the strand that waits for it ...
void Engine::fetch_send(std::uint32_t send) { __builtin_prefetch(&requests_[send], 1); }

void Engine::fetch_receive(std::uint32_t send) {
  if (requests_[send].partner != kNone) __builtin_prefetch(&requests_[requests_[send].partner], 1);
}

void Engine::fetch_waiting(std::uint32_t send) {
  const std::uint32_t receive = requests_[send].partner;
  if (receive == kNone) return;
  matching_.fetch(requests_[receive].key); // the next one is often alike
  if (requests_[receive].strand != kNone) base::fetch_lines(strands_[requests_[receive].strand]);
}

const Strand* Engine::waiting_for(std::uint32_t send) {
  const std::uint32_t receive = requests_[send].partner;
  return receive == kNone || requests_[receive].strand == kNone ? nullptr : &strands_[requests_[receive].strand];
}

// ... and what a strand that goes on looks at: its rank's figures, and what its next message leads to when that is like the last.
void Engine::fetch_figures(const Strand& strand) const {
  account_.fetch(strand.rank, strand.operation.site);
  network_.fetch_last_of(placement_.host_of[strand.rank]);
  matching_.fetch(strand.sent);
  if (strand.timeline != kNone) timelines_.fetch(static_cast<int>(strand.timeline));
}

void Engine::fetch_what_it_sends(const Strand& strand) {
  network_.fetch_class_of(placement_.host_of[strand.rank]);
  matching_.fetch_first(requests_, strand.sent);
}

// Messages arrive in no order that a cache could foresee.
void Engine::look_ahead() {
  soon_.clear();
  network_.look_ahead(soon_);
  for (const std::uint32_t send : soon_) {
    if (arriving_.full()) {
      if (const Strand* strand = waiting_for(arriving_.before(4))) fetch_what_it_sends(*strand);
      if (const Strand* strand = waiting_for(arriving_.before(3))) fetch_figures(*strand);
      fetch_waiting(arriving_.before(2));
      fetch_receive(arriving_.before(1));
    }
    fetch_send(send);
    arriving_.add(send);
  }
}

// Lets every strand that is ready at this instant go on, and those that they wake, until all wait for a later one.
void Engine::run_ready() {
  while (!ready_.empty()) {
    running_.swap(ready_);
    if (running_.size() > 1) std::sort(running_.begin(), running_.end());
    const auto strand_of = [this](std::uint64_t entry) -> const Strand& { return strands_[static_cast<std::uint32_t>(entry)]; };
    base::for_each_fetched(
        running_, [this](std::uint64_t entry) { resume(static_cast<std::uint32_t>(entry)); },
        [&](std::uint64_t entry) { base::fetch_lines(strand_of(entry)); },
        [&](std::uint64_t entry) { fetch_figures(strand_of(entry)); },
        [&](std::uint64_t entry) { fetch_what_it_sends(strand_of(entry)); });
    running_.clear();
  }
}

void Engine::resume(std::uint32_t index) {
  Strand& strand = strands_[index];
  strand.clock = now_;
  // Each step moves on to another stage, or arranges for a later resume: by an event or by what it waits for.
  for (;;) {
    switch (strand.stage) {
    case Stage::next:
      take_next(index);
      break;
    case Stage::enter:
      enter(index);
      break;
    case Stage::post:
      post_own_send(index);
      break;
    case Stage::leave:
      leave(index);
      break;
    case Stage::schedule:
      play(index);
      break;
    case Stage::post_step:
      post_step(index);
      break;
    case Stage::wait_steps:
      strand.stage = Stage::schedule;
      break;
    case Stage::ended:
      return;
    }
    if (strand.outstanding > 0 || strand.clock > now_ || strand.stage == Stage::ended) {
      if (channels_ && strand.main) begin_reading(strand.rank);
      return;
    }
  }
}

// Lets a strand's clock go on. Returns: false when it has to wait for the others to get there, by an event.
bool Engine::advance(std::uint32_t index, double seconds, CoreState state) {
  if (!(seconds > 0)) return true;
  Strand& strand = strands_[index];
  if (strand.main) cores_.set(strand.rank, state, now_);
  strand.clock = now_ + seconds;
  if (!(strand.clock > now_)) return true; // below the clock's resolution
  queue_.push(strand.clock, strand.rank, index);
  return false;
}

void Engine::tell_progress() {
  if (progress_ == nullptr) return;
  progress_->virtual_time_s.store(now_, std::memory_order_relaxed);
  progress_->operations.store(operations_, std::memory_order_relaxed);
}

void Engine::take_next(std::uint32_t index) {
  Strand& strand = strands_[index];
  for (;;) {
    if (!timelines_.next(static_cast<int>(strand.timeline), strand.operation)) {
      end(index, false);
      return;
    }
    if (++operations_ % kProgressEvery == 0) tell_progress();
    const trace::Operation& operation = strand.operation;
    if (strand.started) break;
    const bool init = operation.kind == OperationKind::init;
    const bool local = operation.kind == OperationKind::local || operation.kind == OperationKind::poll;
    strand.started = !local;
    if (!init && !local) break;
    account_.call(strand.rank, operation.site, 0, operation.times);
  }
  const trace::Operation& operation = strand.operation;
  const double measured = sane(operation.compute.value());
  if (company_ && strand.main && compute_in_company(index, measured)) return;
  const double predicted = sane(cores_.compute(strand.rank, measured));
  account_.region(operation.region, measured, predicted, operation.times);
  if (strand.main) account_.spend(strand.rank, Activity::compute, predicted);
  strand.stage = Stage::enter;
  advance(index, predicted, CoreState::computing);
}

// Begins a main strand's computation, whose end hangs on who else computes on its node. Returns: false when it takes no time.
bool Engine::compute_in_company(std::uint32_t index, double measured) {
  Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  const double work = sane(cores_.compute(strand.rank, measured * operation.alone_share));
  if (!(work > 0)) return false;
  account_.region(operation.region, measured, 0.0, operation.times);
  cores_.set(strand.rank, CoreState::computing, now_);
  company_->begin(strand.rank, operation.region, work, now_);
  strand.stage = Stage::enter;
  strand.clock = std::numeric_limits<double>::infinity(); // until end_computation
  return true;
}

// The end of a computation, unless it has been put off or brought forward since.
void Engine::end_computation(std::uint32_t rank, double time) {
  if (!company_->end_at(rank, time)) return;
  const double spent = now_ - company_->began(rank);
  account_.region(strands_[rank].operation.region, 0.0, spent, 0);
  account_.spend(rank, Activity::compute, spent);
  make_ready(rank, rank); // a rank's main strand has its number
}

void Engine::settle_company() {
  company_->settle(now_, [this](std::uint32_t rank, double end) { queue_.push(end, rank, kComputation); });
}

void Engine::enter(std::uint32_t index) {
  Strand& strand = strands_[index];
  strand.entered = strand.posted = strand.ready = strand.busy_until = now_;
  strand.outstanding = 0;
  strand.poll_given = false;
  strand.stage = Stage::leave;
  last_event_ = now_;
  switch (strand.operation.kind) {
  case OperationKind::local:
    return enter_local(index);
  case OperationKind::init:
    return;
  case OperationKind::poll:
    return enter_poll(index);
  case OperationKind::finalize:
    return end(index, true);
  case OperationKind::send:
  case OperationKind::isend:
    return enter_send(index);
  case OperationKind::receive:
  case OperationKind::ireceive:
    return enter_receive(index);
  case OperationKind::send_receive:
    return enter_send_receive(index);
  case OperationKind::transfer:
    return enter_transfer(index);
  case OperationKind::storage:
  case OperationKind::istorage:
    return enter_storage(index);
  case OperationKind::probe:
    return enter_probe(index);
  case OperationKind::wait:
    return enter_wait(index);
  case OperationKind::forget:
    return forget(index);
  case OperationKind::collective:
  case OperationKind::icollective:
    return enter_collective(index);
  }
}

void Engine::enter_local(std::uint32_t index) {
  advance(index, sane(strands_[index].operation.measured.value()), CoreState::computing);
}

void Engine::leave(std::uint32_t index) {
  Strand& strand = strands_[index];
  last_event_ = now_;
  const double spent = now_ - strand.entered;
  account_.call(strand.rank, strand.operation.site, spent, strand.operation.times);
  if (strand.main && spent > 0) {
    const Activity activity = activity_of(strand.operation.kind);
    double waiting = 0;
    if (activity == Activity::point_to_point || activity == Activity::completion) {
      waiting = std::clamp(strand.ready - strand.posted, 0.0, spent);
    }
    account_.spend(strand.rank, Activity::waiting, waiting);
    account_.spend(strand.rank, activity, spent - waiting);
  }
  strand.stage = Stage::next;
}

void Engine::end(std::uint32_t index, bool finalized) {
  Strand& strand = strands_[index];
  strand.stage = Stage::ended;
  strand.finalized = finalized;
  strand.entered = now_;
  if (finalized) account_.call(strand.rank, strand.operation.site, 0);
  if (strand.main) cores_.set(strand.rank, CoreState::idle, now_);
}

} // namespace farcast::sim
