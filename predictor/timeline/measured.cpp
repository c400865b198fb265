#include "predictor/timeline/measured.h"

#include "predictor/trace/call_reader.h"
#include "predictor/trace/function_info.h"

#include <algorithm>

namespace farcast::timeline {

namespace {

using sim::Activity;
using trace::FunctionGroup;

Activity activity_of(const trace::FunctionInfo& info) {
  switch (info.group) {
  case FunctionGroup::message:
    return Activity::point_to_point;
  case FunctionGroup::probe:
  case FunctionGroup::completion:
    return Activity::completion;
  case FunctionGroup::collective:
  case FunctionGroup::agreement:
    return Activity::collective;
  default:
    return Activity::local;
  }
}

// Appends what one rank did. Returns: when it entered MPI_Finalize, or its last call was over.
class RankReader {
public:
  RankReader(trace::Recording& recording, trace::RankRecording& rank, trace::SiteTable& sites, TimeLine& out)
      : recording_(recording), rank_(rank), sites_(sites), resolver_(sites, rank, recording.mutex), out_(out) {}

  double read() {
    if (rank_.threads.empty()) return 0;
    const std::vector<trace::FunctionInfo>& infos = trace::function_infos();
    trace::CallReader reader(*rank_.threads.front(), recording_.world_size);
    trace::RecordedCall call;
    while (!recording_.abandoned.load(std::memory_order_relaxed) && reader.next(call)) {
      if (call.slot.function >= infos.size()) break; // damaged: the report says so
      if (!add(call, infos[call.slot.function])) break;
    }
    return at_;
  }

private:
  double seconds(std::uint64_t ticks) const {
    return ticks > zero_ ? static_cast<double>(ticks - zero_) / rank_.ticks_per_second : 0.0;
  }

  // Returns: false at MPI_Finalize.
  bool add(const trace::RecordedCall& call, const trace::FunctionInfo& info) {
    if (!call.stack.empty()) resolver_.define_stack(call.slot.site, call.stack);
    const std::uint32_t site = resolver_.site(call.slot.site, call.slot.function);
    const std::uint32_t region = sites_.region(has_last_ ? last_site_ : site, site);
    has_last_ = true;
    last_site_ = site;
    const std::uint64_t left = call.slot.t_enter + stream::duration_of(call.slot.result);
    if (!started_) {
      started_ = info.kind == trace::FunctionClass::init;
      if (started_) zero_ = left;
      return true;
    }
    append(Activity::compute, site, region, seconds(call.slot.t_enter));
    if (info.kind == trace::FunctionClass::finalize) return false;
    append(activity_of(info), site, region, seconds(left));
    return true;
  }

  void append(Activity activity, std::uint32_t site, std::uint32_t region, double until) {
    if (!(until > at_)) return;
    out_.intervals.append(static_cast<std::size_t>(rank_.rank), {at_, until, at_, site, region, activity});
    at_ = until;
  }

  trace::Recording& recording_;
  trace::RankRecording& rank_;
  trace::SiteTable& sites_;
  trace::SiteResolver resolver_;
  TimeLine& out_;
  bool started_ = false;
  bool has_last_ = false;
  std::uint32_t last_site_ = 0;
  std::uint64_t zero_ = 0; // ticks at the exit of MPI_Init
  double at_ = 0;
};

} // namespace

TimeLine measured(trace::Recording& recording, trace::SiteTable& sites) {
  TimeLine out(recording.ranks.size());
  out.name = "measured";
  std::vector<double> ends;
  for (const auto& rank : recording.ranks) {
    out.host_of.push_back(rank->host);
    ends.push_back(RankReader(recording, *rank, sites, out).read());
    out.end_s = std::max(out.end_s, ends.back());
  }
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    if (ends[rank] < out.end_s) out.intervals.append(rank, {ends[rank], out.end_s, ends[rank], 0, 0, Activity::ended});
  }
  return out;
}

} // namespace farcast::timeline
