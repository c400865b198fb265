#include "predictor/trace/tally.h"

#include "libinterpose/stream/segment.h"
#include "predictor/trace/comm_table.h"

#include <algorithm>
#include <set>

namespace farcast::trace {

namespace {

using C = FunctionClass;

bool sends(FunctionClass kind) {
  switch (kind) {
  case C::send:
  case C::isend:
  case C::sendrecv:
  case C::isendrecv:
  case C::send_init:
  case C::coll:
  case C::icoll:
  case C::rma:
  case C::rma_request:
    return true;
  default:
    return false;
  }
}

class ThreadTally {
public:
  ThreadTally(const RankRecording& rank, const Recording& recording, SiteTable& table, SiteResolver& resolver,
              std::set<std::uint32_t>& foreign, MeasuredRank& out)
      : rank_(rank), world_size_(recording.world_size), abandoned_(recording.abandoned), table_(table), resolver_(resolver),
        foreign_(foreign), out_(out) {}

  void read(const SlotStream& stream, bool main_thread) {
    CallReader reader(stream, world_size_, Reading::in_blocks);
    RecordedCall call;
    // Further threads count from the rank's MPI_Init on, which the main thread has called.
    started_ = !main_thread && out_.initialized;
    init_exit_ = last_exit_ = out_.init_exit_ticks;
    while (!abandoned_.load(std::memory_order_relaxed) && reader.next(call)) {
      add(call, main_thread);
      if (reader.repetitions() > 0) repeat(call.slot, reader.take_repetitions(), main_thread);
    }
    if (reader.corrupt()) out_.corrupt = true;
    if (main_thread && out_.initialized && !out_.finalized) out_.app_s = seconds(last_exit_ - init_exit_);
  }

private:
  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) / rank_.ticks_per_second; }

  void add(const RecordedCall& call, bool main_thread) {
    const std::vector<FunctionInfo>& infos = function_infos();
    const stream::CallSlot& slot = call.slot;
    if (slot.function >= infos.size()) {
      out_.corrupt = true;
      return;
    }
    const FunctionInfo& info = infos[slot.function];
    const std::uint64_t times = call.fold ? call.fold->calls : 1;
    out_.calls += times;
    out_.functions[slot.function] += times;
    // Fruitless polls and what they find in the end are one outcome.
    const bool timed = hangs_on_timing(info, slot) || receives_from_anybody(call);
    if (timed && (slot.flags & (stream::kFlagRow | stream::kFlagRepeat)) == 0) ++out_.decisions;
    const std::uint64_t ticks = stream::duration_of(slot.result);
    const std::uint64_t beside = call.fold ? std::min(call.fold->compute_ticks, ticks) : 0;
    const double passed = seconds(ticks - beside);
    const double in_call = without(seconds(beyond(ticks - beside, times * rank_.in_call_ticks)), call.call_aside);
    if (!call.stack.empty()) resolver_.define_stack(slot.site, call.stack);
    const std::uint32_t site = resolver_.site(slot.site, slot.function);
    region(call, site, main_thread);
    if (info.kind == C::finalize && main_thread && out_.initialized) {
      out_.finalized = true;
      out_.app_s = seconds(slot.t_enter - init_exit_);
    }
    MeasuredSite& stats = out_.sites[site];
    // MPI_Init and MPI_Finalize lie outside of the measured time, and so does what is called before
    // and after.
    const bool counts = started_ && (!out_.finalized || !main_thread);
    stats.time_s.add(counts ? in_call / static_cast<double>(times) : 0.0, times);
    if (sends(info.kind) && slot.peer != stream::kNoPeer) stats.sent_bytes.add(static_cast<double>(slot.bytes));
    if (counts && main_thread) {
      out_.mpi_s += passed + call.fold_aside_s;
      out_.aside_s += call.fold_aside_s + (call.call_aside ? static_cast<double>(call.call_aside->ns) * 1e-9 : 0.0);
      if (call.call_others) out_.others_s += split_at_call(*call.call_others, in_call).first;
    }
    for (const GroupDefinition& group : call.groups) {
      if (has_foreigners(group)) foreign_.insert(group.comm);
    }
    const bool outside = is_outside(slot.comm);
    if (info.unmodelled || (outside && info.group != FunctionGroup::local)) not_modelled(slot.function, times, in_call);
    last_exit_ = slot.t_enter + ticks;
    if (info.kind == C::init && !out_.initialized) {
      out_.initialized = true;
      started_ = true;
      init_exit_ = out_.init_exit_ticks = last_exit_;
    }
  }

  [[nodiscard]] bool is_outside(std::uint32_t comm) const { return comm == stream::kSessionComm || foreign_.contains(comm); }
  void not_modelled(std::uint16_t function, std::uint64_t calls, double time_s) {
    auto& [count, time] = out_.unmodelled[function];
    count += calls;
    time += time_s;
  }

  // Calls see(seconds of each, how many) for those of two lengths, `less` ticks taken off.
  template <class See> void each_of(const Repetitions::Times& times, std::uint64_t calls, std::uint64_t less, See see) const {
    const auto rest = [&](std::uint64_t ticks) { return seconds(beyond(ticks, less)); };
    if (times.longer > 0) see(rest(times.least + 1), times.longer);
    if (calls > times.longer) see(rest(times.least), calls - times.longer);
  }

  // Those that repeat a call which has been added.
  void repeat(const stream::CallSlot& slot, const Repetitions& rest, bool main_thread) {
    const std::vector<FunctionInfo>& infos = function_infos();
    if (slot.function >= infos.size()) return;
    const FunctionInfo& info = infos[slot.function];
    out_.calls += rest.calls;
    out_.functions[slot.function] += rest.calls;
    if (hangs_on_timing(info, slot)) out_.decisions += rest.calls;
    const bool counts = started_ && (!out_.finalized || !main_thread);
    const bool unknown = info.unmodelled || (is_outside(slot.comm) && info.group != FunctionGroup::local);
    MeasuredSite& stats = out_.sites[last_site_];
    const std::uint64_t passed = rest.calls * rest.in.least + rest.in.longer;
    if (counts && main_thread) out_.mpi_s += seconds(passed);
    each_of(rest.in, rest.calls, rank_.in_call_ticks, [&](double time, std::uint64_t calls) {
      stats.time_s.add(counts ? time : 0.0, calls);
      if (unknown) not_modelled(slot.function, calls, time * static_cast<double>(calls));
    });
    if (sends(info.kind) && slot.peer != stream::kNoPeer) stats.sent_bytes.add(static_cast<double>(slot.bytes), rest.calls);
    last_exit_ += rest.calls * rest.compute.least + rest.compute.longer + passed;
    if (!started_) return;
    MeasuredRegion& region = out_.regions[table_.region(last_site_, last_site_)];
    each_of(rest.compute, rest.calls, rank_.overhead_ticks, [&](double time, std::uint64_t calls) {
      const double all = time * static_cast<double>(calls);
      region.visits += calls;
      region.total_s += all;
      region.squares += time * all;
      if (main_thread && !out_.finalized) out_.compute_s += all;
    });
  }

  void region(const RecordedCall& call, std::uint32_t site, bool main_thread) {
    const std::uint32_t number = table_.region(has_last_ ? last_site_ : site, site);
    has_last_ = true;
    last_site_ = site;
    if (!started_) return;
    const std::uint64_t visits = call.fold ? call.fold->calls : 1;
    const std::uint64_t outside = call.slot.t_enter > last_exit_ ? call.slot.t_enter - last_exit_ : 0;
    const std::uint64_t gap = call.fold ? call.fold->compute_ticks : outside;
    const std::uint64_t overhead = visits * rank_.overhead_ticks;
    double time = without(seconds(beyond(gap, overhead)), call.region_aside);
    if (call.region_cpu_ns) time = static_cast<double>(*call.region_cpu_ns) * 1e-9;
    MeasuredRegion& stats = out_.regions[number];
    if (main_thread && !out_.finalized) {
      if (call.region_aside) out_.aside_s += static_cast<double>(call.region_aside->ns) * 1e-9;
      out_.compute_s += time;
      if (call.region_others) out_.others_s += others_beyond(*call.region_others, time);
    }
    stats.visits += visits;
    stats.total_s += time;
    stats.squares += time * time / static_cast<double>(visits); // a row's visits count as equal
    const std::size_t events =
        std::min<std::size_t>(call.counters.size(), stream::kMostCounters); // a damaged stream may have more
    if (stats.counters.size() < events) stats.counters.resize(events, 0);
    for (std::size_t event = 0; event < events; ++event) stats.counters[event] += call.counters[event];
  }

  const RankRecording& rank_;
  int world_size_;
  const std::atomic<bool>& abandoned_;
  SiteTable& table_;
  SiteResolver& resolver_;
  std::set<std::uint32_t>& foreign_; // communicators of the rank that have members of other worlds
  MeasuredRank& out_;
  bool started_ = false;
  bool has_last_ = false;
  std::uint32_t last_site_ = 0;
  std::uint64_t init_exit_ = 0;
  std::uint64_t last_exit_ = 0;
};

} // namespace

void SpreadOf::add(double value, std::uint64_t times) {
  max = count == 0 ? value : std::max(max, value);
  min = count == 0 ? value : std::min(min, value);
  total += value * static_cast<double>(times);
  count += times;
}

MeasuredRank tally(Recording& recording, RankRecording& rank, SiteTable& sites) {
  MeasuredRank out;
  out.rank = rank.rank;
  out.functions.resize(function_infos().size(), 0);
  SiteResolver resolver(sites, rank, recording.mutex);
  std::set<std::uint32_t> foreign;
  for (std::size_t thread = 0;; ++thread) {
    const SlotStream* stream = nullptr;
    {
      const std::lock_guard<std::mutex> lock(recording.mutex);
      if (thread < rank.threads.size()) stream = rank.threads[thread].get();
    }
    if (stream == nullptr) break;
    ThreadTally(rank, recording, sites, resolver, foreign, out).read(*stream, thread == 0);
  }
  return out;
}

} // namespace farcast::trace
