// Collectives, the communicators that they run on, and several threads of one rank.
#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>

namespace decoder_collectives_test {

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

SlotScript started(int size = 4) { return SlotScript().init(size); }

Collective only_collective(const SlotScript& script, int size = 4) {
  const auto ops = decode(script, size);
  REQUIRE(ops.size() == 1);
  REQUIRE(ops[0].kind == Kind::collective);
  REQUIRE(ops[0].collective != nullptr);
  REQUIRE(ops[0].communicator != nullptr);
  return *ops[0].collective;
}

} // namespace

TEST_CASE("an allreduce and a rooted collective") {
  auto script = started();
  script.call("MPI_Allreduce", {.tag = 4, .bytes = 800, .comm = 0, .result_bytes = 800, .flags = stream::kFlagCommutative});
  const Collective allreduce = only_collective(script);
  CHECK(allreduce.kind == CollectiveKind::allreduce);
  CHECK(allreduce.send_bytes == 800);
  CHECK(allreduce.commutative);
  CHECK(allreduce.element_bytes == 4);
  auto rooted = started();
  rooted.call("MPI_Reduce", {.peer = 2, .bytes = 80, .comm = 0, .result_bytes = 80});
  const Collective reduce = only_collective(rooted);
  CHECK(reduce.kind == CollectiveKind::reduce);
  CHECK(reduce.root == 2);
  CHECK_FALSE(reduce.commutative);
  CHECK(reduce.element_bytes == 0); // recorded before it was
}

TEST_CASE("v collectives keep the bytes of each peer") {
  auto script = started();
  script.call("MPI_Alltoallv", {.bytes = 60, .comm = 0, .result_bytes = 100})
      .list(stream::SlotKind::send_counts, std::vector<std::uint64_t>{0, 10, 20, 30})
      .list(stream::SlotKind::receive_counts, std::vector<std::uint64_t>{40, 30, 20, 10});
  const Collective got = only_collective(script);
  CHECK(got.kind == CollectiveKind::alltoallv);
  REQUIRE(got.send_counts != nullptr);
  REQUIRE(got.receive_counts != nullptr);
  CHECK(*got.send_counts == std::vector<double>{0, 10, 20, 30});
  CHECK(*got.receive_counts == std::vector<double>{40, 30, 20, 10});
}

TEST_CASE("an allgather in place: what Open MPI goes by is the send count that the standard ignores") {
  for (const int counted : {0, 400}) {
    auto script = started();
    script.call("MPI_Allgather", {.tag = counted, .bytes = 80, .comm = 0, .result_bytes = 80, .flags = stream::kFlagInPlace});
    const Collective allgather = only_collective(script);
    CHECK(allgather.in_place);
    CHECK(allgather.send_bytes == 80);
    CHECK(allgather.ignored_bytes == counted);
    CHECK(allgather.element_bytes == 0);
  }
}

TEST_CASE("in place: what a rank receives is what it sends") {
  auto all = started();
  all.call("MPI_Alltoallv", {.bytes = 100, .comm = 0, .result_bytes = 100, .flags = stream::kFlagInPlace})
      .list(stream::SlotKind::receive_counts, std::vector<std::uint64_t>{40, 30, 20, 10});
  const Collective alltoallv = only_collective(all);
  CHECK(alltoallv.in_place);
  REQUIRE(alltoallv.send_counts != nullptr);
  CHECK(*alltoallv.send_counts == std::vector<double>{40, 30, 20, 10});
  auto gather = started();
  gather.call("MPI_Allgatherv", {.bytes = 100, .comm = 0, .result_bytes = 100, .flags = stream::kFlagInPlace})
      .list(stream::SlotKind::receive_counts, std::vector<std::uint64_t>{40, 30, 20, 10});
  const Collective allgatherv = only_collective(gather);
  CHECK(allgatherv.send_bytes == 40); // its own block
  CHECK(allgatherv.send_counts == nullptr);
}

TEST_CASE("a list of counts longer than one slot") {
  std::vector<std::uint64_t> counts(20);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 8 * i;
  auto script = started(20);
  script.call("MPI_Scatterv", {.peer = 0, .comm = 0, .result_bytes = 0}).list(stream::SlotKind::send_counts, counts);
  const Collective got = only_collective(script, 20);
  REQUIRE(got.send_counts != nullptr);
  CHECK(*got.send_counts == std::vector<double>(counts.begin(), counts.end()));
  CHECK(got.receive_counts == nullptr);
}

TEST_CASE("non-blocking and persistent collectives") {
  auto script = started();
  script.call("MPI_Ibcast", {.peer = 1, .bytes = 64, .request = 0xa, .comm = 0, .result_bytes = 64});
  script.call("MPI_Wait", {.bytes = 0xa});
  script.call("MPIX_Barrier_init", {.request = 0xb, .comm = 0});
  script.call("MPI_Start", {.bytes = 0xb});
  script.call("MPI_Wait", {.bytes = 0xb});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::icollective, Kind::wait, Kind::local, Kind::icollective, Kind::wait});
  CHECK(ops[0].collective->kind == CollectiveKind::bcast);
  CHECK(ops[0].collective->root == 1);
  CHECK(ops[1].requests == std::vector{ops[0].request});
  CHECK(ops[3].collective->kind == CollectiveKind::barrier);
  CHECK(ops[4].requests == std::vector{ops[3].request});
}

TEST_CASE("neighbourhood collectives know their neighbours") {
  auto script = started();
  script.call("MPI_Cart_create", {.request = 7, .comm = 0}).members(7, {{0, 1, 4}});
  script.list(stream::SlotKind::sources, std::vector<std::int32_t>{3, 1}, 7);
  script.list(stream::SlotKind::destinations, std::vector<std::int32_t>{3, stream::kNoPeer}, 7);
  script.call("MPI_Neighbor_alltoall", {.peer = (2 << 16) | 2, .bytes = 8, .comm = 7, .result_bytes = 8});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::collective, Kind::collective});
  CHECK(ops[0].collective->kind == CollectiveKind::construct);
  CHECK(ops[0].collective->send_bytes == 0);
  const Collective& got = *ops[1].collective;
  CHECK(got.kind == CollectiveKind::neighbor_alltoall);
  CHECK(*got.sources == std::vector{3, 1});
  CHECK(*got.destinations == std::vector{3, -1});
  CHECK(ops[1].communicator != ops[0].communicator);
}

TEST_CASE("constructors: all members find the same communicator") {
  // Ranks 0 and 1 split away from 2 and 3, then all duplicate the world twice; rank-local numbers
  // differ.
  const auto script = [](std::uint32_t half, std::uint32_t first, std::uint32_t second, int low) {
    SlotScript out;
    out.init(4);
    out.call("MPI_Comm_split", {.request = half, .comm = 0}).members(half, {{low, 1, 2}});
    out.call("MPI_Comm_dup", {.request = first, .comm = 0}).members(first, {{0, 1, 4}});
    out.call("MPI_Comm_dup", {.request = second, .comm = 0}).members(second, {{0, 1, 4}});
    out.call("MPI_Barrier", {.comm = half});
    out.call("MPI_Barrier", {.comm = second});
    out.call("MPI_Barrier", {.comm = first});
    out.call("MPI_Comm_disconnect", {.comm = first});
    return out;
  };
  const DecodedRun run({{script(2, 3, 4, 0)}, {script(5, 9, 11, 0)}, {script(2, 3, 4, 2)}, {script(2, 4, 3, 2)}});
  const auto id = [&](std::size_t rank, std::size_t operation) { return run[rank].at(operation).communicator->id; };
  for (std::size_t rank = 0; rank < 4; ++rank) {
    REQUIRE(kinds(run[rank]) == std::vector{Kind::init, Kind::collective, Kind::collective, Kind::collective, Kind::collective,
                                            Kind::collective, Kind::collective, Kind::collective});
    CHECK(id(rank, 1) == id(0, 1)); // the world
    CHECK(id(rank, 5) == id(0, 5)); // the second copy
    CHECK(id(rank, 6) == id(0, 6)); // the first copy
    CHECK(id(rank, 7) == id(0, 6));
    CHECK(id(rank, 4) == id(rank < 2 ? 0u : 2u, 4));            // the halves
    CHECK(run[rank][5].communicator == run[0][5].communicator); // one object for all
  }
  CHECK(id(0, 4) != id(2, 4));
  CHECK(id(0, 5) != id(0, 6));
  CHECK(id(0, 1) != id(0, 6));
}

TEST_CASE("inter-communicators have one id on both sides, and peers in the remote group") {
  // `leads`: the world rank of the other leader in the communicator between them, the world.
  const auto script = [](std::uint32_t half, int own, int other, int root, int leads = stream::kNoPeer) {
    const std::uint64_t between = leads == stream::kNoPeer ? stream::kNoComm : 0;
    SlotScript out;
    out.init(4);
    out.call("MPI_Comm_split", {.request = half, .comm = 0}).members(half, {{own, 1, 2}});
    out.compute(70)
        .call("MPI_Intercomm_create", {.peer = leads, .tag = 3, .bytes = between << 32, .request = 20, .comm = half})
        .members(20, {{own, 1, 2}})
        .remote_members(20, {{other, 1, 2}});
    out.call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 20});
    out.call("MPI_Bcast", {.peer = root, .bytes = 8, .comm = 20, .result_bytes = 8});
    out.call("MPI_Intercomm_merge", {.request = 21, .comm = 20}).members(21, {{0, 1, 4}});
    return out;
  };
  const DecodedRun run({{script(2, 0, 2, stream::kRootPeer, 2)},
                        {script(2, 0, 2, stream::kNoPeer)},
                        {script(3, 2, 0, 0, 0)},
                        {script(3, 2, 0, 0)}});
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const bool leads = rank == 0 || rank == 2;
    const std::size_t told = leads ? 3 : 2;
    REQUIRE(run[rank].size() == told + 5);
    if (leads) { // the other leader
      CHECK(run[rank][2].kind == Kind::send_receive);
      CHECK((run[rank][2].peer == (rank == 0 ? 2 : 0) && run[rank][2].receive_peer == run[rank][2].peer));
      CHECK(run[rank][2].communicator->id == run[0][2].communicator->id);
      CHECK(run[rank][2].communicator->id != run[0][1].communicator->id); // no message of the program's
    }
    CHECK(near(run[rank][2].compute, ns(70)));
    CHECK(
        (run[rank][told].kind == Kind::collective && run[rank][told].collective->kind == CollectiveKind::bcast)); // to its group
    CHECK(run[rank][told].communicator->remote.empty());
    const auto of = [&](std::size_t behind) -> const Operation& { return run[rank][told + behind]; };
    CHECK(of(1).collective->kind == CollectiveKind::synchronize); // both groups
    CHECK(of(1).communicator == of(2).communicator);
    CHECK(run[rank][2].times + (leads ? of(0).times : 0) + of(1).times == 1);
    CHECK(of(2).communicator->id == run[0][5].communicator->id);
    CHECK(of(2).communicator->members.front() == (rank < 2 ? 0 : 2));
    CHECK(of(2).communicator->remote.front() == (rank < 2 ? 2 : 0));
    CHECK(of(2).peer == (rank < 2 ? 3 : 1)); // remote rank 1
  }
  CHECK(run[0][6].collective->root == kInterRoot);
  CHECK(run[1][5].collective->root == kProcNull);
  CHECK(run[2][6].collective->root == 0);
}

TEST_CASE("a communicator made by a group is agreed on by that group only") {
  auto script = started();
  script.call("MPI_Comm_create_group", {.tag = 1, .request = 6, .comm = 0}).members(6, {{0, 2, 2}});
  script.call("MPI_Comm_create_group", {.tag = 1, .request = stream::kNoComm, .comm = 0}); // not a member
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::collective, Kind::local});
  CHECK(ops[0].communicator->members == std::vector{0, 2});
}

TEST_CASE("MPI_Comm_free asks nobody: it keeps its measured time; MPI_Comm_disconnect meets all members") {
  auto script = started();
  script.call("MPI_Comm_dup", {.request = 5, .comm = 0}).members(5, {{0, 1, 4}});
  script.call("MPI_Comm_dup", {.request = 6, .comm = 0}).members(6, {{0, 1, 4}});
  script.compute(100).call("MPI_Comm_free", {.comm = 5}, 30);
  script.call("MPI_Comm_disconnect", {.comm = 6}, 40);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::collective, Kind::collective, Kind::local, Kind::collective});
  CHECK(near(ops[2].compute, ns(100)));
  CHECK(near(ops[2].measured, ns(30)));
  CHECK_FALSE(function_infos()[ops[2].function].unmodelled);
  CHECK(ops[3].collective->kind == CollectiveKind::synchronize);
}

TEST_CASE("windows and files agree over the communicator that made them") {
  auto script = started();
  script.call("MPI_Comm_dup", {.request = 6, .comm = 0}).members(6, {{0, 1, 4}});
  script.call("MPI_Win_create", {.request = 0x90, .comm = 6});
  script.call("MPI_Win_fence", {.request = 0x90});
  script.call("MPI_Win_free", {.request = 0x90});
  script.call("MPI_File_open", {.request = 0x91, .comm = 6});
  script.call("MPI_File_close", {.request = 0x91});
  script.call("MPI_Win_fence", {.request = 0x92}); // unknown
  const auto ops = decode(script);
  REQUIRE(ops.size() == 7);
  for (std::size_t i = 1; i < 6; ++i) {
    CHECK(ops[i].kind == Kind::collective);
    CHECK(ops[i].communicator == ops[1].communicator);
  }
  CHECK(ops[6].kind == Kind::local);
  // What is mapped and freed is each member's own work; a fence and a file's calls are not.
  for (std::size_t i = 1; i < 6; ++i) CHECK(ops[i].collective->works == (i == 1 || i == 3));
}

TEST_CASE("MPI_Comm_idup: a request that all members complete") {
  auto script = started();
  script.call("MPI_Comm_idup", {.request = 0xa, .comm = 0});
  script.call("MPI_Wait", {.bytes = 0xa});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::icollective, Kind::wait});
  CHECK(ops[1].requests == std::vector{ops[0].request});
}

TEST_CASE("ranks that the world does not have make no communicator") {
  auto script = started();
  script.members(5, {{0, 1, 5}});
  script.members(6, {{-2, 1, 2}});
  script.call("MPI_Barrier", {.comm = 5}).call("MPI_Barrier", {.comm = 6});
  CHECK(kinds(decode(script)) == std::vector{Kind::local, Kind::local});
}

TEST_CASE("starting processes, and meeting those of other jobs, keeps its measured time") {
  for (const char* name : {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join"}) {
    INFO(name);
    auto script = started();
    script.compute(100).call(name, {.peer = 0, .request = 5, .comm = 0}, 506'000'000);
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::local});
    CHECK(near(ops[0].compute, ns(100)));
    CHECK(near(ops[0].measured, 0.506));
    CHECK(function_infos()[ops[0].function].unmodelled);
  }
}

TEST_CASE("two threads: a timeline each, requests shared in the order of the tickets") {
  SlotScript first;
  first.init(2);
  first.call("MPI_Irecv", {.peer = stream::kAnyPeer, .tag = 1, .bytes = 8, .request = 0xa, .comm = 0}).ticket(0);
  first.call("MPI_Send", {.peer = 1, .tag = 9, .bytes = 8, .comm = 0}).ticket(3);
  first.call("MPI_Finalize").ticket(5).end();
  SlotScript second;
  second.compute(50);
  second.call("MPI_Isend", {.peer = 1, .tag = 2, .bytes = 8, .request = 0xb, .comm = 0}, 5).ticket(1);
  second.call("MPI_Wait", {.bytes = 0xa}).status(1, 1, 8).ticket(2); // waits for what the first thread posted
  second.call("MPI_Wait", {.bytes = 0xb}).ticket(4).end();
  const DecodedRun run({{first, second}, {SlotScript()}});
  REQUIRE(run.timelines() == 3);
  REQUIRE(kinds(run[0]) == std::vector{Kind::init, Kind::ireceive, Kind::send, Kind::finalize});
  REQUIRE(kinds(run[2]) == std::vector{Kind::isend, Kind::wait, Kind::wait});
  CHECK(run[0][1].peer == 1);
  CHECK(run[2][1].requests == std::vector{run[0][1].request});
  CHECK(run[2][2].requests == std::vector{run[2][0].request});
  CHECK(run[2][0].request != run[0][1].request);
  CHECK(run[2][0].compute.value() == Approx(40e-9)); // since the exit of MPI_Init
}

TEST_CASE("collectives of several threads are numbered as the tickets say, per communicator") {
  SlotScript first;
  first.init(2);
  first.call("MPI_Comm_dup", {.request = 5, .comm = 0}).members(5, {{0, 1, 2}}).ticket(0);
  first.call("MPI_Ibarrier", {.request = 0xa, .comm = 5}).ticket(2);
  first.call("MPIX_Barrier_init", {.request = 0xb, .comm = 5}).ticket(3);
  first.call("MPI_Start", {.bytes = 0xb, .request = 0xb}).ticket(5);
  first.call("MPI_Barrier", {.comm = 0}).ticket(7).end();
  SlotScript second;
  second.call("MPI_Barrier", {.comm = 5}).ticket(1);
  second.call("MPI_Ibcast", {.peer = 0, .bytes = 8, .request = 0xc, .comm = 5, .result_bytes = 8}).ticket(4);
  second.call("MPI_Barrier", {.comm = 5}).ticket(6).end();
  const DecodedRun run({{first, second}, {SlotScript()}});
  REQUIRE(kinds(run[0]) ==
          std::vector{Kind::init, Kind::collective, Kind::icollective, Kind::local, Kind::icollective, Kind::collective});
  REQUIRE(kinds(run[2]) == std::vector{Kind::collective, Kind::icollective, Kind::collective});
  CHECK(run[0][1].call_number == 0); // on the world
  CHECK(run[2][0].call_number == 0); // on its copy
  CHECK(run[0][2].call_number == 1);
  CHECK(run[2][1].call_number == 2);
  CHECK(run[2][2].call_number == 3); // the persistent one has a number of its own
  CHECK(run[0][5].call_number == 1);
}

TEST_CASE("a communicator with processes of another job: its calls keep their measured time") {
  auto script = started();
  script.call("MPI_Comm_spawn", {.peer = 0, .request = 5, .comm = 0}).members(5, {{0, 1, 4}}).remote_members(5, {{-1, 0, 2}});
  script.call("MPI_Bcast", {.peer = stream::kRootPeer, .bytes = 8, .comm = 5, .result_bytes = 8}, 700);
  script.call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 5}, 800);
  script.call("MPI_Intercomm_merge", {.request = 6, .comm = 5}, 900).members(6, {{0, 1, 4}, {-1, 0, 2}});
  script.call("MPI_Irecv", {.peer = stream::kAnyPeer, .bytes = 8, .request = 0xa, .comm = 6});
  script.call("MPI_Wait", {.bytes = 0xa}, 1000).status(5, 0, 8);
  script.call("MPI_Win_create", {.request = 0x70, .comm = 6}, 30);
  script.call("MPI_Win_fence", {.request = 0x70}, 40);
  script.call("MPI_Comm_split", {.request = 7, .comm = 6}, 50).members(7, {{0, 1, 4}});
  script.call("MPI_Barrier", {.comm = 7}); // its own world again
  script.call("MPI_Comm_disconnect", {.comm = 5}, 60);
  const auto ops = decode(script);
  std::vector expected(11, Kind::local);
  expected[9] = Kind::collective;
  REQUIRE(kinds(ops) == expected);
  const std::vector<double> took{10, 700, 800, 900, 10, 1000, 30, 40, 50};
  for (std::size_t i = 0; i < took.size(); ++i) CHECK(near(ops[i].measured, ns(took[i])));
  CHECK(near(ops[10].measured, ns(60)));
}

TEST_CASE("MPI_Comm_disconnect waits for the others in Open MPI and not in MPICH") {
  for (const auto& [library, kind] : {std::pair{"Open MPI", Kind::collective}, std::pair{"MPICH", Kind::local}}) {
    INFO(library);
    Recording recording(1 << 20);
    recording.mpi_library = library;
    recording.world_size = 2;
    auto script = started(2);
    script.call("MPI_Comm_dup", {.request = 5, .comm = 0}).members(5, {{0, 1, 2}});
    script.call("MPI_Comm_disconnect", {.comm = 5}).end();
    recording.ranks.push_back(rank_of(recording, 0, {script}));
    RecordedTimelines timelines(recording);
    Operation operation;
    for (int i = 0; i < 3; ++i) REQUIRE(timelines.next(0, operation));
    CHECK(operation.kind == kind);
  }
}

TEST_CASE("members start their persistent collectives in any order") {
  const auto script = [](bool backwards) {
    SlotScript out = started(2);
    out.call("MPIX_Barrier_init", {.request = 0xa, .comm = 0});
    out.call("MPIX_Bcast_init", {.peer = 0, .bytes = 8, .request = 0xb, .comm = 0, .result_bytes = 8});
    for (int round = 0; round < 2; ++round) {
      if (backwards)
        out.call("MPI_Startall").handles({0xb, 0xa});
      else
        out.call("MPI_Startall").handles({0xa, 0xb});
      out.call("MPI_Barrier", {.comm = 0});
      out.call("MPI_Waitall").handles({0xa, 0xb});
    }
    return out;
  };
  const DecodedRun run({{script(false)}, {script(true)}});
  const auto number = [&](std::size_t rank, std::size_t at) { return run[rank].at(at).call_number; };
  REQUIRE(kinds(run[0]) == std::vector{Kind::init, Kind::local, Kind::local, Kind::icollective, Kind::icollective,
                                       Kind::collective, Kind::wait, Kind::icollective, Kind::icollective, Kind::collective,
                                       Kind::wait});
  for (const std::size_t first : {std::size_t{3}, std::size_t{7}}) {
    CHECK(run[0][first].collective->kind == CollectiveKind::barrier);
    CHECK(number(0, first) == number(1, first + 1));
    CHECK(number(0, first + 1) == number(1, first));
    CHECK(number(0, first) != number(0, first + 1));
    CHECK(number(0, first + 2) == kNotCounted);
  }
  CHECK(number(0, 3) != number(0, 7));
  CHECK(number(0, 4) != number(0, 8));
}

} // namespace decoder_collectives_test
