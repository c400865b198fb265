#include "predictor/base/format.h"
#include "predictor/report/cautions.h"
#include "predictor/report/confidence.h"
#include "predictor/report/derived.h"
#include "predictor/report/sentences.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace farcast::report {
namespace {

void append_answer_row(std::string& out, const std::string& name, const std::string& time, const std::string& energy,
                       const std::string& power, const std::string& edp, const std::string& nodes, const std::string& ranks) {
  fmt::format_to(std::back_inserter(out), "  {:<{}} {:>12} {:>12} {:>12} {:>12} {:>6} {:>6}\n", short_platform(name),
                 kPlatformColumns, time, energy, power, edp, nodes, ranks);
}

void append_prediction_row(std::string& out, const sim::Prediction& prediction) {
  const std::string missing = "unavailable";
  const auto power = average_power(prediction);
  const auto edp = energy_delay(prediction);
  append_answer_row(out, prediction.platform, base::format_time(prediction.time) + (prediction.complete ? "" : " *"),
                    prediction.energy ? base::format_energy(*prediction.energy) : missing,
                    power ? base::format_power(*power) : missing, edp ? base::format_energy_delay(*edp) : missing,
                    fmt::format("{}", prediction.nodes_used), fmt::format("{}", prediction.ranks.size()));
}

// Returns: how many real nodes the ranks ran on.
std::size_t real_nodes(const RunSummary& run) {
  std::set<std::string> hosts;
  for (const RankSummary& rank : run.ranks) hosts.insert(rank.host);
  return hosts.size();
}

void append_slowdowns(std::string& out, const sim::Prediction& prediction) {
  if (!prediction.slowdowns) return;
  const sim::SlowdownUse& use = *prediction.slowdowns;
  const double total = (use.exact + use.neighbour + use.same_file + use.none).value();
  const auto share = [&](base::Seconds part) { return base::format_share(part.value(), total); };
  std::string text = fmt::format("co-runner slowdowns of {}: {} of the computation in regions that it has", slowdowns_source(use),
                                 share(use.exact));
  if (use.neighbour.value() > 0) text += fmt::format(", {} by regions that share a call", share(use.neighbour));
  if (use.same_file.value() > 0) text += fmt::format(", {} by regions of the same source file", share(use.same_file));
  text += fmt::format(", {} without slowdown", share(use.none));
  if (use.beyond.value() > 0) text += fmt::format("; {} was measured with more co-runners than the file has", share(use.beyond));
  append_wrapped(out, "    regions      ", text);
}

void append_energy_of_ranks(std::string& out, const sim::Prediction& prediction) {
  if (prediction.ranks.empty()) return;
  const auto [least, most] = std::ranges::minmax_element(prediction.ranks, {}, &sim::RankTimes::energy);
  const auto number = [&](auto rank) { return rank - prediction.ranks.begin(); };
  append_wrapped(out, "                 ",
                 fmt::format("of the ranks {} (rank {}) to {} (rank {}) each, of nodes without an active core {}; ranks whose "
                             "cores are active share the static power of their node equally",
                             base::format_energy(least->energy), number(least), base::format_energy(most->energy), number(most),
                             base::format_energy(prediction.idle_energy)));
}

void append_energy_parts(std::string& out, const sim::Prediction& prediction) {
  if (!prediction.energy) {
    append_wrapped(out, "    energy       ", "unavailable: the platform has no power figures");
    return;
  }
  const energy::EnergyParts& parts = prediction.energy_parts;
  append_wrapped(out, "    energy       ",
                 fmt::format("Heinrich17 eq. (1): idle and static {}, computing {}, polling in MPI {}, probing {}",
                             base::format_energy(parts.baseline), base::format_energy(parts.computing),
                             base::format_energy(parts.polling), base::format_energy(parts.probing)));
  append_energy_of_ranks(out, prediction);
}

void append_other_threads(std::string& out, const sim::Prediction& prediction) {
  base::Seconds compute{0.0};
  base::Seconds others{0.0};
  for (std::size_t rank = 0; rank < prediction.other_threads.size(); ++rank) {
    compute += prediction.ranks[rank].in[static_cast<std::size_t>(sim::Activity::compute)];
    others += prediction.other_threads[rank];
  }
  if (!(compute.value() > 0)) return;
  append_wrapped(
      out, "    threads      ",
      fmt::format("a rank that computes keeps {:.2f} cores busy in the mean; what its other threads use is part of the "
                  "energy of computing, and of no other figure",
                  1 + others.value() / compute.value()));
}

// Of the real run.
void append_threads(std::string& out, const RunSummary& run) {
  int computing = 1;
  double busy = 1;
  std::size_t busiest = 0;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const auto& threads = run.ranks[rank].threads;
    if (!threads) continue;
    computing = std::max(computing, threads->computing);
    if (threads->busy > busy) busiest = rank;
    busy = std::max(busy, threads->busy);
  }
  if (computing > 1)
    append_wrapped(
        out, "  ",
        fmt::format("Ranks computed with up to {} threads. While rank {} did, it kept {:.2f} cores busy in the mean: no "
                    "rank kept more.",
                    computing, busiest, busy));
}

std::string how_they_were(const RunSummary& run) {
  if (run.coupled_to.empty()) return "they really happened";
  return fmt::format("they were on {}, in whose time the program lived (--coupled); other platforms follow the same path",
                     run.coupled_to);
}

} // namespace

void append_answer(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                   const scenario::RealisationsOf& realisations) {
  out += "Time and energy\n";
  append_answer_row(out, "platform", "time", "energy", "avg. power", "EDP", "nodes", "ranks");
  for (const sim::Prediction& prediction : predictions) append_prediction_row(out, prediction);
  append_answer_row(out, measured_row(run), base::format_time(run.wall), "-", "-", "-", fmt::format("{}", real_nodes(run)),
                    fmt::format("{}", run.ranks.size()));
  const bool some_unavailable = std::any_of(predictions.begin(), predictions.end(), [](const auto& p) { return !p.energy; });
  const bool some_incomplete = std::any_of(predictions.begin(), predictions.end(), [](const auto& p) { return !p.complete; });
  out += '\n';
  const std::size_t before = out.size();
  for (const sim::Prediction& prediction : predictions)
    for (const std::string& caution : cautions_of(prediction))
      append_wrapped(out, "  ! ", fmt::format("{}: {}", short_platform(prediction.platform), caution));
  for (std::size_t i = 0; i < realisations.size(); ++i) {
    const std::string chance = realisations[i] ? chance_sentence(*realisations[i]) : "";
    if (!chance.empty()) append_wrapped(out, "  ! ", fmt::format("{}: {}", short_platform(predictions[i].platform), chance));
  }
  if (some_unavailable) append_wrapped(out, "  ", "Energy is unavailable where the platform has no power figures.");
  if (some_incomplete)
    append_wrapped(out, "  * ", "Incomplete: a rank stopped short or was blocked for good; see Problems below.");
  for (const std::string& caution : cautions_of_run(run)) append_wrapped(out, "  ", caution);
  if (run.ranks.size() == 1 && run.complete) append_wrapped(out, "  ", "The program ran as 1 rank.");
  for (const std::string& note : notes_of(run)) append_wrapped(out, "  - ", note);
  if (out.size() > before) out += '\n';
}

void append_basis(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                  const scenario::RealisationsOf& realisations) {
  if (predictions.empty()) return;
  out += "What it rests on\n";
  append_wrapped(out, "  ",
                 "Time runs from the exit of MPI_Init to the last entry of MPI_Finalize, measured and predicted alike.");
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const sim::Prediction& prediction = predictions[i];
    fmt::format_to(std::back_inserter(out), "  {}\n", prediction.platform);
    append_wrapped(out, "    placement    ", prediction.placement);
    append_wrapped(out, "    computation  ", compute_speed_sentence(prediction.compute_speed, prediction.platform));
    append_slowdowns(out, prediction);
    append_wrapped(out, "    messages     ", fmt::format("transport model {}", transport_text(prediction.transport)));
    if (const std::string checked = checked_sentence(prediction.transport); !checked.empty())
      append_wrapped(out, "                 ", checked);
    if (i < realisations.size() && realisations[i])
      append_wrapped(out, "    realisations ", realisations_sentence(*realisations[i]));
    if (prediction.confidence) append_wrapped(out, "    how sure     ", confidence_sentence(prediction));
    append_energy_parts(out, prediction);
    if (!prediction.links.empty()) append_wrapped(out, "    links        ", link_energy_sentence(prediction));
    append_other_threads(out, prediction);
    for (const sim::Assumption& assumption : prediction.assumptions)
      append_wrapped(out, "    assumed      ", assumption_sentence(assumption));
  }
  append_pushed_aside(out, run);
  append_threads(out, run);
  if (run.time_dependent_decisions > 0)
    append_wrapped(out, "  ",
                   fmt::format("{} outcomes that depend on timing (wildcard receives, Waitany, Test and the like) were taken as "
                               "{}.",
                               run.time_dependent_decisions, how_they_were(run)));
  for (const auto& [function, calls] : run.undecided)
    append_wrapped(out, "  ",
                   fmt::format("{} hang on timing, too, and gave what they gave on this machine ({} calls).", function, calls));
  out += '\n';
}

} // namespace farcast::report
