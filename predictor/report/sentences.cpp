#include "predictor/report/sentences.h"

#include "predictor/base/format.h"
#include "predictor/report/derived.h"
#include "predictor/report/text_layout.h"
#include "predictor/sim/predict.h"
#include "predictor/trace/function_info.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::report {

namespace {

using sim::Problem;
using sim::ProblemKind;
using trace::OperationKind;

std::string instant(double seconds) { return base::format_instant(base::Seconds(seconds)); }

const char* describe(OperationKind kind) {
  switch (kind) {
  case OperationKind::send:
    return "a send to";
  case OperationKind::receive:
    return "a receive from";
  case OperationKind::send_receive:
    return "a send_receive with";
  case OperationKind::probe:
    return "a probe for";
  case OperationKind::wait:
    return "a wait";
  case OperationKind::collective:
    return "a collective";
  default:
    return "a call";
  }
}

const char* describe(sim::PeerRole role) {
  switch (role) {
  case sim::PeerRole::destination:
    return "destination";
  case sim::PeerRole::source:
    return "source";
  case sim::PeerRole::target:
    return "target";
  }
  return "";
}

std::string peer_name(int peer) {
  return peer == trace::kUnknownPeer ? std::string("a source that was never seen") : fmt::format("rank {}", peer);
}

// "the call of rank 3 to MPI_Bcast at site 17"
std::string call_of(const Problem& problem) {
  const std::vector<trace::FunctionInfo>& functions = trace::function_infos();
  const std::string name = problem.function < functions.size() ? functions[problem.function].name : "an unknown function";
  return fmt::format("the call of rank {} to {} at site {}", problem.rank, name, problem.site.value_or(0));
}

std::string blocked_in(const Problem& problem) {
  const std::string what = describe(problem.operation);
  switch (problem.operation) {
  case OperationKind::send:
  case OperationKind::receive:
  case OperationKind::probe:
    return fmt::format("{} {}, tag {}", what, peer_name(problem.peer), problem.tag);
  case OperationKind::send_receive:
    return fmt::format("{} {} and {}", what, peer_name(problem.peer), peer_name(problem.receive_peer));
  case OperationKind::wait:
    return fmt::format("{} for {} of its requests", what, problem.count);
  case OperationKind::collective:
    return problem.communicator ? fmt::format("{} of communicator {}", what, *problem.communicator) : what;
  default:
    return what;
  }
}

struct AssumptionInWords {
  std::string operator()(const sim::FirstHostAsMeasured& first) const {
    return fmt::format("{} in its first processor state computes as fast as the machine that the run was recorded on, and the "
                       "other hosts as their speeds say (--host-speed tells that machine's)",
                       first.host);
  }
  std::string operator()(const sim::ClockRulesAll&) const {
    return "computation takes as much longer as the clock is slower: nothing says what share of it the clock rules "
           "(farcast:clock_share); polls that found nothing, local calls and messages take as long as at the full clock";
  }
  std::string operator()(const sim::OneSidedAlone&) const {
    return "one-sided accesses (MPI_Put, MPI_Get ...) need no help of their target";
  }
  std::string operator()(const sim::FilesAsMeasured&) const {
    return "files: MPI-IO takes its measured time, for the platform has no disk (farcast:disk_read_bw, farcast:disk_write_bw)";
  }
  std::string operator()(const sim::GivenPolls& polls) const {
    return fmt::format("each {} takes {}, as the platform says ({}): that makes {:.0f} % of the time of rank {}",
                       polls.probes ? "MPI_Iprobe" : "MPI_Test", base::format_time(polls.each),
                       polls.probes ? "smpi/iprobe" : "smpi/test", 100 * polls.share, polls.rank);
  }
  std::string operator()(const sim::SelfCopied& copied) const {
    return fmt::format("messages of a rank to itself are copied at {}/s: the platform has neither farcast:self_message nor a "
                       "loopback",
                       base::format_bytes(base::Bytes(copied.speed.value())));
  }
  std::string operator()(const sim::PollingAssumed& polling) const {
    return fmt::format("a node whose cores all poll inside blocking MPI calls draws {}: the platform has no figure "
                       "of its own for polling",
                       base::format_power(polling.all_polling));
  }
  std::string operator()(const sim::MemoryUncontended& nodes) const {
    return fmt::format("contention for memory is not modelled: up to {} ranks share a node, and no measured slowdowns of regions "
                       "were given (--regions)",
                       nodes.ranks);
  }
  std::string operator()(const sim::FewerCores& fewer) const {
    return fmt::format(
        "the threads of a rank used {} cores when recorded and have {} here: computation takes the time that it took "
        "with {}",
        fewer.recorded, fewer.here, fewer.recorded);
  }
  std::string operator()(const sim::WaitsBlock& waits) const {
    return fmt::format("calls that wait give up their core {}, and take {} to wake (farcast:blocking_spin, "
                       "farcast:blocking_wakeup)",
                       waits.spin.value() > 0 ? fmt::format("after {} of polling", base::format_time(waits.spin)) : "at once",
                       base::format_time(waits.wakeup));
  }
  std::string operator()(const sim::CollectivesSave& saving) const {
    const bool throttles = saving.policy != sim::name_of(sim::CollectivePolicy::dvfs);
    const std::string throttling = throttles ? fmt::format(", and throttling {}", base::format_time(saving.throttle)) : "";
    return fmt::format("blocking collectives run at {} (--policy {}): each change of the clock takes {}{} (farcast:dvfs_latency, "
                       "farcast:throttle_latency); their messages are those of the library's algorithm{}",
                       saving.slowest_clock < 1.0 ? fmt::format("{:.0f} % of the clock", 100 * saving.slowest_clock)
                                                  : "the same clock, for the platform has no processor state with a lower one",
                       saving.policy, base::format_time(saving.dvfs), throttling,
                       throttles
                           ? ", but for those between nodes: of all-to-alls four phases in which half of each node rests, of "
                             "broadcasts and reductions the leaders of nodes alone while their nodes rest"
                           : "");
  }
  std::string operator()(const sim::WithoutFormula& without) const {
    return fmt::format("collectives that have no block formula are the messages of their algorithms, each by the formula of a "
                       "message: {}",
                       fmt::join(without.calls, ", "));
  }
  std::string operator()(const sim::PlatformRemark& remark) const { return remark.sentence; }
};

struct NotCovered {
  std::string operator()(const RanksElsewhere& some) const {
    return fmt::format(
        "{} of {} ranks were recorded here ({}), so there is no prediction: other nodes have the rest, or they did "
        "not run under farcast; `farcast predict` joins the run files of all nodes (-o FILE.h5)",
        some.recorded, some.world_size, some.host.empty() ? "nobody" : some.host);
  }
  std::string operator()(const RecordsDamaged& records) const {
    return fmt::format("the records of rank {} are damaged; what came before is covered", records.rank);
  }
  std::string operator()(const RankDied& died) const {
    return fmt::format("rank {} ended without MPI_Finalize; what it recorded until then is covered", died.rank);
  }
  std::string operator()(const RecordingStopped& stopped) const {
    return fmt::format("rank {} stopped recording ({}); {} later calls are not covered", stopped.rank, stopped.reason,
                       stopped.refused);
  }
  std::string operator()(const ThreadsBeyondLimit& threads) const {
    return fmt::format("{} calls of rank {} came from threads beyond the limit and are not covered", threads.refused,
                       threads.rank);
  }
};

struct Crowded {
  static constexpr const char* kEffect = "where they had to wait for each other, the computation was measured too long";
  std::string operator()(const RanksOnFewCores& some) const {
    const std::string who = some.ranks == 1 ? fmt::format("rank {}", some.rank)
                                            : fmt::format("{} ranks (the worst is rank {})", some.ranks, some.rank);
    return fmt::format(
        "{} computed with {} threads on {} core{} when recorded: {}; mpirun binds ranks to cores unless it is told "
        "otherwise (--bind-to none, --map-by slot:PE={})",
        who, some.threads, some.cores, some.cores == 1 ? "" : "s", kEffect, some.threads);
  }
  std::string operator()(const NodeOfFewCores& node) const {
    return fmt::format("the {} threads of {} ranks had {} cores together on {} when recorded: {}", node.threads, node.ranks,
                       node.cores, node.host, kEffect);
  }
};

} // namespace

std::string crowded_sentence(const CrowdedThreads& crowded) { return std::visit(Crowded(), crowded); }

std::string coverage_sentence(const CoverageGap& gap) { return std::visit(NotCovered(), gap); }

std::string measured_row(const RunSummary& run) { return run.coupled_to.empty() ? "(really measured)" : "(this coupled run)"; }

std::vector<std::string> notes_of(const RunSummary& run) {
  std::vector<std::string> notes = run.notes;
  for (const CoverageGap& gap : run.gaps) notes.push_back(coverage_sentence(gap));
  return notes;
}

std::string problem_text(const Problem& problem) {
  const auto waiting = [&] { return fmt::format("{} of {} ranks", problem.count, problem.ranks); };
  const std::string in_threads = problem.threads > problem.count ? fmt::format(" in {} threads", problem.threads) : "";
  switch (problem.kind) {
  case ProblemKind::deadlock:
    return fmt::format("deadlock at {}: {} are blocked{} and nothing is in flight", instant(problem.at_s), waiting(), in_threads);
  case ProblemKind::no_bandwidth:
    return fmt::format("{} wait{} for messages that cannot move: a link of the platform has no bandwidth", waiting(), in_threads);
  case ProblemKind::blocked:
    return fmt::format("rank {} is blocked in {} since {}", problem.rank, blocked_in(problem), instant(problem.at_s));
  case ProblemKind::unfinished:
    return fmt::format("the timeline of rank {} ends at {} without MPI_Finalize", problem.rank, instant(problem.at_s));
  case ProblemKind::no_such_rank:
    return fmt::format("{} names rank {} as {}, but there are {} ranks: the call was played without it", call_of(problem),
                       problem.peer, describe(problem.role), problem.ranks);
  case ProblemKind::bare_collective:
    return fmt::format("{} is a collective without a communicator or arguments: it was played as a local call", call_of(problem));
  case ProblemKind::not_a_member:
    return fmt::format("{} is a collective of a communicator that rank {} is no member of", call_of(problem), problem.rank);
  case ProblemKind::mismatch:
    return fmt::format("{} does not match what other members of communicator {} call as their collective number {}",
                       call_of(problem), problem.communicator.value_or(0), problem.count);
  case ProblemKind::no_such_member:
    return fmt::format("a collective of communicator {} names member {}, which is no rank of this run",
                       problem.communicator.value_or(0), problem.peer);
  case ProblemKind::more:
    return fmt::format("and {} more like these", problem.count);
  }
  return "";
}

std::string problem_sentence(const Problem& problem, const std::vector<SiteInfo>& sites) {
  if (problem.kind != ProblemKind::blocked || !problem.site) return problem_text(problem);
  const std::string place = site_name(*problem.site, sites);
  if (*problem.site >= sites.size()) return fmt::format("{}, at {}", problem_text(problem), place);
  return fmt::format("{}, in {} at {}", problem_text(problem), sites[*problem.site].mpi_function, place);
}

std::string assumption_sentence(const sim::Assumption& assumption) { return std::visit(AssumptionInWords(), assumption); }

std::string transport_text(const sim::TransportUse& transport) {
  if (transport.logp)
    return "L, o and g of the hosts' networks between nodes, of the slower of two (Soares16), block formulas where neither has "
           "any "
           "(Proficz16), smpi within nodes";
  if (transport.blocks) return "block formulas between nodes (Proficz16), smpi within them";
  if (transport.model == sim::MessageModel::smpi) return "smpi";
  std::string text = transport.progress == sim::ProgressRule::in_call ? "ordered channels, progress inside calls"
                                                                      : "ordered channels, progress at any time";
  if (transport.seed > 0) text += fmt::format(", realisation {}", transport.seed);
  return text;
}

std::string checked_sentence(const sim::TransportUse& transport) {
  if (transport.logp || transport.blocks || transport.model != sim::MessageModel::smpi) return "";
  const scenario::CheckedFlows& checked = scenario::kCheckedFlows;
  return fmt::format(
      "SimGrid's flows: in {} runs of programs over TCP their time was off by {:.0f} % in the median and {:.0f} % at "
      "worst (calib/VALIDATION.md). Measured where `farcast calibrate network` can run, a network gets a better model.",
      checked.programs, 100 * checked.median, 100 * checked.worst);
}

std::string realisations_sentence(const scenario::Realisations& realisations) {
  const auto time = [](double seconds) { return base::format_time(base::Seconds(seconds)); };
  const std::uint64_t last = realisations.first_seed + realisations.count - 1;
  const std::string known = std::isfinite(realisations.known_to) && realisations.known_to > 0
                                ? fmt::format(" (known to {:.2g} %)", 100 * realisations.known_to)
                                : "";
  return fmt::format("all figures are means over {} (seeds {} to {}), which take {} to {}, {} in the mean{}", realisations.count,
                     realisations.first_seed, last, time(realisations.time.least), time(realisations.time.most),
                     time(realisations.time.mean), known);
}

std::string chance_sentence(const scenario::Realisations& realisations) {
  constexpr double kWide = 1.05;
  if (!(realisations.time.most > kWide * realisations.time.least)) return "";
  return fmt::format("single runs may take {} to {}: small delays decide how exchanges go ({} realisations)",
                     base::format_time(base::Seconds(realisations.time.least)),
                     base::format_time(base::Seconds(realisations.time.most)), realisations.count);
}

std::string link_energy_sentence(const sim::Prediction& prediction) {
  constexpr std::size_t kNamed = 5;
  if (prediction.links.empty()) return "";
  base::Joules idle{0.0}, carrying{0.0};
  std::vector<double> joules;
  std::vector<std::string> texts;
  for (const auto& [number, link] : prediction.links) {
    idle += link.idle;
    carrying += link.carrying;
    joules.push_back(total(link).value());
    texts.push_back(fmt::format("{} {}", link.name, base::format_energy(total(link))));
  }
  std::vector<std::string> most;
  for (const std::size_t i : largest(joules, kNamed)) most.push_back(texts[i]);
  return fmt::format("{} beside the energy of the nodes: idle {}, carrying {}; {} links carried something, most drew {}",
                     base::format_energy(idle + carrying), base::format_energy(idle), base::format_energy(carrying),
                     prediction.links.size(), fmt::join(most, ", "));
}

std::string compute_speed_sentence(const host::ComputeSpeed& speed, const std::string& platform) {
  using Source = host::ComputeSpeed::Source;
  if (speed.source == Source::trace) return "flops of the trace at the speed of the platform's hosts";
  const std::string clock = speed.frequency ? fmt::format(", at {:g} GHz", speed.frequency->value() / 1e9) : "";
  if (speed.source == Source::nobody)
    return fmt::format("cores are as fast as measured (neither --relative-speed nor platform {} says otherwise{})", platform,
                       clock);
  const auto by = [&]() -> std::string {
    switch (speed.source) {
    case Source::option:
      return "--relative-speed";
    case Source::machine:
      return fmt::format("speed of platform {} over --host-speed", platform);
    case Source::configured:
      return fmt::format("speed of platform {} over its smpi/host-speed", platform);
    case Source::first_host:
      return fmt::format("speed of platform {}", platform);
    default:
      return fmt::format("farcast:relative_speed of platform {}", platform);
    }
  };
  return fmt::format("cores are {} times as fast as measured ({}{})", times_as_fast(speed), by(), clock);
}

std::string times_as_fast(const host::ComputeSpeed& speed) {
  return speed.slowest == speed.fastest ? fmt::format("{:.6g}", speed.slowest)
                                        : fmt::format("{:.6g} to {:.6g}", speed.slowest, speed.fastest);
}

} // namespace farcast::report
