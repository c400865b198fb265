// Calls of a coupled run: announced, then answered. Who answers sees two calls, everybody else one.
#include <catch2/catch.hpp>
#include <optional>
#include <unit/trace/decoded.h>

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

// The announcement, whose result is what a poll costs, and its answer `after` ticks later.
SlotScript& announced(SlotScript& script, const std::string& function, CallFields fields,
                      const std::vector<std::uint64_t>& handles = {}) {
  fields.flags |= stream::kFlagAnnounced;
  script.call(function, fields, 5).rewind(5);
  if (!handles.empty()) script.handles(handles);
  return script.list(stream::SlotKind::announced, std::vector<std::uint64_t>{0});
}
SlotScript& answered(SlotScript& script, const std::string& function, CallFields fields, std::uint64_t ticks) {
  fields.flags |= stream::kFlagAnswer;
  return script.call(function, fields, ticks);
}
// The same of a call that was let in after 3000 ticks, and took 1000 more.
SlotScript& let_in(SlotScript& script, const std::string& function, CallFields fields) {
  return answered(script, function, fields, 4000).list(stream::SlotKind::call_aside, std::vector<stream::Aside>{{0, 3000}});
}

SlotScript program() {
  SlotScript script;
  script.init(4);
  script.compute(100).call(
      "MPI_Irecv", {.peer = stream::kAnyPeer, .tag = 7, .bytes = 64, .request = 0xa, .comm = 0, .flags = stream::kFlagDeferred});
  script.call("MPI_Isend", {.peer = 1, .bytes = 8, .request = 0xb, .comm = 0});
  announced(script.compute(300), "MPI_Waitany", {.bytes = 0}, {0xb, 0xa});
  answered(script, "MPI_Waitany", {.outcome = 1}, 5000).status(2, 7, 64);
  announced(script.compute(200), "MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = stream::kAnyTag, .comm = 0});
  answered(script, "MPI_Iprobe", {}, 4000).list(stream::SlotKind::call_aside, std::vector<stream::Aside>{{0, 3995}});
  announced(script.compute(400), "MPI_Recv", {.peer = stream::kAnyPeer, .tag = 3, .bytes = 16, .comm = 0});
  answered(script, "MPI_Recv", {}, 700).status(1, 3, 16);
  script.compute(50).call("MPI_Finalize").end();
  return script;
}

class Sink final : public AnswerSink {
public:
  void give(int rank, const RankAnswer& answer) override { given.emplace_back(rank, answer); }
  void over() override { ended = true; }
  std::vector<std::pair<int, RankAnswer>> given;
  bool ended = false;
};

// What rank 0 of two asks for.
struct AskedRun {
  explicit AskedRun(const SlotScript& script) {
    recording.world_size = 2;
    recording.ranks.push_back(rank_of(recording, 0, {script}));
    recording.ranks.push_back(rank_of(recording, 1, {SlotScript()}));
    timelines.emplace(recording, &sink);
    Operation operation;
    while (timelines->next(0, operation)) operations.push_back(operation);
  }
  Recording recording{1 << 20};
  Sink sink;
  std::optional<RecordedTimelines> timelines; // whose communicators the operations have
  std::vector<Operation> operations;
};

} // namespace

TEST_CASE("who does not answer reads an announced call as one") {
  const auto ops = decode(program());
  REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::isend, Kind::wait, Kind::poll, Kind::receive, Kind::finalize});
  CHECK((ops[0].peer == 2 && ops[0].tag == 7));
  CHECK(ops[2].requests == std::vector{ops[0].request});
  CHECK(near(ops[2].compute, ns(300)));
  CHECK(near(ops[2].measured, ns(5000)));
  CHECK(near(ops[3].compute, ns(200)));
  CHECK(near(ops[3].measured, ns(5))); // without what the answer took
  CHECK(near(ops[4].compute, ns(400)));
  CHECK((ops[4].peer == 1 && ops[4].tag == 3));
  CHECK(near(ops[5].compute, ns(50)));
  for (const Operation& operation : ops) CHECK(!operation.asked);
}

TEST_CASE("who does not answer knows which window or file an announced call names") {
  SlotScript script;
  script.init(4).call("MPI_Comm_dup", {.request = 5, .comm = 0}).members(5, {{0, 1, 4}});
  const auto made = [&](const std::string& function, CallFields fields, std::uint64_t object) {
    announced(script, function, fields);
    fields.request = object;
    answered(script, function, fields, 500);
  };
  made("MPI_Win_create", {.comm = 5}, 0x90);
  made("MPI_Win_fence", {.request = 0x90}, 0);
  made("MPI_File_open", {.comm = 5}, 0x91);
  made("MPI_File_set_size", {.request = 0x91}, 0);
  made("MPI_File_write_all_begin", {.bytes = 100, .request = 0x91}, 0);
  script.call("MPI_File_write_all_end", {.request = 0x91});
  made("MPI_File_close", {.request = 0x91}, 0);
  made("MPI_Win_free", {.request = 0x90}, 0);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::collective, Kind::collective, Kind::collective, Kind::collective, Kind::collective,
                                    Kind::istorage, Kind::wait, Kind::collective, Kind::collective});
  for (const Operation& operation : ops) {
    if (operation.kind == Kind::collective && &operation != &ops.front()) CHECK(operation.communicator == ops[1].communicator);
  }
}

TEST_CASE("who answers gets what a call asks for, and tells the rank in its own words") {
  Recording recording(1 << 20);
  recording.world_size = 4;
  recording.ranks.push_back(rank_of(recording, 0, {program()}));
  for (int rank = 1; rank < 4; ++rank) recording.ranks.push_back(rank_of(recording, rank, {SlotScript()}));
  Sink sink;
  RecordedTimelines timelines(recording, &sink);
  REQUIRE(timelines.asks());
  std::vector<Operation> ops(1);
  while (timelines.next(0, ops.back())) {
    if (ops.back().kind == Kind::wait) {
      Answer answer;
      answer.time = base::Seconds(1.5);
      answer.done = {1};
      answer.matches = {{ops[1].request, 2, 7, ops[1].communicator}};
      timelines.answer(0, answer);
    }
    ops.emplace_back();
  }
  ops.pop_back();
  REQUIRE(kinds(ops) ==
          std::vector{Kind::init, Kind::ireceive, Kind::isend, Kind::wait, Kind::poll, Kind::receive, Kind::finalize});
  CHECK((ops[1].asked && ops[1].peer == trace::kAnyPeer && ops[1].tag == 7));
  CHECK((ops[3].asked && ops[3].completes == Completes::any));
  CHECK(ops[3].requests == std::vector{ops[2].request, ops[1].request});
  CHECK(near(ops[3].compute, ns(300)));
  CHECK((ops[4].asked && ops[4].probes && ops[4].peer == trace::kAnyPeer && ops[4].tag == trace::kAnyTag));
  CHECK(near(ops[4].compute, ns(200)));
  CHECK(near(ops[4].measured, ns(5)));
  CHECK((ops[5].asked && ops[5].peer == trace::kAnyPeer && ops[5].tag == 3));
  CHECK(near(ops[6].compute, ns(50)));
  REQUIRE(sink.given.size() == 1);
  const RankAnswer& given = sink.given[0].second;
  CHECK(sink.given[0].first == 0);
  CHECK(given.time_s == 1.5);
  CHECK(given.done == std::vector<std::uint32_t>{1});
  REQUIRE(given.matches.size() == 1);
  CHECK((given.matches[0].handle == 0xa && given.matches[0].source == 2 && given.matches[0].tag == 7));
}

TEST_CASE("a rank that goes on before virtual time is there awaits no answer, and computes from its return on") {
  constexpr std::uint8_t ahead = stream::kFlagAhead;
  SlotScript script;
  script.init(2).call("MPI_Comm_dup", {.request = 5, .comm = 0}).members(5, {{0, 1, 2}});
  script.call("MPI_Irecv", {.peer = 1, .tag = 7, .bytes = 64, .request = 0xa, .comm = 5});
  announced(script.compute(300), "MPI_Wait", {.bytes = 0xa, .flags = ahead});
  answered(script, "MPI_Wait", {}, 5000).status(1, 7, 64);
  announced(script.compute(400), "MPI_Recv", {.peer = 1, .tag = 3, .bytes = 16, .comm = 5, .flags = ahead});
  answered(script, "MPI_Recv", {}, 700).status(1, 3, 16);
  script.compute(50).call("MPI_Finalize").end();
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::collective, Kind::ireceive, Kind::wait, Kind::receive, Kind::finalize});
  for (const Operation& operation : ops) CHECK(!operation.asked);
  CHECK(ops[3].requests == std::vector{ops[2].request});
  CHECK((ops[4].peer == 1 && ops[4].tag == 3));
  CHECK(near(ops[4].compute, ns(400)));
  CHECK(near(ops[5].compute, ns(50)));
}

TEST_CASE("an inter-communicator is agreed on by both groups before anybody is let into the library") {
  Recording recording(1 << 20);
  recording.world_size = 3;
  for (int rank = 0; rank < 3; ++rank) {
    const bool leads = rank != 1;
    const std::uint32_t half = rank < 2 ? 2 : 3;
    SlotScript script;
    script.init(3)
        .call("MPI_Comm_split", {.request = half, .comm = 0})
        .members(half, {{rank < 2 ? 0 : 2, 1, rank < 2 ? 2u : 1u}});
    announced(script, "MPI_Intercomm_create",
              {.peer = rank == 0 ? 2
                       : leads   ? 0
                                 : stream::kNoPeer,
               .tag = 4,
               .bytes = std::uint64_t{leads ? 0 : stream::kNoComm} << 32,
               .comm = half});
    recording.ranks.push_back(rank_of(recording, rank, {script}));
  }
  Sink sink;
  RecordedTimelines timelines(recording, &sink);
  std::vector<std::vector<Operation>> ops(3);
  for (const std::size_t rank : {1u, 0u, 2u}) {
    Operation operation;
    while (timelines.next(static_cast<int>(rank), operation)) ops[rank].push_back(operation);
  }
  for (std::size_t rank = 0; rank < 3; ++rank) {
    REQUIRE(ops[rank].size() == (rank == 1 ? 4 : 5));
    for (const Operation& operation : ops[rank]) CHECK(operation.asked == (&operation == &ops[rank].back()));
    const Communicator& made = *ops[rank].back().communicator;
    CHECK(made.id == ops[0].back().communicator->id);
    CHECK((made.members.size() == (rank < 2 ? 2 : 1) && made.remote.size() == (rank < 2 ? 1 : 2)));
  }
  CHECK(ops[0][2].kind == Kind::send_receive);
}

TEST_CASE("a window is there when all have come, and its members work in the library from then on") {
  SlotScript script;
  script.init(2).call("MPI_Win_create", {.request = 0x80, .comm = 0});
  announced(script.compute(70), "MPI_Win_create", {.comm = 0});
  let_in(script, "MPI_Win_create", {.request = 0x90});
  announced(script.compute(30), "MPI_Win_fence", {.request = 0x90});
  answered(script, "MPI_Win_fence", {}, 500);
  announced(script, "MPI_Win_free", {.request = 0x90});
  let_in(script, "MPI_Win_free", {});
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(ops.size() == 7);
  for (std::size_t at : {2, 5}) {
    CHECK((ops[at].asked && !ops[at].collective->works));
    CHECK((!ops[at + 1].asked && ops[at + 1].collective->works && ops[at + 1].collective->met));
    CHECK((ops[at + 1].communicator == ops[1].communicator && ops[at + 1].times == 0 && ops[at + 1].site == ops[at].site));
    CHECK((near(ops[at + 1].compute, 0) && near(ops[at + 1].measured, ns(1000))));
  }
  CHECK((ops[4].asked && !ops[4].collective->works && near(ops[4].compute, ns(30))));
  // Who reads the run later sees one call, in which they work as long as they were inside.
  const auto later = decode(script);
  REQUIRE(later.size() == 4);
  for (std::size_t at : {1, 3})
    CHECK((later[at].collective->works && !later[at].collective->met && near(later[at].measured, ns(1000))));
}

TEST_CASE("who waits in an epoch of a window for others is let into the library when they have come") {
  SlotScript script;
  script.init(2).call("MPI_Win_create", {.request = 0x90, .comm = 0});
  script.call("MPI_Win_start", {.request = 0x90, .flags = stream::kFlagAnnounced}).group({{1, 1, 1}});
  script.list(stream::SlotKind::announced, std::vector<std::uint64_t>{0});
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::collective, Kind::ireceive, Kind::wait});
  CHECK((!ops[2].asked && ops[3].asked));
  CHECK(ops[3].requests == std::vector{ops[2].request});
}

TEST_CASE("who asks for a lock is let into the library when it is granted") {
  SlotScript script;
  script.init(2).call("MPI_Win_create", {.request = 0x90, .comm = 0});
  announced(script, "MPI_Win_lock", {.peer = 1, .tag = stream::kLockExclusive, .request = 0x90});
  answered(script, "MPI_Win_lock", {}, 500).call("MPI_Win_unlock", {.peer = 1, .request = 0x90});
  announced(script, "MPI_Win_lock_all", {.tag = stream::kLockUnchecked, .request = 0x90});
  let_in(script, "MPI_Win_lock_all", {}).call("MPI_Finalize").end();
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::collective, Kind::transfer, Kind::wait, Kind::transfer, Kind::local,
                                    Kind::local, Kind::finalize});
  CHECK((!ops[2].asked && ops[3].asked && !ops[4].asked && ops[5].asked));
  CHECK((ops[2].lock == Lock::exclusive && ops[4].lock == Lock::exclusive));
  CHECK(ops[3].requests == std::vector{ops[2].request});
  CHECK((ops[5].measured.value() == 0 && ops[6].measured.value() == Approx(1e-6) && ops[6].times == 0)); // which asks nobody
}

TEST_CASE("a lock that the library refuses is given up again") {
  SlotScript script;
  script.init(2).call("MPI_Win_create", {.request = 0x90, .comm = 0});
  announced(script, "MPI_Win_lock", {.peer = 1, .tag = stream::kLockExclusive, .request = 0x90});
  answered(script, "MPI_Win_lock", {.outcome = stream::kOutcomeError}, 500).call("MPI_Finalize").end();
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::collective, Kind::transfer, Kind::wait, Kind::transfer, Kind::finalize});
  CHECK((ops[4].lock == Lock::exclusive && ops[4].reply_bytes == kNoReply && ops[4].times == 0));
}

TEST_CASE("processes are spawned when all have come, and take what they take from then on") {
  SlotScript script;
  script.init(2);
  announced(script.compute(70), "MPI_Comm_spawn", {.comm = 0});
  let_in(script, "MPI_Comm_spawn", {.request = 5});
  announced(script, "MPI_Comm_spawn", {.comm = stream::kSessionComm}); // nobody knows of the others
  answered(script, "MPI_Comm_spawn", {.request = 6}, 500);
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::collective, Kind::local, Kind::local, Kind::local});
  CHECK((ops[1].asked && !ops[2].asked && ops[3].asked && !ops[4].asked));
  CHECK((!ops[1].away && !ops[2].away && ops[3].away && !ops[4].away)); // of those who know each other nobody is missing
  CHECK((near(ops[4].measured, ns(500)) && ops[4].times == 0 && ops[4].site == ops[3].site));
  CHECK((near(ops[1].compute, ns(70)) && near(ops[2].compute, 0)));
  CHECK(near(ops[2].measured, ns(1000)));
}

TEST_CASE("who connects has met its own ranks, and waits for others") {
  SlotScript script;
  script.init(2);
  announced(script.compute(70), "MPI_Comm_connect", {.comm = 0});
  let_in(script, "MPI_Comm_connect", {.request = 5});
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::collective, Kind::local});
  CHECK((ops[1].asked && ops[1].away && !ops[2].asked && !ops[2].away));
  CHECK((near(ops[2].measured, ns(1000)) && ops[2].times == 0));
}

TEST_CASE("a collective access is let in when all have come, and takes what it takes from then on") {
  SlotScript script;
  script.init(2);
  announced(script, "MPI_File_open", {.comm = 0});
  answered(script, "MPI_File_open", {.request = 0x91}, 500);
  announced(script.compute(70), "MPI_File_write_all", {.bytes = 100, .request = 0x91});
  let_in(script, "MPI_File_write_all", {});
  script.call("MPI_Finalize").end();
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::collective, Kind::collective, Kind::storage, Kind::finalize});
  CHECK((ops[2].asked && !ops[3].asked));
  CHECK(ops[2].communicator == ops[1].communicator);
  CHECK((near(ops[2].compute, ns(70)) && near(ops[3].compute, 0)));
  CHECK(near(ops[3].measured, ns(1000)));
  CHECK(ops[3].bytes == 100);
  CHECK(ops[2].times + ops[3].times == 1);
}

TEST_CASE("calls on what nobody knows the members of are answered at once, and take what they take from then on") {
  SlotScript script;
  script.init(2);
  const auto made = [&](const std::string& function, CallFields fields, std::uint64_t request = 0) -> SlotScript& {
    announced(script.compute(70), function, fields);
    fields.request = request;
    return let_in(script, function, fields);
  };
  made("MPI_Recv", {.peer = 1, .comm = stream::kSessionComm})
      .list(stream::SlotKind::call_aside, std::vector<stream::Aside>{{400, 100}});
  made("MPI_Barrier", {.comm = stream::kSessionComm});
  made("MPI_Win_create", {.comm = stream::kSessionComm}, 0x90);
  script.call("MPI_Irecv", {.peer = 1, .request = 0xa, .comm = stream::kSessionComm});
  script.call("MPI_Irecv", {.peer = 1, .request = 0xb, .comm = 0});
  announced(script, "MPI_Test", {.bytes = 0xa});
  answered(script, "MPI_Test", {}, 500);
  announced(script, "MPI_Waitall", {}, {0xa, 0xb});
  answered(script, "MPI_Waitall", {}, 500);
  announced(script, "MPI_Wait", {.bytes = 0});
  answered(script, "MPI_Wait", {}, 500).call("MPI_Finalize").end();
  const AskedRun run(script);
  const std::vector<Operation>& ops = run.operations;
  REQUIRE(kinds(ops) == std::vector{Kind::init, Kind::local, Kind::local, Kind::local, Kind::local, Kind::local, Kind::local,
                                    Kind::local, Kind::ireceive, Kind::poll, Kind::wait, Kind::wait, Kind::finalize});
  for (const std::size_t call : {1u, 3u, 5u}) {
    CHECK((ops[call].asked && ops[call].away && ops[call].measured.value() == 0));
    CHECK((!ops[call + 1].asked && !ops[call + 1].away && ops[call + 1].times == 0));
    CHECK(near(ops[call].compute, ns(70)));
  }
  CHECK(near(ops[2].measured, ns(500))); // what others had of it goes out as well
  CHECK(near(ops[4].measured, ns(1000)));
  CHECK((ops[9].away && ops[9].requests == std::vector<std::uint32_t>{0}));
  CHECK((ops[10].away && ops[10].requests == std::vector<std::uint32_t>{0, ops[8].request}));
  CHECK(!ops[11].away); // MPI_REQUEST_NULL
}
