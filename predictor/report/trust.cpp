#include "predictor/report/trust.h"

#include "predictor/base/format.h"
#include "predictor/report/confidence.h"
#include "predictor/report/sentences.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <variant>

namespace farcast::report {

namespace {

using Phrases = std::vector<std::string>;

struct Crowded {
  std::string operator()(const RanksOnFewCores& few) const {
    return fmt::format("{} threads of a rank shared {} core{} while recording", few.threads, few.cores,
                       few.cores == 1 ? "" : "s");
  }
  std::string operator()(const NodeOfFewCores& node) const {
    return fmt::format("{} threads of {} ranks shared {} core{} while recording", node.threads, node.ranks, node.cores,
                       node.cores == 1 ? "" : "s");
  }
};

// "MPI_Win_fence, MPI_Win_lock and 3 more", those of the largest weight first.
template <class Calls, class Weight> std::string first_calls(const Calls& calls, Weight weight) {
  std::vector<std::pair<double, std::string>> order;
  order.reserve(calls.size());
  for (const auto& [function, of] : calls) order.emplace_back(-weight(of), function);
  std::sort(order.begin(), order.end());
  std::string text = order.front().second;
  if (order.size() == 2) text += " and " + order[1].second;
  if (order.size() > 2) text += fmt::format(", {} and {} more", order[1].second, order.size() - 2);
  return text;
}

Phrases of_run(const RunSummary& run, bool predicted) {
  Phrases out;
  if (!run.complete) out.emplace_back("incomplete recording");
  if (run.refused > 0) out.push_back(fmt::format("{} calls not recorded", run.refused));
  if (run.shared_cores)
    out.push_back(fmt::format("{} ranks shared {} core{} while recording", run.shared_cores->ranks, run.shared_cores->cores,
                              run.shared_cores->cores == 1 ? "" : "s"));
  for (const CrowdedThreads& crowded : run.crowded) out.push_back(std::visit(Crowded(), crowded));
  if (others_had_cores(run)) out.emplace_back("other programs had the cores at times");
  int threads = 1;
  for (const RankSummary& rank : run.ranks) threads = std::max(threads, rank.threads ? rank.threads->computing : 1);
  if (!predicted) return out;
  if (threads > 1) out.push_back(fmt::format("up to {} threads per rank, whose speed is taken as measured", threads));
  if (run.time_dependent_decisions > 0 && run.coupled_to.empty())
    out.push_back(fmt::format("{} outcomes that depend on timing taken as they happened", run.time_dependent_decisions));
  if (!run.unmodelled.empty())
    out.push_back(fmt::format("calls not modelled, at their measured time: {}",
                              first_calls(run.unmodelled, [](const Unmodelled& taken) { return taken.time.value(); })));
  if (!run.undecided.empty())
    out.push_back(fmt::format("values as on this machine, not the platform: {}",
                              first_calls(run.undecided, [](std::uint64_t calls) { return static_cast<double>(calls); })));
  return out;
}

// Returns: the few words of an assumption that can move the figures much; empty for the others.
struct Assumed {
  std::string operator()(const sim::MemoryUncontended&) const { return "contention for memory not measured"; }
  std::string operator()(const sim::FewerCores& fewer) const {
    return fmt::format("ranks have {} of the {} cores that their threads used", fewer.here, fewer.recorded);
  }
  std::string operator()(const sim::ClockRulesAll&) const { return "all computation taken to follow the clock"; }
  std::string operator()(const sim::GivenPolls& polls) const {
    return fmt::format("{} takes what the platform says, not what was measured", polls.probes ? "MPI_Iprobe" : "MPI_Test");
  }
  std::string operator()(const sim::FilesAsMeasured&) const { return "files at their measured time"; }
  std::string operator()(const sim::PollingAssumed&) const { return "watts of polling assumed"; }
  template <class Other> std::string operator()(const Other&) const { return ""; }
};

bool sends(const sim::Prediction& prediction) {
  return std::any_of(prediction.ranks.begin(), prediction.ranks.end(), [](const auto& rank) { return rank.messages > 0; });
}

void add_slowdowns(const sim::Prediction& prediction, Phrases& out) {
  constexpr double kMuch = 0.005; // of the computation, as of cautions.h
  if (!prediction.slowdowns) return;
  const sim::SlowdownUse& use = *prediction.slowdowns;
  const double measured = (use.exact + use.neighbour + use.same_file + use.none).value();
  if (use.played_beyond.value() > kMuch * use.played.value() || use.beyond.value() > kMuch * measured)
    out.emplace_back("slowdowns used beyond the co-runners that they were measured with");
  if (use.none.value() > kMuch * measured) out.emplace_back("no slowdowns measured for part of the computation");
}

Phrases of_prediction(const RunSummary& run, const sim::Prediction& prediction,
                      const std::optional<scenario::Realisations>& realisations) {
  Phrases out;
  if (run.time_dependent_decisions > 0 && !run.coupled_to.empty() && prediction.platform != run.coupled_to)
    out.push_back(fmt::format("{} outcomes that depend on timing taken as they were on {}", run.time_dependent_decisions,
                              short_platform(run.coupled_to)));
  for (const model::FaultyFile& file : prediction.faulty_files)
    out.push_back(file.name == prediction.platform ? std::string("calibration that should be measured again")
                                                   : fmt::format("{} should be measured again", short_platform(file.name)));
  if (!prediction.network_measured && sends(prediction)) out.emplace_back("network not calibrated");
  add_slowdowns(prediction, out);
  std::size_t others = 0;
  for (const sim::Assumption& assumption : prediction.assumptions) {
    std::string phrase = std::visit(Assumed(), assumption);
    if (phrase.empty())
      ++others;
    else
      out.push_back(std::move(phrase));
  }
  if (realisations && !chance_sentence(*realisations).empty())
    out.push_back(fmt::format("single runs take {} to {}", base::format_time(base::Seconds(realisations->time.least)),
                              base::format_time(base::Seconds(realisations->time.most))));
  if (others > 0) out.push_back(fmt::format("{} more assumption{}", others, others == 1 ? "" : "s"));
  return out;
}

// Returns: how many times as fast as here cores are; empty where platforms differ, or nobody says.
std::string common_speed(const std::vector<sim::Prediction>& predictions) {
  using Source = host::ComputeSpeed::Source;
  std::string out;
  for (const sim::Prediction& prediction : predictions) {
    const host::ComputeSpeed& speed = prediction.compute_speed;
    if (speed.source == Source::nobody || speed.source == Source::trace) return "";
    if (!out.empty() && out != times_as_fast(speed)) return "";
    out = times_as_fast(speed);
  }
  return out;
}

} // namespace

std::vector<Weakness> weaknesses_of(const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                                    const scenario::RealisationsOf& realisations) {
  std::vector<Weakness> out;
  Weakness incomplete{"incomplete prediction (!): a rank stopped short or was blocked for good", {}};
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (!predictions[i].complete) incomplete.platforms.push_back(i);
  if (!incomplete.platforms.empty()) out.push_back(std::move(incomplete));
  for (std::string& phrase : of_run(run, !predictions.empty())) out.push_back({std::move(phrase), {}});
  const auto measured = static_cast<std::ptrdiff_t>(out.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    for (std::string& phrase : of_prediction(run, predictions[i], i < realisations.size() ? realisations[i] : std::nullopt)) {
      const auto known =
          std::find_if(out.begin() + measured, out.end(), [&](const Weakness& one) { return one.phrase == phrase; });
      if (known != out.end())
        known->platforms.push_back(i);
      else
        out.push_back({std::move(phrase), {i}});
    }
  }
  return out;
}

Json weaknesses_value(const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                      const scenario::RealisationsOf& realisations) {
  Json out = Json::array();
  for (const Weakness& weakness : weaknesses_of(run, predictions, realisations))
    out.push_back(Json{{"phrase", weakness.phrase}, {"platforms", weakness.platforms}});
  return out;
}

std::string basis_sentence(const RunSummary& run, const std::vector<sim::Prediction>& predictions) {
  std::set<std::string> hosts;
  for (const RankSummary& rank : run.ranks) hosts.insert(rank.host);
  std::string text = fmt::format("{} calls of {} rank{}, recorded on {} node{}", run.recorded, run.ranks.size(),
                                 run.ranks.size() == 1 ? "" : "s", hosts.size(), hosts.size() == 1 ? "" : "s");
  if (!run.coupled_to.empty()) text += fmt::format(" in the time of {} (--coupled)", run.coupled_to);
  if (predictions.empty()) return text;
  const auto nobody = [](const auto& one) { return one.compute_speed.source == host::ComputeSpeed::Source::nobody; };
  const auto slowed = [](const auto& one) { return one.slowdowns.has_value(); };
  if (std::all_of(predictions.begin(), predictions.end(), nobody)) text += "; cores are taken as fast as here";
  if (const std::string times = common_speed(predictions); !times.empty())
    text += fmt::format("; cores are taken {} times as fast as here", times);
  if (std::all_of(predictions.begin(), predictions.end(), slowed)) text += "; slowdowns beside co-runners measured";
  if (const std::string intervals = intervals_sentence(predictions); !intervals.empty()) text += "; " + intervals;
  return text;
}

} // namespace farcast::report
