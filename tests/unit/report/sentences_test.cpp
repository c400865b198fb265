#include "predictor/report/sentences.h"

#include "predictor/trace/function_info.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::report;
using sim::Problem;
using sim::ProblemKind;
using trace::OperationKind;

namespace {

Problem blocked(OperationKind operation) {
  Problem problem{.kind = ProblemKind::blocked, .rank = 1, .site = 2, .operation = operation};
  problem.peer = 0;
  problem.receive_peer = 4;
  problem.tag = 3;
  problem.count = 5;
  problem.at_s = 1.25;
  return problem;
}

std::uint16_t number_of(const char* name) {
  const auto& functions = trace::function_infos();
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& info) { return info.name == name; });
  return static_cast<std::uint16_t>(found - functions.begin());
}

Problem call(ProblemKind kind) {
  return {.kind = kind, .rank = 3, .site = 17, .function = number_of("MPI_Bcast"), .communicator = 2, .count = 9, .ranks = 4};
}

} // namespace

TEST_CASE("a blocked rank: in what, with whom, since when") {
  CHECK(problem_text(blocked(OperationKind::send)) == "rank 1 is blocked in a send to rank 0, tag 3 since 1.250000000 s");
  CHECK(problem_text(blocked(OperationKind::receive)) == "rank 1 is blocked in a receive from rank 0, tag 3 since 1.250000000 s");
  CHECK(problem_text(blocked(OperationKind::probe)) == "rank 1 is blocked in a probe for rank 0, tag 3 since 1.250000000 s");
  CHECK(problem_text(blocked(OperationKind::send_receive)) ==
        "rank 1 is blocked in a send_receive with rank 0 and rank 4 since 1.250000000 s");
  CHECK(problem_text(blocked(OperationKind::wait)) == "rank 1 is blocked in a wait for 5 of its requests since 1.250000000 s");
  CHECK(problem_text(blocked(OperationKind::collective)) == "rank 1 is blocked in a collective since 1.250000000 s");
  CHECK(problem_text(blocked(OperationKind::local)) == "rank 1 is blocked in a call since 1.250000000 s");
  Problem member = blocked(OperationKind::collective);
  member.communicator = 7;
  CHECK(problem_text(member) == "rank 1 is blocked in a collective of communicator 7 since 1.250000000 s");
  Problem unseen = blocked(OperationKind::receive);
  unseen.peer = trace::kUnknownPeer;
  CHECK(problem_text(unseen) == "rank 1 is blocked in a receive from a source that was never seen, tag 3 since 1.250000000 s");
}

TEST_CASE("all that wait: how many ranks, and threads where they are more") {
  Problem all{.kind = ProblemKind::deadlock, .count = 2, .threads = 2, .ranks = 4, .at_s = 0.5};
  CHECK(problem_text(all) == "deadlock at 0.500000000 s: 2 of 4 ranks are blocked and nothing is in flight");
  all.threads = 3;
  CHECK(problem_text(all) == "deadlock at 0.500000000 s: 2 of 4 ranks are blocked in 3 threads and nothing is in flight");
  all.kind = ProblemKind::no_bandwidth;
  CHECK(problem_text(all) ==
        "2 of 4 ranks wait in 3 threads for messages that cannot move: a link of the platform has no bandwidth");
}

TEST_CASE("calls that cannot be played as they are") {
  CHECK(
      problem_text(call(ProblemKind::bare_collective)) ==
      "the call of rank 3 to MPI_Bcast at site 17 is a collective without a communicator or arguments: it was played as a local "
      "call");
  CHECK(problem_text(call(ProblemKind::not_a_member)) ==
        "the call of rank 3 to MPI_Bcast at site 17 is a collective of a communicator that rank 3 is no member of");
  CHECK(problem_text(call(ProblemKind::mismatch)) ==
        "the call of rank 3 to MPI_Bcast at site 17 does not match what other members of communicator 2 call as their collective "
        "number 9");
  Problem peer = call(ProblemKind::no_such_rank);
  peer.peer = 8;
  peer.role = sim::PeerRole::target;
  CHECK(
      problem_text(peer) ==
      "the call of rank 3 to MPI_Bcast at site 17 names rank 8 as target, but there are 4 ranks: the call was played without it");
  peer.function = 0xffff;
  CHECK(problem_text(peer).starts_with("the call of rank 3 to an unknown function at site 17 names"));
  peer.kind = ProblemKind::no_such_member;
  CHECK(problem_text(peer) == "a collective of communicator 2 names member 8, which is no rank of this run");
  CHECK(problem_text({.kind = ProblemKind::unfinished, .rank = 3, .at_s = 2.0}) ==
        "the timeline of rank 3 ends at 2.000000000 s without MPI_Finalize");
  CHECK(problem_text({.kind = ProblemKind::more, .count = 6}) == "and 6 more like these");
}

TEST_CASE("where a blocked rank stands is said by the names of the run") {
  std::vector<SiteInfo> sites(3);
  sites[2].text = "halo.c:124";
  sites[2].mpi_function = "MPI_Recv";
  const std::string text = problem_text(blocked(OperationKind::wait));
  CHECK(problem_sentence(blocked(OperationKind::wait), sites) == text + ", in MPI_Recv at halo.c:124");
  CHECK(problem_sentence(blocked(OperationKind::wait), {}) == text + ", at site 2");
  CHECK(problem_sentence(call(ProblemKind::not_a_member), sites) == problem_text(call(ProblemKind::not_a_member)));
}

TEST_CASE("what is assumed") {
  CHECK(assumption_sentence(sim::GivenPolls{true, base::Seconds(1e-6), 0.05, 1}) ==
        "each MPI_Iprobe takes 1.000 us, as the platform says (smpi/iprobe): that makes 5 % of the time of rank 1");
  CHECK(assumption_sentence(sim::GivenPolls{false, base::Seconds(1e-3), 0.5, 0}) ==
        "each MPI_Test takes 1.000 ms, as the platform says (smpi/test): that makes 50 % of the time of rank 0");
  CHECK(assumption_sentence(sim::SelfCopied{base::BytesPerSecond(1e10)}) ==
        "messages of a rank to itself are copied at 10.00 GB/s: the platform has neither farcast:self_message nor a loopback");
  CHECK(assumption_sentence(sim::OneSidedAlone{}) == "one-sided accesses (MPI_Put, MPI_Get ...) need no help of their target");
  CHECK(assumption_sentence(sim::FilesAsMeasured{}) ==
        "files: MPI-IO takes its measured time, for the platform has no disk (farcast:disk_read_bw, farcast:disk_write_bw)");
  CHECK(assumption_sentence(sim::FirstHostAsMeasured{"n0"}) ==
        "n0 in its first processor state computes as fast as the machine that the run was recorded on, and the other hosts as "
        "their speeds say (--host-speed tells that machine's)");
  CHECK(assumption_sentence(sim::ClockRulesAll{}) ==
        "computation takes as much longer as the clock is slower: nothing says what share of it the clock rules "
        "(farcast:clock_share); polls that found nothing, local calls and messages take as long as at the full clock");
  CHECK(assumption_sentence(sim::PollingAssumed{base::Watts(188.0)}) ==
        "a node whose cores all poll inside blocking MPI calls draws 188.0 W: the platform has no figure of its own for polling");
  CHECK(assumption_sentence(sim::MemoryUncontended{3}) ==
        "contention for memory is not modelled: up to 3 ranks share a node, and no measured slowdowns of regions were given "
        "(--regions)");
  CHECK(assumption_sentence(sim::PlatformRemark{"limiter_link is not modelled"}) == "limiter_link is not modelled");
}

TEST_CASE("more threads than cores: what that did to the recording, and what to do") {
  CHECK(crowded_sentence(RanksOnFewCores{1, 3, 12, 1}) ==
        "rank 3 computed with 12 threads on 1 core when recorded: where they had to wait for each other, the computation was "
        "measured too long; mpirun binds ranks to cores unless it is told otherwise (--bind-to none, --map-by slot:PE=12)");
  CHECK_THAT(crowded_sentence(RanksOnFewCores{4, 0, 3, 2}),
             Catch::StartsWith("4 ranks (the worst is rank 0) computed with 3 threads on 2 cores when recorded: "));
  CHECK(crowded_sentence(NodeOfFewCores{"node-a", 2, 8, 4}) ==
        "the 8 threads of 2 ranks had 4 cores together on node-a when recorded: where they had to wait for each other, the "
        "computation was measured too long");
}

TEST_CASE("fewer cores than recorded") {
  CHECK(assumption_sentence(sim::FewerCores{4, 1}) ==
        "the threads of a rank used 4 cores when recorded and have 1 here: computation takes the time that it took with 4");
}

TEST_CASE("how messages were played, and how fast cores are") {
  using sim::MessageModel;
  using sim::ProgressRule;
  CHECK(transport_text({}) == "smpi");
  CHECK(transport_text({MessageModel::smpi, ProgressRule::async, 7}) == "smpi");
  CHECK(transport_text({MessageModel::channel, ProgressRule::in_call, 0}) == "ordered channels, progress inside calls");
  CHECK(transport_text({MessageModel::channel, ProgressRule::async, 3}) ==
        "ordered channels, progress at any time, realisation 3");
  // What is known of SimGrid's flows stands beside them, and nowhere else.
  CHECK_THAT(checked_sentence({}), Catch::Contains("11 % in the median and 49 % at worst"));
  CHECK(checked_sentence({MessageModel::channel, ProgressRule::in_call, 0}).empty());
  sim::TransportUse formulas{};
  formulas.blocks = true;
  CHECK(checked_sentence(formulas).empty());
  using Source = host::ComputeSpeed::Source;
  CHECK(compute_speed_sentence({}, "p") ==
        "cores are as fast as measured (neither --relative-speed nor platform p says otherwise)");
  CHECK(compute_speed_sentence({Source::option, 1.25, 1.25}, "p") ==
        "cores are 1.25 times as fast as measured (--relative-speed)");
  CHECK(compute_speed_sentence({Source::platform, 0.5, 1.0}, "p") ==
        "cores are 0.5 to 1 times as fast as measured (farcast:relative_speed of platform p)");
  CHECK(compute_speed_sentence({Source::platform, 0.5, 0.5}, "p") ==
        "cores are 0.5 times as fast as measured (farcast:relative_speed of platform p)");
  CHECK(compute_speed_sentence({Source::machine, 0.5, 1.0, "", base::Hertz(1.8e9), false}, "p") ==
        "cores are 0.5 to 1 times as fast as measured (speed of platform p over --host-speed, at 1.8 GHz)");
  CHECK(compute_speed_sentence({Source::first_host, 0.5, 1.0, "n0", {}, false}, "p") ==
        "cores are 0.5 to 1 times as fast as measured (speed of platform p)");
  CHECK(compute_speed_sentence({Source::nobody, 1.0, 1.0, "", base::Hertz(2.3e9), false}, "p") ==
        "cores are as fast as measured (neither --relative-speed nor platform p says otherwise, at 2.3 GHz)");
  CHECK(compute_speed_sentence({Source::trace, 1.0, 1.0}, "p") == "flops of the trace at the speed of the platform's hosts");
}

TEST_CASE("what a record does not cover comes behind the recording's own notes, in the order found") {
  RunSummary run;
  run.notes = {"read from run.h5"};
  run.gaps = {RanksElsewhere{0, 4, ""}, RecordsDamaged{1}, RankDied{2}, RecordingStopped{3, "no memory", 17},
              ThreadsBeyondLimit{0, 5}};
  const std::vector<std::string> notes = notes_of(run);
  REQUIRE(notes.size() == 6);
  CHECK(notes[0] == "read from run.h5");
  CHECK(notes[1].starts_with("0 of 4 ranks were recorded here (nobody), so there is no prediction: "));
  CHECK(notes[2] == "the records of rank 1 are damaged; what came before is covered");
  CHECK(notes[3] == "rank 2 ended without MPI_Finalize; what it recorded until then is covered");
  CHECK(notes[4] == "rank 3 stopped recording (no memory); 17 later calls are not covered");
  CHECK(notes[5] == "5 calls of rank 0 came from threads beyond the limit and are not covered");
}
