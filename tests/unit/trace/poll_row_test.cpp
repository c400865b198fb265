// Rows of polls: waiting, or work that takes its time.
#include "predictor/trace/poll_row.h"

#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>

namespace poll_row_test {

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

SlotScript started(int size = 4) { return SlotScript().init(size); }

// Those of `kind` together: computation before them, time in them, number.
Operation sum_of(const std::vector<Operation>& operations, OperationKind kind) {
  Operation sum;
  sum.times = 0;
  for (const Operation& operation : operations) {
    if (operation.kind != kind) continue;
    sum.compute += operation.compute;
    sum.measured += operation.measured;
    sum.times += operation.times;
  }
  return sum;
}

} // namespace

TEST_CASE("a row of polls that ends in its event is waiting: its first computation is all that it keeps") {
  auto script = started();
  script.call("MPI_Irecv", {.peer = 1, .tag = 2, .bytes = 8, .request = 0xa, .comm = 0});
  script.compute(400).call("MPI_Test", {.bytes = 0xa}, 30);
  script.call("MPI_Test", {.bytes = 0xa, .flags = stream::kFlagRow}, 5000).fold(10, 900);
  script.compute(70)
      .call("MPI_Test", {.bytes = 0xa, .flags = stream::kFlagFound | stream::kFlagRepeat, .outcome = 1}, 40)
      .status(1, 2, 8);
  const auto ops = decode(script, 4, 10);
  REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::local, Kind::local, Kind::wait});
  CHECK(near(ops[1].compute, ns(390)));
  CHECK(ops[1].times == 1);
  CHECK(near(ops[1].measured, 0));
  CHECK(near(ops[2].compute, 0));
  CHECK(ops[2].times == 10);
  CHECK(near(ops[2].measured, 0));
  CHECK(near(ops[3].compute, 0));
  CHECK(near(ops[3].measured, ns(40))); // one poll
  CHECK(ops[3].polled);
  CHECK(ops[3].requests == std::vector{ops[0].request});
}

TEST_CASE("polls with more computation between them than they take are work") {
  auto script = started();
  script.call("MPI_Irecv", {.peer = 1, .tag = 2, .bytes = 8, .request = 0xa, .comm = 0});
  script.compute(400).call("MPI_Test", {.bytes = 0xa}, 30);
  script.call("MPI_Test", {.bytes = 0xa, .flags = stream::kFlagRow}, 5000).fold(10, 4900);
  script.compute(70)
      .call("MPI_Test", {.bytes = 0xa, .flags = stream::kFlagFound | stream::kFlagRepeat, .outcome = 1}, 40)
      .status(1, 2, 8);
  const auto ops = decode(script, 4, 10);
  REQUIRE(kinds(ops) == std::vector{Kind::ireceive, Kind::poll, Kind::poll, Kind::wait});
  CHECK(near(ops[1].compute, ns(390)));
  CHECK(near(ops[1].measured, ns(30)));
  CHECK(near(ops[2].compute, ns(4800))); // 4900 less the overhead of ten calls
  CHECK(near(ops[2].measured, ns(100)));
  CHECK(ops[2].times == 10);
  CHECK_FALSE(ops[2].probes);
  CHECK(near(ops[3].compute, ns(60)));          // the row ends where its last call ended
  CHECK(near(ops[3].measured, ns(130.0 / 11))); // a poll; the rest was handling of what came
}

TEST_CASE("how long a program works between two looks is learnt where it looked in vain") {
  auto script = started();
  const auto probe = [&script](std::uint64_t looks_in_vain, std::uint64_t work) {
    script.compute(700).call("MPI_Iprobe", {.peer = 1, .tag = 3, .comm = 0, .site = 0x2000}, 30);
    for (std::uint64_t i = 1; i < looks_in_vain; ++i)
      script.compute(work).call("MPI_Iprobe", {.peer = 1, .tag = 3, .comm = 0, .site = 0x2000}, 30);
    script.compute(work)
        .call("MPI_Iprobe", {.peer = 1, .tag = 3, .comm = 0, .site = 0x2000, .flags = stream::kFlagFound}, 30)
        .status(1, 3, 8);
    script.compute(5).call("MPI_Recv", {.peer = 1, .tag = 3, .bytes = 8, .comm = 0}, 40).status(1, 3, 8);
  };
  const auto at_once = [&script](std::uint64_t site) {
    script.compute(700).call("MPI_Iprobe", {.peer = 1, .tag = 3, .comm = 0, .site = site, .flags = stream::kFlagFound}, 30);
    script.status(1, 3, 8);
    script.compute(5).call("MPI_Recv", {.peer = 1, .tag = 3, .bytes = 8, .comm = 0}, 40).status(1, 3, 8);
  };
  at_once(0x2000); // nothing is known yet
  probe(1, 1000);
  probe(3, 2000);
  at_once(0x2000);
  at_once(0x3000); // of that site nothing is known
  probe(20, 10);   // waits by polling alone, which is little beside the rest
  const auto ops = decode(script, 4, 10);
  std::vector<base::Seconds> between;
  for (const Operation& operation : ops)
    if (operation.kind == Kind::probe) between.push_back(operation.between_looks);
  REQUIRE(between.size() == 6);
  CHECK(near(between[0], 0));
  CHECK(near(between[1], ns(990))); // less the overhead of a call
  CHECK(near(between[2], ns((990 + 3 * 1990) / 4.0)));
  CHECK(near(between[3], ns((990 + 3 * 1990) / 4.0)));
  CHECK(near(between[4], 0));
  CHECK(near(between[5], 0));
}

TEST_CASE("polls that find nothing take their time") {
  auto script = started();
  SECTION("whatever follows") {
    script.compute(100).call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 3, .comm = 0}, 20);
    script.call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 3, .comm = 0, .flags = stream::kFlagRow}, 260000)
        .fold(2000, 60000);
    script.compute(30).call("MPI_Send", {.peer = 1, .bytes = 8, .comm = 0});
  }
  SECTION("when the stream ends") {
    script.compute(100).call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 3, .comm = 0}, 20);
    script.call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 3, .comm = 0, .flags = stream::kFlagRow}, 260000)
        .fold(2000, 60000);
  }
  SECTION("when another message is found") {
    script.compute(100).call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 3, .comm = 0}, 20);
    script.call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 3, .comm = 0, .flags = stream::kFlagRow}, 260000)
        .fold(2000, 60000);
    script.compute(15).call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 4, .comm = 0, .site = 0x2000}, 20);
    script.call("MPI_Iprobe", {.peer = stream::kAnyPeer, .tag = 4, .comm = 0, .site = 0x2000, .flags = stream::kFlagFound}, 20)
        .status(1, 4, 8);
  }
  const auto ops = decode(script);
  const Operation polls = sum_of(ops, Kind::poll);
  CHECK(polls.times == 2001);
  CHECK(near(polls.compute, ns(60100)));
  CHECK(near(polls.measured, ns(200020)));
  REQUIRE(!ops.empty());
  CHECK(ops[0].probes);
  if (ops.back().kind == Kind::probe) { // of the polls for the other one, only what came before them is left
    const Operation rest = sum_of(ops, Kind::local);
    CHECK(rest.times == 1);
    CHECK(near(rest.compute, ns(15)));
    CHECK(near(rest.measured, 0));
  }
}

TEST_CASE("local calls do not end a row of polls; long ones are computation") {
  const std::uint64_t pack = GENERATE(40, 4000);
  auto script = started();
  script.call("MPI_Irecv", {.peer = 1, .tag = 2, .bytes = 8, .request = 0xa, .comm = 0});
  for (int i = 0; i < 1000; ++i) {
    script.compute(10).call("MPI_Test", {.bytes = 0xa, .site = 0x2000}, 100);
    script.compute(10).call("MPI_Wtime", {.site = 0x2008}, 40);
    script.compute(10).call("MPI_Comm_rank", {.comm = 0, .site = 0x2010}, 40);
    script.compute(10).call("MPI_Pack", {.comm = 0, .site = 0x2018}, pack);
  }
  script.compute(10)
      .call("MPI_Test", {.bytes = 0xa, .site = 0x2000, .flags = stream::kFlagFound, .outcome = 1}, 150)
      .status(1, 2, 8);
  const auto ops = decode(script);
  CHECK(ops.size() < 10); // those of a site are one
  CHECK(ops.back().kind == Kind::wait);
  double compute = 0, measured = 0;
  std::uint64_t times = 0;
  for (const Operation& operation : ops) {
    compute += operation.compute.value();
    measured += operation.measured.value();
    times += operation.times;
  }
  CHECK(times == 4002);
  if (pack == 40) {
    CHECK(compute == Approx(ns(10)));
    CHECK(measured == Approx(ns(10 + 100))); // the receive's and one poll
  } else {
    CHECK(compute == Approx(ns(40010)));
    CHECK(measured == Approx(ns(10 + 1000 * (180 + 4000) + 100)));
  }
}

TEST_CASE("requests polled in turn: null ones do not end the row, and it begins with the one that is found") {
  auto script = started();
  script.call("MPI_Irecv", {.peer = 1, .tag = 2, .bytes = 8, .request = 0xa, .comm = 0});
  script.call("MPI_Irecv", {.peer = 2, .tag = 2, .bytes = 8, .request = 0xb, .comm = 0});
  for (int i = 0; i < 50; ++i) {
    script.compute(5).call("MPI_Test", {.bytes = 0xb, .site = 0x2000}, 50);
    script.compute(5).call("MPI_Test", {.bytes = 0, .site = 0x2000, .flags = stream::kFlagFound, .outcome = 1}, 20);
    script.compute(5).call("MPI_Test", {.bytes = 0xa, .site = 0x2000}, 50);
  }
  script.compute(5).call("MPI_Test", {.bytes = 0xb, .site = 0x2000}, 50);
  script.compute(5)
      .call("MPI_Test", {.bytes = 0xa, .site = 0x2000, .flags = stream::kFlagFound, .outcome = 1}, 50)
      .status(1, 2, 8);
  script.call("MPI_Wait", {.bytes = 0xb}).status(2, 2, 8);
  const auto ops = decode(script);
  REQUIRE(ops.size() >= 5);
  const Operation before = sum_of(ops, Kind::poll); // the first of 0xb, and of the null one: 0xa had not been asked for
  CHECK(before.times == 2);
  CHECK(near(before.measured, ns(70)));
  CHECK(near(before.compute, ns(10)));
  const Operation waited = sum_of(ops, Kind::local);
  CHECK(waited.times == 149);
  CHECK(near(waited.measured, 0));
  CHECK(near(waited.compute, ns(5)));
  CHECK(ops[ops.size() - 2].kind == Kind::wait);
  CHECK(ops[ops.size() - 2].requests == std::vector{ops[0].request});
  std::uint64_t times = 0;
  for (const Operation& operation : ops) times += operation.times;
  CHECK(times == 2 + 150 + 3);
}

TEST_CASE("polls for ever new things are held back up to a bound") {
  auto script = started();
  constexpr std::uint64_t kPolls = 2 * PollRow::kMostParts + 10;
  for (std::uint64_t tag = 0; tag < kPolls; ++tag)
    script.compute(1).call("MPI_Iprobe", {.peer = 1, .tag = static_cast<int>(tag), .comm = 0}, 2);
  const auto ops = decode(script);
  std::uint64_t times = 0;
  double measured = 0;
  for (const Operation& operation : ops) {
    times += operation.times;
    measured += operation.measured.value();
  }
  CHECK(times == kPolls);
  CHECK(measured == Approx(ns(2.0 * kPolls)));
}

TEST_CASE("threads: polls at the end of a stream are not lost while another thread goes on") {
  SlotScript main = started(1);
  main.ticket(1);
  SlotScript other;
  main.compute(10).call("MPI_Iprobe", {.peer = 0, .tag = 3, .comm = 0}, 20).ticket(2);
  other.compute(10).call("MPI_Send", {.peer = stream::kNoPeer, .comm = 0}, 5).ticket(3);
  other.compute(10).call("MPI_Send", {.peer = stream::kNoPeer, .comm = 0}, 5).ticket(4);
  const DecodedRun run({{main, other}});
  REQUIRE(run.timelines() == 2);
  REQUIRE(run[0].size() == 2);
  CHECK(run[0][1].kind == Kind::poll);
  CHECK(near(run[0][1].measured, ns(20)));
  CHECK(run[1].size() == 2);
}

} // namespace poll_row_test
