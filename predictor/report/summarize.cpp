#include "predictor/report/summarize.h"

#include "predictor/base/base_name.h"
#include "predictor/base/version.h"
#include "predictor/region/frame_names.h"
#include "predictor/report/crowded_threads.h"
#include "predictor/report/text_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace farcast::report {

namespace {

using base::Seconds;

void fill_sites(region::FrameNames& names, const trace::SiteTable& sites, RunSummary& out) {
  for (const trace::Site& site : sites.sites()) {
    std::vector<SiteLevel> levels;
    for (const trace::Frame& frame : site.frames) {
      const trace::ResolvedSite resolved = names.of(frame);
      levels.push_back({resolved.text, resolved.file, resolved.line, resolved.function, base::base_name(frame.path)});
      if (resolved.function == "main") break; // what called it is the C library's start-up code
    }
    SiteInfo info;
    if (!levels.empty()) {
      const SiteLevel& call = levels.front();
      info.text = call.text;
      info.file = call.file;
      info.line = call.line;
      info.function = call.function;
      info.module = call.module;
      info.callers.assign(levels.begin() + 1, levels.end());
    }
    info.mpi_function = trace::function_infos()[site.function].name;
    out.sites.push_back(std::move(info));
  }
  mark_shared_texts(out.sites);
  for (const auto& [from, to] : sites.regions()) out.regions.push_back({from, to});
}

// Names what stands around the ends of the regions with most time: reading the debug information of
// all would take too long.
void fill_functions(region::FrameNames& names, const trace::SiteTable& sites, RunSummary& out) {
  constexpr std::size_t kRegions = 32; // more than any first screen shows, on whatever platform
  std::vector<double> seconds;
  for (const RegionStats& stats : out.region_stats) seconds.push_back(stats.total.value());
  for (const std::size_t region : largest(seconds, kRegions)) {
    for (const std::uint32_t site : {out.regions[region].from_site, out.regions[region].to_site}) {
      SiteInfo& info = out.sites[site];
      if (info.around.name.empty() && info.line > 0) info.around = names.function_around(sites.sites()[site].frames.front());
    }
  }
}

// Counters are a figure of the run: where one rank has none, a sum over the others would mislead.
void fill_counters(const trace::Recording& recording, const std::vector<trace::MeasuredRank>& ranks, RunSummary& out) {
  if (recording.counters.empty()) return;
  Counters counters;
  counters.events = recording.counters;
  for (const auto& rank : recording.ranks) {
    if (rank->counters_note.empty()) continue;
    counters.unavailable = fmt::format("{} (rank {})", rank->counters_note, rank->rank);
    break;
  }
  counters.regions.resize(out.regions.size());
  for (const trace::MeasuredRank& rank : ranks) {
    for (const auto& [region, measured] : rank.regions) {
      if (measured.counters.size() != counters.events.size() || !counters.unavailable.empty()) continue;
      auto& sums = counters.regions[region];
      sums.resize(counters.events.size());
      for (std::size_t event = 0; event < sums.size(); ++event) sums[event] += measured.counters[event];
    }
  }
  out.counters = std::move(counters);
}

void fill_statistics(const std::vector<trace::MeasuredRank>& ranks, RunSummary& out) {
  out.site_stats.resize(out.sites.size());
  struct Sums {
    std::uint64_t visits = 0;
    double total = 0;
    double squares = 0;
  };
  std::vector<Sums> regions(out.regions.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& [site, measured] : ranks[rank].sites) {
      auto& stats = out.site_stats[site];
      stats.resize(ranks.size());
      const auto seconds = [](const trace::SpreadOf& s) {
        return Spread<Seconds>{s.count, Seconds(s.total), Seconds(s.max), Seconds(s.min)};
      };
      const auto bytes = [](const trace::SpreadOf& s) {
        return Spread<base::Bytes>{s.count, base::Bytes(s.total), base::Bytes(s.max), base::Bytes(s.min)};
      };
      stats[rank] = {seconds(measured.time_s), bytes(measured.sent_bytes)};
    }
    for (const auto& [region, measured] : ranks[rank].regions) {
      regions[region].visits += measured.visits;
      regions[region].total += measured.total_s;
      regions[region].squares += measured.squares;
    }
  }
  for (const Sums& sums : regions) {
    RegionStats stats;
    stats.visits = sums.visits;
    stats.total = Seconds(sums.total);
    if (sums.visits > 1 && sums.total > 0) {
      const auto n = static_cast<double>(sums.visits);
      const double mean = sums.total / n;
      const double variance = std::max(0.0, (sums.squares - n * mean * mean) / (n - 1));
      stats.cov = std::sqrt(variance) / mean;
    }
    out.region_stats.push_back(stats);
  }
}

std::optional<ThreadsOfRank> threads_of(const trace::RankRecording& rank, const trace::MeasuredRank& measured) {
  const trace::RankThreads& seen = rank.threads_seen;
  if (seen.program == 0 && seen.cores.empty()) return std::nullopt;
  return ThreadsOfRank{seen.program, trace::threads_at_a_time(seen), trace::cores_allowed(seen),
                       measured.compute_s > 0 ? 1 + measured.others_s / measured.compute_s : 1.0};
}

void fill_ranks(const trace::Recording& recording, const std::vector<trace::MeasuredRank>& ranks, RunSummary& out) {
  const std::vector<trace::FunctionInfo>& infos = trace::function_infos();
  PushedAside lost;
  double aside = 0;
  double total = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const trace::MeasuredRank& measured = ranks[i];
    const trace::RankRecording& rank = *recording.ranks[i];
    out.wall = std::max(out.wall, Seconds(measured.app_s));
    aside += measured.aside_s;
    total += measured.app_s;
    if (measured.app_s > 0 && measured.aside_s / measured.app_s > lost.worst) {
      lost.worst = measured.aside_s / measured.app_s;
      lost.worst_rank = i;
    }
    if (rank.aside_partial) ++lost.partial_ranks;
    out.ranks.push_back({rank.host, Seconds(measured.app_s), Seconds(measured.mpi_s), threads_of(rank, measured)});
    for (std::size_t f = 0; f < infos.size(); ++f) {
      const std::uint64_t calls = measured.functions[f];
      if (calls == 0) continue;
      out.calls[infos[f].name] += calls;
      if (!infos[f].timed_values) continue;
      const bool query = infos[f].kind == trace::FunctionClass::local; // MPI_Win_shared_query
      if (!recording.coupled_to.empty())
        out.undecided[query ? "loads from shared windows" : infos[f].name] += calls;
      else if (!query)
        out.time_dependent_decisions += calls;
    }
    for (const auto& [function, sums] : measured.unmodelled) {
      Unmodelled& entry = out.unmodelled[infos[function].name];
      entry.count += sums.first;
      entry.time += Seconds(sums.second);
    }
    out.recorded += measured.calls;
    out.refused += rank.refused;
    out.time_dependent_decisions += measured.decisions;
    if (measured.corrupt) out.gaps.emplace_back(RecordsDamaged{rank.rank});
    const double per_call = static_cast<double>(rank.call_cost_ticks) / rank.ticks_per_second;
    out.overhead.per_rank.emplace_back(per_call * static_cast<double>(measured.calls));
    if (!out.overhead.per_call || out.overhead.per_call->value() < per_call) out.overhead.per_call = Seconds(per_call);
    switch (rank.end) {
    case trace::RankEnd::died:
      out.complete = false;
      out.gaps.emplace_back(RankDied{rank.rank});
      break;
    case trace::RankEnd::switched_off:
      out.complete = false;
      out.gaps.emplace_back(RecordingStopped{rank.rank, rank.off_reason, rank.refused});
      break;
    default:
      if (rank.refused > 0) out.gaps.emplace_back(ThreadsBeyondLimit{rank.rank, rank.refused});
    }
  }
  if (total > 0) lost.share = aside / total;
  if (recording.steal_share >= 0) lost.steal = recording.steal_share;
  out.pushed_aside = lost;
}

// Where ranks leave no core idle, the predictor's time is theirs: while it has the core of one, the
// others come to wait for that one.
void add_predictor_time(const trace::Recording& recording, const std::vector<trace::MeasuredRank>& ranks, Overhead& out) {
  if (!out.predictor_cpu || ranks.empty()) return;
  const trace::RankRecording& first = *recording.ranks.front();
  const bool one_node = std::all_of(recording.ranks.begin(), recording.ranks.end(),
                                    [&](const auto& rank) { return rank->host == first.host && rank->isolation == 0; });
  const auto busy = recording.ranks.size() * static_cast<std::size_t>(trace::cores_per_rank(recording));
  if (!one_node || first.cores <= 0 || busy < static_cast<std::size_t>(first.cores)) return;
  out.predictor_shares_cores = true;
  double per_call = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    out.per_rank[i] += *out.predictor_cpu;
    if (ranks[i].calls > 0) per_call = std::max(per_call, out.per_rank[i].value() / static_cast<double>(ranks[i].calls));
  }
  out.per_call = Seconds(per_call);
}

} // namespace

RunSummary summarize(trace::Recording& recording, const trace::SiteTable& sites, const std::vector<trace::MeasuredRank>& ranks) {
  RunSummary out;
  out.farcast_version = base::version();
  out.program = recording.program;
  out.executable = recording.executable;
  out.mpi_library = recording.mpi_library;
  out.mpi_version = recording.mpi_version;
  out.start_date = recording.start_date;
  out.coupled_to = recording.coupled_to;
  out.notes = recording.notes;
  out.complete = recording.complete;
  if (static_cast<int>(recording.ranks.size()) < recording.world_size) {
    out.complete = false;
    out.gaps.emplace_back(RanksElsewhere{recording.ranks.size(), recording.world_size,
                                         recording.ranks.empty() ? "" : recording.ranks.front()->host});
  }
  region::FrameNames names(std::move(recording.resolved));
  fill_sites(names, sites, out);
  fill_statistics(ranks, out);
  fill_functions(names, sites, out);
  recording.resolved = names.take_known();
  fill_counters(recording, ranks, out);
  fill_ranks(recording, ranks, out);
  out.crowded = crowded_threads(recording);
  out.shared_cores = shared_cores(recording);
  if (recording.predictor_cpu_s >= 0) out.overhead.predictor_cpu = Seconds(recording.predictor_cpu_s);
  out.overhead.backlog_records = recording.backlog_records;
  add_predictor_time(recording, ranks, out.overhead);
  if (out.wall.value() > 0) {
    double most = 0;
    for (const Seconds& seconds : out.overhead.per_rank) most = std::max(most, seconds.value());
    out.overhead.share_of_wall = most / out.wall.value();
  }
  return out;
}

} // namespace farcast::report
