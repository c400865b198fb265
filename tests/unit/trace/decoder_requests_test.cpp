// Requests: what a handle stands for, which message a wildcard took, and what polling means.
#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>

namespace decoder_requests_test {

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

SlotScript started(int size = 4) { return SlotScript().init(size); }

void post_wildcard(SlotScript& script, std::uint64_t request, int tag = stream::kAnyTag) {
  script.call("MPI_Irecv", {.peer = stream::kAnyPeer, .tag = tag, .bytes = 64, .request = request, .comm = 0});
}

// A wildcard receive, and a send that is held back behind it.
SlotScript with_wildcard() {
  auto script = started();
  post_wildcard(script, 0xa);
  script.call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0});
  return script;
}

} // namespace

TEST_CASE("isend, irecv and their waits") {
  auto script = started();
  script.call("MPI_Isend", {.peer = 1, .tag = 2, .bytes = 100, .request = 0xa, .comm = 0});
  script.call("MPI_Irecv", {.peer = 3, .tag = 4, .bytes = 200, .request = 0xb, .comm = 0});
  script.compute(1000).call("MPI_Wait", {.bytes = 0xb}, 70).status(3, 4, 200);
  script.call("MPI_Wait", {.bytes = 0xa}).status(-1, 0, 0);
  script.call("MPI_Wait", {.bytes = 0}); // MPI_REQUEST_NULL
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::isend, Kind::ireceive, Kind::wait, Kind::wait, Kind::local});
  CHECK(ops[0].request != 0);
  CHECK(ops[1].request != ops[0].request);
  CHECK(ops[1].peer == 3);
  CHECK(ops[1].bytes == 200);
  CHECK(ops[2].requests == std::vector{ops[1].request});
  CHECK(near(ops[2].compute, ns(1000)));
  CHECK(near(ops[2].measured, ns(70)));
  CHECK_FALSE(ops[2].polled);
  CHECK(ops[3].requests == std::vector{ops[0].request});
}

TEST_CASE("one handle value for several requests: the oldest first") {
  auto script = started();
  for (const int peer : {1, 2, 3}) script.call("MPI_Isend", {.peer = peer, .bytes = 8, .request = 0xa, .comm = 0});
  script.call("MPI_Wait", {.bytes = 0xa});
  script.call("MPI_Waitall").handles({0xa, 0xa});
  const auto ops = decode(script);
  REQUIRE(ops.size() == 5);
  CHECK(ops[3].requests == std::vector{ops[0].request});
  CHECK(ops[4].requests == std::vector{ops[1].request, ops[2].request});
}

TEST_CASE("a wildcard irecv is known by the call that completed it, and the order stays") {
  auto script = with_wildcard();
  SECTION("MPI_Wait") {
    script.call("MPI_Wait", {.bytes = 0xa}).status(2, 9, 32);
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::send, Kind::wait});
    CHECK(ops[0].peer == 2);
    CHECK(ops[0].tag == 9);
    CHECK(ops[2].requests == std::vector{ops[0].request});
  }
  SECTION("MPI_Waitall") {
    post_wildcard(script, 0xb, 5);
    script.call("MPI_Isend", {.peer = 1, .bytes = 8, .request = 0xc, .comm = 0});
    script.call("MPI_Waitall").handles({0xb, 0, 0xc, 0xa}).statuses({{0, 3, 5, 0, 64}, {3, 1, 6, 0, 64}});
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::send, Kind::ireceive, Kind::isend, Kind::wait});
    CHECK(ops[0].peer == 1);
    CHECK(ops[0].tag == 6);
    CHECK(ops[2].peer == 3);
    CHECK(ops[2].tag == 5);
    CHECK(ops[4].requests == std::vector{ops[2].request, ops[3].request, ops[0].request});
  }
  SECTION("MPI_Testsome") {
    post_wildcard(script, 0xb);
    script.call("MPI_Testsome", {.flags = stream::kFlagFound, .outcome = 1})
        .handles({0xa, 0xb})
        .indices({1, 0})
        .statuses({{1, 1, 4, 0, 64}, {0, 3, 5, 0, 64}});
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::send, Kind::ireceive, Kind::wait});
    CHECK(ops[0].peer == 3);
    CHECK(ops[2].peer == 1);
    CHECK(ops[3].requests == std::vector{ops[2].request, ops[0].request});
    CHECK(ops[3].polled);
  }
  SECTION("nobody") {
    script.call("MPI_Finalize").end();
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::send, Kind::finalize});
    CHECK(ops[0].peer == kUnknownPeer);
  }
}

TEST_CASE("a wildcard irecv that MPI_Waitany completed") {
  auto script = with_wildcard();
  SECTION("MPI_Waitany, one after the other") {
    post_wildcard(script, 0xb);
    script.call("MPI_Waitany", {.outcome = 1}).handles({0xa, 0xb}).status(3, 7, 64);
    script.call("MPI_Waitany", {.outcome = 0}).handles({0xa, 0}).status(2, 8, 64);
    script.call("MPI_Waitany", {.outcome = stream::kOutcomeUndefined}).handles({0, 0});
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::send, Kind::ireceive, Kind::wait, Kind::wait, Kind::local});
    CHECK(ops[0].peer == 2);
    CHECK(ops[2].peer == 3);
    CHECK(ops[3].requests == std::vector{ops[2].request});
    CHECK(ops[4].requests == std::vector{ops[0].request});
  }
  SECTION("MPI_Waitany with an index that needs an extension") {
    script.call("MPI_Waitany", {.outcome = stream::kOutcomeLarge}).handles({0, 0, 0xa}).indices({2}).status(2, 8, 64);
    const auto ops = decode(script);
    REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::send, Kind::wait});
    CHECK(ops[0].peer == 2);
  }
}

TEST_CASE("Waitsome and more handles than one slot holds") {
  auto script = started();
  std::vector<std::uint64_t> handles;
  for (std::uint64_t i = 0; i < 20; ++i) {
    handles.push_back(0x100 + i);
    script.call("MPI_Isend", {.peer = 1, .bytes = 8, .request = handles.back(), .comm = 0});
  }
  script.call("MPI_Waitsome").handles(handles).indices({19, 3, 8, 99}); // 99: damaged
  const auto ops = decode(script);
  REQUIRE(ops.size() == 21);
  CHECK(ops[20].requests == std::vector{ops[19].request, ops[3].request, ops[8].request});
}

TEST_CASE("persistent requests: start, wait, start again, free") {
  auto script = started();
  script.call("MPI_Send_init", {.peer = 1, .tag = 2, .bytes = 100, .request = 0xa, .comm = 0});
  script.call("MPI_Recv_init", {.peer = stream::kAnyPeer, .tag = stream::kAnyTag, .bytes = 100, .request = 0xb, .comm = 0});
  script.call("MPI_Wait", {.bytes = 0xa}); // inactive: returns at once
  script.compute(50).call("MPI_Startall", {}, 30).handles({0xa, 0xb});
  script.call("MPI_Waitall").handles({0xa, 0xb}).statuses({{1, 3, 6, 0, 100}});
  script.call("MPI_Start", {.bytes = 0xb});
  script.call("MPI_Wait", {.bytes = 0xb}).status(2, 7, 100);
  script.call("MPI_Request_free", {.bytes = 0xa});
  script.call("MPI_Start", {.bytes = 0xa}); // wrong, and not our fault
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local, Kind::local, Kind::local, Kind::isend, Kind::ireceive, Kind::wait,
                                    Kind::ireceive, Kind::wait, Kind::local, Kind::local});
  CHECK(near(ops[3].compute, ns(50))); // once, not for each request
  CHECK(near(ops[3].measured, ns(30)));
  CHECK(near(ops[4].compute, 0));
  CHECK(near(ops[4].measured, 0));
  CHECK(ops[3].peer == 1);
  CHECK(ops[3].tag == 2);
  CHECK(ops[3].bytes == 100);
  CHECK(function_infos()[ops[3].function].name == "MPI_Startall");
  CHECK(ops[4].peer == 3);
  CHECK(ops[5].requests == std::vector{ops[3].request, ops[4].request});
  CHECK(ops[6].peer == 2);
  CHECK(ops[6].tag == 7);
  CHECK(ops[6].request != ops[4].request);
  CHECK(ops[7].requests == std::vector{ops[6].request});
}

TEST_CASE("a request that is freed is forgotten, and its handle may come again") {
  auto script = started();
  script.call("MPI_Isend", {.peer = 1, .bytes = 8, .request = 0xa, .comm = 0});
  script.call("MPI_Request_free", {.bytes = 0xa});
  script.call("MPI_Isend", {.peer = 2, .bytes = 8, .request = 0xa, .comm = 0});
  script.call("MPI_Wait", {.bytes = 0xa});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::isend, Kind::forget, Kind::isend, Kind::wait});
  CHECK(ops[1].requests == std::vector{ops[0].request});
  CHECK(ops[3].requests == std::vector{ops[2].request});
}

TEST_CASE("a start that gives a persistent request another handle") {
  auto script = started();
  script.call("MPI_Bsend_init", {.peer = 1, .tag = 2, .bytes = 100, .request = 0xa, .comm = 0});
  script.call("MPI_Bsend_init", {.peer = 2, .tag = 3, .bytes = 200, .request = 0xb, .comm = 0});
  script.call("MPI_Start", {.bytes = 0xa, .request = 0xa});
  script.call("MPI_Wait", {.bytes = 0xa});
  script.call("MPI_Start", {.bytes = 0xa, .request = 0xc});
  script.call("MPI_Wait", {.bytes = 0xc});
  script.call("MPI_Startall").handles({0xc, 0xb}).list(stream::SlotKind::started, std::vector<std::uint64_t>{0xd, 0xb});
  script.call("MPI_Isend", {.peer = 3, .bytes = 8, .request = 0xa, .comm = 0}); // the library uses the old one for another
  script.call("MPI_Waitall").handles({0xd, 0xb});
  script.call("MPI_Startall").handles({0xd, 0xb}); // no list: they stay
  script.call("MPI_Waitall").handles({0xd, 0xb});
  script.call("MPI_Wait", {.bytes = 0xa});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local, Kind::local, Kind::isend, Kind::wait, Kind::isend, Kind::wait, Kind::isend,
                                    Kind::isend, Kind::isend, Kind::wait, Kind::isend, Kind::isend, Kind::wait, Kind::wait});
  CHECK(ops[5].requests == std::vector{ops[4].request});
  CHECK(ops[6].peer == 1);
  CHECK(ops[7].peer == 2);
  CHECK(ops[9].requests == std::vector{ops[6].request, ops[7].request});
  CHECK(ops[12].requests == std::vector{ops[10].request, ops[11].request});
  CHECK(ops[13].requests == std::vector{ops[8].request});
}

TEST_CASE("an active persistent request that is freed") {
  auto script = started();
  script.call("MPI_Send_init", {.peer = 1, .bytes = 8, .request = 0xa, .comm = 0});
  script.call("MPI_Start", {.bytes = 0xa});
  script.call("MPI_Request_free", {.bytes = 0xa});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local, Kind::isend, Kind::forget});
  CHECK(ops[2].requests == std::vector{ops[1].request});
  CHECK(ops[2].freed);
}

TEST_CASE("a cancelled receive is forgotten, one that came too late is waited for") {
  auto script = started();
  script.call("MPI_Irecv", {.peer = 1, .tag = 2, .bytes = 8, .request = 0xa, .comm = 0});
  post_wildcard(script, 0xb);
  script.call("MPI_Irecv", {.peer = 2, .tag = 3, .bytes = 8, .request = 0xc, .comm = 0});
  for (const std::uint64_t request : {0xa, 0xb, 0xc}) script.call("MPI_Cancel", {.bytes = request});
  script.call("MPI_Wait", {.bytes = 0xa}).status(0, 0, 0, true);
  script.call("MPI_Waitall").handles({0xb, 0xc}).statuses({{0, 0, 0, 1, 0}, {1, 2, 3, 0, 8}});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::ireceive, Kind::ireceive, Kind::local, Kind::local, Kind::local,
                                    Kind::forget, Kind::forget, Kind::wait});
  CHECK(ops[1].peer == kUnknownPeer);
  CHECK(ops[6].requests == std::vector{ops[0].request});
  CHECK(ops[7].requests == std::vector{ops[1].request});
  CHECK_FALSE(ops[7].freed);
  CHECK(ops[8].requests == std::vector{ops[2].request});
}

TEST_CASE("MPI_Isendrecv: one request for two messages") {
  auto script = started();
  script.call("MPI_Isendrecv", {.peer = 1, .tag = 3, .bytes = 100, .request = 0xa, .comm = 0}, 20)
      .receive_half(200, stream::kAnyPeer, 4);
  script.call("MPI_Wait", {.bytes = 0xa}).status(2, 4, 150);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::isend, Kind::ireceive, Kind::wait});
  CHECK(ops[0].peer == 1);
  CHECK(ops[0].bytes == 100);
  CHECK(ops[1].peer == 2);
  CHECK(ops[1].bytes == 200);
  CHECK(near(ops[1].measured, 0)); // counted with the first half
  CHECK(ops[2].requests == std::vector{ops[0].request, ops[1].request});
}

TEST_CASE("polls that never found anything, and one that found something at once") {
  auto script = started();
  script.call("MPI_Irecv", {.peer = 1, .tag = 2, .bytes = 8, .request = 0xa, .comm = 0});
  script.compute(100).call("MPI_Test", {.bytes = 0xa}, 20);
  script.call("MPI_Test", {.bytes = 0xa, .flags = stream::kFlagRow}, 300).fold(4, 60);
  script.compute(300).call("MPI_Test", {.bytes = 0xa, .flags = stream::kFlagFound, .outcome = 1}, 20).status(1, 2, 8);
  script.compute(50).call("MPI_Test", {.bytes = 0, .flags = stream::kFlagFound, .outcome = 1}, 20); // MPI_REQUEST_NULL
  const auto ops = decode(script, 4, 0, 2);
  REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::poll, Kind::poll, Kind::wait, Kind::poll});
  CHECK(near(ops[1].compute, ns(100)));
  CHECK(near(ops[1].measured, ns(18)));
  CHECK(near(ops[2].compute, ns(60)));
  CHECK(near(ops[2].measured, ns(232)));
  CHECK(near(ops[3].compute, ns(300)));
  CHECK(near(ops[3].measured, ns(18)));
  CHECK(near(ops[4].compute, ns(50)));
  CHECK(near(ops[4].measured, ns(18)));
}

TEST_CASE("Iprobe: a row that ends with a message is a probe that waited") {
  auto script = started();
  script.compute(70).call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = stream::kAnyTag, .comm = 0}, 10);
  script.compute(4)
      .call("MPI_Iprobe",
            {.peer = stream::kAnyPeer,
             .tag = stream::kAnyTag,
             .comm = 0,
             .flags = stream::kFlagFound | stream::kFlagRepeat,
             .outcome = 1},
            80)
      .status(3, 6, 128);
  script.call("MPI_Improbe", {.peer = 2, .tag = 1, .comm = 0, .flags = stream::kFlagFound, .outcome = 1})
      .status(2, 1, 48)
      .word(stream::SlotKind::message, 0xcc);
  script.call("MPI_Mrecv", {.bytes = 0xcc}).status(2, 1, 48);
  script.call("MPI_Iprobe", {.peer = 2, .tag = 1, .comm = 0});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local, Kind::probe, Kind::probe, Kind::receive, Kind::poll});
  CHECK(near(ops[0].compute, ns(70)));
  CHECK(near(ops[1].compute, 0));
  CHECK(near(ops[1].measured, ns(10)));
  CHECK(ops[1].polled);
  CHECK(ops[1].peer == 3);
  CHECK(ops[1].tag == 6);
  CHECK(ops[3].peer == 2);
  CHECK(ops[3].bytes == 48);
}

TEST_CASE("Testany and Testall") {
  auto script = started();
  post_wildcard(script, 0xa);
  post_wildcard(script, 0xb);
  script.call("MPI_Testany").handles({0xa, 0xb});
  script.call("MPI_Testany", {.flags = stream::kFlagFound, .outcome = 1}).handles({0xa, 0xb}).status(2, 5, 8);
  script.call("MPI_Testall", {.flags = stream::kFlagFound, .outcome = 1}).handles({0xa, 0}).statuses({{0, 3, 6, 0, 8}});
  script.call("MPI_Testany", {.flags = stream::kFlagFound, .outcome = stream::kOutcomeUndefined})
      .handles({0, 0}); // no active request
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::ireceive, Kind::local, Kind::wait, Kind::wait, Kind::poll});
  CHECK(ops[0].peer == 3);
  CHECK(ops[1].peer == 2);
  CHECK(ops[3].requests == std::vector{ops[1].request});
  CHECK(ops[4].requests == std::vector{ops[0].request});
}

TEST_CASE("MPI_Request_get_status completes nothing") {
  auto script = started();
  script.call("MPI_Isend", {.peer = 1, .bytes = 8, .request = 0xa, .comm = 0});
  script.call("MPI_Request_get_status", {.bytes = 0xa, .flags = stream::kFlagFound, .outcome = 1});
  script.call("MPI_Wait", {.bytes = 0xa});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::isend, Kind::poll, Kind::wait});
  CHECK(ops[2].requests == std::vector{ops[0].request});
}

TEST_CASE("requests of calls that are not modelled take no time to wait for") {
  auto script = started();
  script.call("MPI_Rput", {.peer = 1, .bytes = 8, .request = 0xa});
  script.call("MPI_Wait", {.bytes = 0xa}, 60);
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local, Kind::local});
  CHECK(near(ops[1].measured, ns(60)));
}

TEST_CASE("a generalized request is complete when its program says so") {
  auto script = started();
  script.call("MPI_Grequest_start", {.request = 0xa});
  script.call("MPI_Grequest_start", {.request = 0xb});
  script.compute(200).call("MPI_Grequest_complete", {.bytes = 0xb});
  script.call("MPI_Grequest_complete", {.bytes = 0xc}); // unknown
  script.call("MPI_Wait", {.bytes = 0xb});
  const auto ops = decode(script);
  REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::ireceive, Kind::isend, Kind::local, Kind::wait});
  CHECK((ops[1].peer == 0 && ops[2].peer == 0)); // the rank itself
  CHECK((ops[1].tag == ops[2].tag && ops[0].tag != ops[1].tag));
  CHECK(ops[1].communicator == ops[2].communicator);
  CHECK(ops[2].bytes == 0);
  CHECK(near(ops[2].compute, ns(200)));
  CHECK(ops[4].requests == std::vector{ops[1].request});
}

} // namespace decoder_requests_test
