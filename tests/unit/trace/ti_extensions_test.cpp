// What ti_trace.md adds to SimGrid's format, as operations; and what is wrong with it.
#include "predictor/trace/ti_trace.h"

#include <unit/trace/decoded.h>
#include <unit/trace/ti_played.h>

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

bool holds(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

// Rank 0 of four, whose others do nothing.
TiPlayed four(const std::string& lines) {
  const TiFolder folder;
  return TiPlayed(folder.trace(
      {"0 init\n" + lines + "0 finalize\n", "1 init\n1 finalize\n", "2 init\n2 finalize\n", "3 init\n3 finalize\n"}));
}

std::vector<Operation> operations(const std::string& lines) {
  const TiPlayed played = four(lines);
  CHECK(played.error.empty());
  REQUIRE(played.operations[0].size() >= 2);
  return {played.operations[0].begin() + 1, played.operations[0].end() - 1};
}

} // namespace

TEST_CASE("TI: communicators translate ranks, and are one object for all members") {
  const TiFolder folder;
  const TiPlayed played(
      folder.trace({"0 init\n0 comm@2 0-3:2\n0 send@2 1 5 8\n0 bcast@2 64 1\n0 finalize\n", "1 init\n1 finalize\n",
                    "2 init\n2 comm@2 0 2\n2 recv@2 0 5 8\n2 bcast@2 64 1\n2 finalize\n", "3 init\n3 finalize\n"}));
  CHECK(played.error.empty());
  const auto& zero = played.operations[0];
  const auto& two = played.operations[2];
  REQUIRE(kinds(zero) == std::vector{Kind::init, Kind::send, Kind::collective, Kind::finalize});
  CHECK(zero[1].peer == 2);
  CHECK(two[1].peer == 0);
  CHECK(zero[1].communicator->members == std::vector{0, 2});
  CHECK(zero[1].communicator->id == 2);
  CHECK(zero[1].communicator == two[1].communicator);
  CHECK(zero[2].collective->root == 1);
  CHECK(zero[2].collective->send_bytes == 64);
}

TEST_CASE("TI: inter-communicators have both groups, each its own first; roots are root, - or a remote rank") {
  const TiFolder folder;
  const TiPlayed played(
      folder.trace({"0 init\n0 intercomm@3 0-1 to 2-3\n0 send@3 1 0 8\n0 ibcast@3#1 8 root\n0 wait#1\n0 finalize\n",
                    "1 init\n1 intercomm@3 0 1 to 2 3\n1 ibcast@3#1 8 -\n1 wait#1\n1 finalize\n",
                    "2 init\n2 intercomm@3 2-3 to 0-1\n2 ibcast@3#1 8 0\n2 wait#1\n2 finalize\n",
                    "3 init\n3 intercomm@3 2-3 to 0-1\n3 recv@3 0 0 8\n3 ibcast@3#1 8 0\n3 wait#1\n3 finalize\n"}));
  CHECK(played.error.empty());
  CHECK(played.operations[0][1].peer == 3);
  CHECK(played.operations[0][1].communicator->id == played.operations[3][1].communicator->id);
  CHECK(played.operations[3][1].communicator->remote == std::vector{0, 1});
  CHECK(played.operations[0][2].collective->root == kInterRoot);
  CHECK(played.operations[1][1].collective->root == kProcNull);
  CHECK(played.operations[2][1].collective->root == 0);
}

TEST_CASE("TI: numbered requests complete in any order; waitall takes them too") {
  const auto ops =
      operations("0 isend#7 1 0 8\n0 isend#8 1 0 8\n0 irecv 1 0 8\n0 wait#8\n0 waitany#7\n0 isend#7 1 0 8\n0 waitall 2\n");
  REQUIRE(kinds(ops) == std::vector{Kind::isend, Kind::isend, Kind::ireceive, Kind::wait, Kind::wait, Kind::isend, Kind::wait});
  CHECK(ops[3].requests == std::vector{ops[1].request});
  CHECK(ops[4].requests == std::vector{ops[0].request});
  CHECK(ops[6].requests == std::vector{ops[2].request, ops[5].request});
}

TEST_CASE("TI: persistent requests start again and again") {
  const auto ops = operations("0 send_init#1 1 4 100\n0 recv_init#2 2 4 50\n0 compute 1e9\n0 start#1,2\n0 wait#1\n0 waitsome#2\n"
                              "0 start#1\n0 waitall 1\n0 request_free#1\n");
  REQUIRE(kinds(ops) == std::vector{Kind::isend, Kind::ireceive, Kind::wait, Kind::wait, Kind::isend, Kind::wait});
  CHECK(ops[0].compute.value() == Approx(1.0));
  CHECK(ops[0].bytes == 100);
  CHECK(ops[1].peer == 2);
  CHECK(ops[1].compute.value() == 0);
  CHECK(ops[2].requests == std::vector{ops[0].request});
  CHECK(ops[4].request != ops[0].request);
  CHECK(ops[5].requests == std::vector{ops[4].request});
}

TEST_CASE("TI: non-blocking, ordered and neighbourhood collectives") {
  const auto ops =
      operations("0 iallreduce#1 800 2e9\n0 wait#1\n0 allreduce_ordered 8 0\n0 alltoallw 4 1 1 1 1 4 1 1 1 1\n"
                 "0 reducescatterblock 16 0\n0 neighbor_alltoall 8 9 to 1 - from 3\n0 neighbor_alltoallv to 1:8 from 3:16 2:4\n"
                 "0 ibarrier\n0 ialltoall_in_place 8 8\n");
  REQUIRE(kinds(ops) == std::vector{Kind::icollective, Kind::wait, Kind::collective, Kind::collective, Kind::collective,
                                    Kind::collective, Kind::collective, Kind::icollective, Kind::icollective, Kind::wait});
  CHECK(ops[0].collective->kind == CollectiveKind::allreduce);
  CHECK(ops[1].compute.value() == Approx(2.0));
  CHECK(ops[1].requests == std::vector{ops[0].request});
  CHECK_FALSE(ops[2].collective->commutative);
  CHECK(ops[0].collective->commutative);
  CHECK(ops[3].collective->kind == CollectiveKind::alltoallw);
  CHECK(ops[4].collective->kind == CollectiveKind::reduce_scatter_block);
  CHECK(*ops[5].collective->destinations == std::vector{1, kProcNull});
  CHECK(*ops[5].collective->sources == std::vector{3});
  CHECK(ops[5].collective->receive_bytes == 9);
  CHECK(*ops[6].collective->receive_counts == std::vector<double>{16, 4});
  CHECK_FALSE(ops[3].collective->in_place);
  CHECK(ops[8].collective->in_place);
  CHECK(ops[9].requests == std::vector{ops[7].request, ops[8].request}); // what is pending at the end
}

TEST_CASE("TI: one-sided accesses, probes, cancelled receives") {
  const auto ops =
      operations("0 put#1 1 100\n0 get#2 2 50\n0 transfer#3 3 8 16\n0 wait#1,2,3\n0 probe 1 7\n0 irecv#4 1 0 8\n0 test#4\n"
                 "0 cancel#4\n0 isend#4 1 0 8\n0 request_free#4\n");
  REQUIRE(kinds(ops) == std::vector{Kind::transfer, Kind::transfer, Kind::transfer, Kind::wait, Kind::probe, Kind::ireceive,
                                    Kind::poll, Kind::forget, Kind::isend, Kind::forget});
  CHECK(ops[0].peer == 1);
  CHECK(ops[0].bytes == 100);
  CHECK(ops[0].reply_bytes == kNoReply);
  CHECK(ops[1].bytes == 0);
  CHECK(ops[1].reply_bytes == 50);
  CHECK(ops[2].reply_bytes == 16);
  CHECK(ops[3].requests == std::vector{ops[0].request, ops[1].request, ops[2].request});
  CHECK(ops[4].tag == 7);
  CHECK(near(ops[6].measured, 1e-4));
  CHECK(ops[7].requests == std::vector{ops[5].request});
  CHECK(ops[9].requests == std::vector{ops[8].request});
}

TEST_CASE("TI: locks of windows") {
  const auto ops =
      operations("0 lock#1 2 7 exclusive\n0 wait#1\n0 unlock 2 7 exclusive\n0 lock#1 1 0 all\n0 wait#1\n0 put#1 2 8\n");
  REQUIRE(kinds(ops) == std::vector{Kind::transfer, Kind::wait, Kind::transfer, Kind::transfer, Kind::wait, Kind::transfer,
                                    Kind::wait}); // what is pending at the end
  CHECK((ops[0].lock == Lock::exclusive && ops[0].peer == 2 && ops[0].tag == 7 && ops[0].reply_bytes == 0));
  CHECK(ops[1].requests == std::vector{ops[0].request});
  CHECK((ops[2].lock == Lock::exclusive && ops[2].tag == 7 && ops[2].reply_bytes == kNoReply && ops[2].request == 0));
  CHECK(ops[3].lock == Lock::all);
  CHECK(ops[5].lock == Lock::none);
  CHECK(holds(four("0 lock#1 2 7 often\n").error, "the kind of lock is 'often', expected exclusive, shared or all"));
}

TEST_CASE("TI: a location is the call site of what stands behind it") {
  const TiFolder folder;
  const std::string index = folder.trace({"0 init\n0 location a.c 10\n0 barrier\n0 location b.c 20\n0 barrier\n0 barrier\n0 "
                                          "location a.c 10\n0 barrier\n0 finalize\n"});
  const auto files = find_ti_trace(index);
  REQUIRE(files);
  TiTimelines timelines(*files, {1e9}, base::Seconds(1e-4));
  std::vector<Operation> ops;
  for (Operation operation; timelines.next(0, operation);) ops.push_back(operation);
  CHECK(timelines.error().empty());
  REQUIRE(ops.size() == 6);
  CHECK(timelines.sites() == std::vector<std::string>{"trace", "a.c:10", "b.c:20"});
  CHECK(ops[0].site == 0);
  CHECK(ops[1].site == 1);
  CHECK(ops[2].site == 2);
  CHECK(ops[4].site == 1);
  CHECK(timelines.regions()[ops[2].region] == std::pair{1U, 2U});
  CHECK(timelines.regions()[ops[3].region] == std::pair{2U, 2U});
  CHECK(timelines.regions()[ops[0].region] == std::pair{0U, 0U});
}

TEST_CASE("TI: what is wrong with extensions is said with file, line and rank") {
  const auto wrong = [](const std::string& lines) { return four(lines).error; };
  CHECK(holds(wrong("0 barrier@2\n"), "0.ti:2: rank 0: barrier is on communicator 2, which this rank has not defined"));
  CHECK(holds(wrong("0 comm@2 0-9\n"), "comm lists '0-9', expected ranks below 4"));
  CHECK(holds(wrong("0 comm@2 0 1 0\n"), "comm lists rank 0 twice"));
  CHECK(holds(wrong("0 comm@2 1-3\n"), "without this rank among its members"));
  CHECK(holds(wrong("0 comm@0 0\n"), "expected comm@NUMBER RANKS"));
  CHECK(holds(wrong("0 comm 0\n"), "expected comm@NUMBER RANKS"));
  CHECK(holds(wrong("0 intercomm@2 0 1\n"), "expected intercomm@NUMBER RANKS to RANKS"));
  CHECK(holds(wrong("0 comm@2 0 1\n0 send@2 3 0 8\n"), "send names rank 3, expected 0 to 1 of communicator 2"));
  CHECK(holds(wrong("0 wait#4\n"), "wait names request 4, which was never started or is complete"));
  CHECK(holds(wrong("0 isend#4 1 0 8\n0 isend#4 1 0 8\n"), "isend starts request 4, which has not been waited for"));
  CHECK(holds(wrong("0 start#4\n"), "start names request 4, which is no persistent request at rest"));
  CHECK(holds(wrong("0 allreduce#4 8 0\n"), "allreduce starts no request, but iallreduce does"));
  CHECK(holds(wrong("0 barrier@\n"), "found '@' behind barrier"));
  CHECK(holds(wrong("0 isend#1,x 1 0 8\n"), "found '#1,x' behind isend"));
  CHECK(holds(wrong("0 send_ordered 1 0 8\n"), "the action 'send_ordered' is unknown"));
  CHECK(holds(wrong("0 iwait 1 0 8\n"), "the action 'iwait' is unknown"));
  CHECK(holds(wrong("0 neighbor_alltoall 8 8\n"), "neighbor_alltoall is not as expected: BYTES BYTES to RANK... from RANK..."));
  CHECK(holds(wrong("0 neighbor_alltoall 8 8 to 9 from 1\n"), "lists '9', expected RANK with ranks 0 to 3"));
  CHECK(holds(wrong("0 neighbor_alltoallv to 1 from 1\n"), "lists '1', expected RANK:BYTES"));
}

TEST_CASE("TI: members that disagree on a collective or on a communicator") {
  const TiFolder folder;
  const auto two = [&](const std::string& zero, const std::string& one) {
    return TiPlayed(folder.trace({"0 init\n" + zero + "0 finalize\n", "1 init\n" + one + "1 finalize\n"})).error;
  };
  CHECK(two("0 barrier\n0 bcast 8 1\n", "1 barrier\n1 bcast 8 1\n").empty());
  CHECK(
      holds(two("0 barrier\n0 bcast 8 1\n", "1 barrier\n1 bcast 8 0\n"),
            "1.ti:3: rank 1: bcast with root 0 is collective number 2 of all ranks, but rank 0 calls bcast with root 1 there ("));
  CHECK(
      holds(two("0 ibarrier\n", "1 barrier\n"), "barrier is collective number 1 of all ranks, but rank 0 calls ibarrier there"));
  CHECK(
      holds(two("0 comm@1 0 1\n", "1 comm@1 1 0\n"), "1.ti:2: rank 1: communicator 1 has other members elsewhere in the trace"));
}
