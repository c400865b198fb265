// Blocking messages, computation between calls, and ends of streams.
#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>

namespace decoder_messages_test {

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

SlotScript started(int size = 4) { return SlotScript().init(size); }

} // namespace

TEST_CASE("send and receive, with the computation before them") {
  auto script = started();
  script.compute(500).call("MPI_Send", {.peer = 1, .tag = 7, .bytes = 800, .comm = 0}, 40);
  script.compute(300).call("MPI_Recv", {.peer = 2, .tag = 8, .bytes = 1600, .comm = 0}, 60).status(2, 8, 1200);
  script.compute(20).call("MPI_Finalize").end();
  const auto ops = decode(script, 4, 30, 8);
  REQUIRE(kinds(ops) == std::vector{Kind::send, Kind::receive, Kind::finalize});
  CHECK(near(ops[0].compute, ns(470))); // the interposer's own cost is taken out
  CHECK(near(ops[0].measured, ns(32)));
  CHECK(ops[0].peer == 1);
  CHECK(ops[0].tag == 7);
  CHECK(ops[0].bytes == 800);
  CHECK(ops[0].mode == SendMode::standard);
  REQUIRE(ops[0].communicator != nullptr);
  CHECK(ops[0].communicator->members == std::vector{0, 1, 2, 3});
  CHECK(near(ops[1].compute, ns(270)));
  CHECK(near(ops[1].measured, ns(52)));
  CHECK(ops[1].peer == 2);
  CHECK(ops[1].bytes == 1600); // what was posted
  CHECK(ops[1].communicator == ops[0].communicator);
  CHECK(near(ops[2].compute, 0)); // less than the overhead
}

TEST_CASE("nothing before the exit of MPI_Init is computation") {
  SlotScript script;
  script.compute(1000).call("MPI_Initialized").compute(5000).init(1).compute(100).call("MPI_Comm_rank", {.comm = 0});
  const DecodedRun run({{script}});
  REQUIRE(kinds(run[0]) == std::vector{Kind::local, Kind::init, Kind::local});
  CHECK(near(run[0][0].compute, 0));
  CHECK(near(run[0][1].compute, 0));
  CHECK(near(run[0][2].compute, ns(100)));
}

TEST_CASE("the modes of sends") {
  auto script = started();
  for (const char* name : {"MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Send_c"})
    script.call(name, {.peer = 1, .bytes = 8, .comm = 0});
  const auto ops = decode(script);
  REQUIRE(ops.size() == 4);
  CHECK(ops[0].mode == SendMode::synchronous);
  CHECK(ops[1].mode == SendMode::buffered);
  CHECK(ops[2].mode == SendMode::ready);
  CHECK(ops[3].mode == SendMode::standard);
  CHECK(ops[3].kind == Kind::send);
}

TEST_CASE("MPI_PROC_NULL and communicators that nobody described") {
  auto script = started();
  script.call("MPI_Send", {.peer = stream::kNoPeer, .comm = 0});
  script.call("MPI_Recv", {.peer = stream::kNoPeer, .tag = stream::kAnyTag, .comm = 0})
      .status(stream::kNoPeer, stream::kAnyTag, 0);
  script.call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 99});
  script.call("MPI_Send", {.peer = 17, .bytes = 8, .comm = 0}); // out of range
  const auto ops = decode(script);
  REQUIRE(ops.size() == 4);
  for (const Operation& operation : ops) CHECK(operation.peer == kProcNull);
}

TEST_CASE("a wildcard receive took the message that its status names") {
  auto script = started();
  script.members(5, {{3, -1, 3}}); // 3, 2, 1
  script.call("MPI_Recv", {.peer = stream::kAnyPeer, .tag = stream::kAnyTag, .bytes = 64, .comm = 0}).status(3, 11, 32);
  script.call("MPI_Recv", {.peer = stream::kAnyPeer, .tag = 4, .bytes = 64, .comm = 5}).status(0, 4, 32);
  script.call("MPI_Recv", {.peer = 2, .tag = stream::kAnyTag, .bytes = 64, .comm = 0}).status(2, 12, 32);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::receive, Kind::receive, Kind::receive});
  CHECK(ops[0].peer == 3);
  CHECK(ops[0].tag == 11);
  CHECK(ops[1].peer == 3); // rank 0 of the communicator is world rank 3
  CHECK(ops[1].tag == 4);
  CHECK(ops[2].peer == 2);
  CHECK(ops[2].tag == 12);
}

TEST_CASE("MPI_Sendrecv has two halves") {
  auto script = started();
  script.call("MPI_Sendrecv", {.peer = 1, .tag = 3, .bytes = 100, .comm = 0}, 50).receive_half(200, 2, 4).status(2, 4, 150);
  script.call("MPI_Sendrecv_replace", {.peer = 3, .tag = 5, .bytes = 10, .comm = 0})
      .receive_half(10, stream::kAnyPeer, stream::kAnyTag)
      .status(1, 6, 10);
  script.call("MPI_Sendrecv", {.peer = stream::kNoPeer, .tag = 3, .comm = 0}).receive_half(200, 2, 4).status(2, 4, 150);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::send_receive, Kind::send_receive, Kind::send_receive});
  CHECK(ops[0].peer == 1);
  CHECK(ops[0].tag == 3);
  CHECK(ops[0].bytes == 100);
  CHECK(ops[0].receive_peer == 2);
  CHECK(ops[0].receive_tag == 4);
  CHECK(ops[1].receive_peer == 1);
  CHECK(ops[1].receive_tag == 6);
  CHECK(ops[2].peer == kProcNull);
  CHECK(ops[2].receive_peer == 2);
}

TEST_CASE("MPI_Mprobe and the receive of its message") {
  auto script = started();
  script.call("MPI_Mprobe", {.peer = stream::kAnyPeer, .tag = stream::kAnyTag, .comm = 0})
      .status(2, 9, 4096)
      .word(stream::SlotKind::message, 0xaa);
  script.call("MPI_Mprobe", {.peer = 1, .tag = 3, .comm = 0}).status(1, 3, 16).word(stream::SlotKind::message, 0xbb);
  script.call("MPI_Imrecv", {.bytes = 0xbb, .request = 0x51});
  script.call("MPI_Mrecv", {.bytes = 0xaa}).status(2, 9, 4096);
  script.call("MPI_Wait", {.bytes = 0x51}).status(1, 3, 16);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::probe, Kind::probe, Kind::ireceive, Kind::receive, Kind::wait});
  CHECK(ops[0].peer == 2);
  CHECK(ops[0].tag == 9);
  CHECK_FALSE(ops[0].polled);
  CHECK(ops[2].peer == 1);
  CHECK(ops[2].tag == 3);
  CHECK(ops[2].bytes == 16);
  CHECK(ops[3].peer == 2);
  CHECK(ops[3].bytes == 4096);
  REQUIRE(ops[3].communicator != nullptr);
  CHECK(ops[4].requests == std::vector{ops[2].request});
}

TEST_CASE("a matched message from MPI_PROC_NULL takes no time") {
  auto script = started();
  script.call("MPI_Mprobe", {.peer = stream::kNoPeer, .tag = 0, .comm = 0})
      .status(stream::kNoPeer, stream::kAnyTag, 0)
      .word(stream::SlotKind::message, 1);
  script.call("MPI_Mrecv", {.bytes = 1}).status(stream::kNoPeer, stream::kAnyTag, 0);
  script.call("MPI_Imrecv", {.bytes = 1, .request = 0x52});
  script.call("MPI_Wait", {.bytes = 0x52});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::probe, Kind::local, Kind::local, Kind::local});
  CHECK(ops[0].peer == kProcNull);
}

TEST_CASE("thread CPU time replaces the time stamps of a region") {
  auto script = started();
  script.compute(90000).call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0}).word(stream::SlotKind::region_cpu, 50000);
  const auto ops = decode(script, 4, 30);
  REQUIRE(ops.size() == 1);
  CHECK(near(ops[0].compute, ns(50000)));
}

TEST_CASE("time in which a rank could have run and did not goes out of its regions and local calls") {
  using stream::SlotKind;
  auto script = started();
  const auto aside = [](std::uint64_t lost, std::uint64_t own) { return std::vector<std::uint64_t>{lost, own}; };
  script.compute(90000).call("MPI_Comm_rank", {.comm = 0}, 70000);
  script.list(SlotKind::region_aside, aside(50000, 1000)).list(SlotKind::call_aside, aside(68000, 1000));
  SECTION("and no more than there is") {
    script.compute(30000).call("MPI_Comm_rank", {.comm = 0}, 10).list(SlotKind::region_aside, aside(40000, 0));
  }
  SECTION("from its own call alone") { script.compute(30000).call("MPI_Comm_rank", {.comm = 0}, 10); }
  const auto ops = decode(script, 4, 0);
  REQUIRE(ops.size() == 2);
  CHECK(near(ops[0].compute, ns(39000)));
  CHECK(near(ops[0].measured, ns(1000)));
  CHECK((near(ops[1].compute, ns(30000)) || near(ops[1].compute, ns(0))));
  CHECK(near(ops[1].measured, ns(10)));
}

TEST_CASE("calls on communicators of sessions keep their measured time") {
  auto script = started();
  script.call("MPI_Allreduce", {.bytes = 8, .comm = stream::kSessionComm}, 40);
  script.call("MPI_Isend", {.peer = 1, .bytes = 8, .request = 0x61, .comm = stream::kSessionComm}, 30);
  script.call("MPI_Wait", {.bytes = 0x61}, 20);
  script.call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local, Kind::local, Kind::local, Kind::send});
  CHECK(near(ops[0].measured, ns(40)));
  CHECK(near(ops[1].measured, ns(30)));
}

TEST_CASE("a function number that the table does not have is passed over") {
  auto script = started();
  script.call(std::uint16_t{0xfff0}, {}, 10).compute(100).call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::send});
}

TEST_CASE("calls that failed take their measured time, whatever they were") {
  auto script = started();
  script.call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0, .outcome = stream::kOutcomeError}, 25);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local});
  CHECK(near(ops[0].measured, ns(25)));
}

TEST_CASE("a truncated stream ends with the call that never returned") {
  auto script = started();
  SECTION("in a send") {
    script.compute(70).call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0}).not_returned();
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::send});
    CHECK(near(ops[0].compute, ns(70)));
    CHECK(near(ops[0].measured, 0));
  }
  SECTION("in a wildcard receive: nobody knows what it would have taken") {
    script.call("MPI_Recv", {.peer = stream::kAnyPeer, .tag = 1, .bytes = 8, .comm = 0}).not_returned();
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::receive});
    CHECK(ops[0].peer == kUnknownPeer);
  }
  SECTION("in a receive with a known source") {
    script.call("MPI_Recv", {.peer = 2, .tag = 1, .bytes = 8, .comm = 0}).not_returned();
    CHECK(decode(script).at(0).peer == 2);
  }
  SECTION("in the wait for a wildcard receive") {
    script.call("MPI_Irecv", {.peer = stream::kAnyPeer, .tag = 1, .bytes = 8, .request = 0x77, .comm = 0});
    script.call("MPI_Wait", {.bytes = 0x77}).not_returned();
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::wait});
    CHECK(ops[0].peer == kUnknownPeer);
  }
  SECTION("in MPI_Waitany: no request is known to have completed") {
    script.call("MPI_Isend", {.peer = 1, .bytes = 8, .request = 0x77, .comm = 0});
    script.call("MPI_Waitany").handles({0x77}).not_returned();
    CHECK(kinds(decode(script)) == std::vector{Kind::isend, Kind::local});
  }
  SECTION("with a damaged slot") {
    script.call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0}).word(static_cast<stream::SlotKind>(200), 1);
    script.call("MPI_Send", {.peer = 2, .bytes = 8, .comm = 0});
    CHECK(kinds(decode(script)) == std::vector{Kind::send});
  }
}

} // namespace decoder_messages_test
