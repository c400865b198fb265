// One-sided communication: accesses as transfers, completed by what synchronises their window.
#include <catch2/catch.hpp>
#include <unit/trace/decoded.h>

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

constexpr std::uint64_t kWindow = 0x90;

// A window of a communicator whose ranks are the world's in reverse.
SlotScript with_window() {
  auto script = SlotScript().init(4);
  script.call("MPI_Comm_split", {.request = 6, .comm = 0}).members(6, {{3, -1, 4}});
  script.call("MPI_Win_create", {.request = kWindow, .comm = 6});
  return script;
}

std::vector<Operation> after_creation(const SlotScript& script) {
  auto ops = decode(script);
  REQUIRE(ops.size() >= 2);
  ops.erase(ops.begin(), ops.begin() + 2);
  return ops;
}

} // namespace

TEST_CASE("put, get and exchange move their bytes in their directions, until the fence") {
  auto script = with_window();
  script.call("MPI_Put", {.peer = 0, .bytes = 100, .request = kWindow});
  script.call("MPI_Get", {.peer = 1, .bytes = 200, .request = kWindow});
  script.call("MPI_Get_accumulate", {.peer = 2, .bytes = 300, .request = kWindow, .result_bytes = 400});
  script.call("MPI_Fetch_and_op", {.peer = 2, .bytes = 8, .request = kWindow});
  script.compute(70).call("MPI_Win_fence", {.request = kWindow}, 30);
  const auto ops = after_creation(script);
  REQUIRE(kinds(ops) ==
          std::vector{Kind::transfer, Kind::transfer, Kind::transfer, Kind::transfer, Kind::wait, Kind::collective});
  CHECK(ops[0].peer == 3);
  CHECK(ops[0].bytes == 100);
  CHECK(ops[0].reply_bytes == kNoReply);
  CHECK(ops[1].peer == 2);
  CHECK(ops[1].bytes == 0);
  CHECK(ops[1].reply_bytes == 200);
  CHECK(ops[2].bytes == 300);
  CHECK(ops[2].reply_bytes == 400);
  CHECK(ops[3].bytes == 8);
  CHECK(ops[3].reply_bytes == 8);
  CHECK(ops[4].requests == std::vector{ops[0].request, ops[1].request, ops[2].request, ops[3].request});
  CHECK(near(ops[4].compute, ns(70)));
  CHECK(near(ops[5].compute, 0)); // counted with the first half
  CHECK(ops[4].times + ops[5].times == 1);
}

TEST_CASE("a flush completes the accesses to its target, and each once") {
  auto script = with_window();
  script.call("MPI_Put", {.peer = 0, .bytes = 1, .request = kWindow});
  script.call("MPI_Put", {.peer = 1, .bytes = 2, .request = kWindow});
  script.call("MPI_Win_flush", {.peer = 1, .request = kWindow});
  script.call("MPI_Win_flush", {.peer = 1, .request = kWindow}); // nothing is left
  script.call("MPI_Win_unlock_all", {.request = kWindow});
  const auto ops = after_creation(script);
  REQUIRE(kinds(ops) ==
          std::vector{Kind::transfer, Kind::transfer, Kind::wait, Kind::local, Kind::local, Kind::wait, Kind::local});
  CHECK(ops[2].requests == std::vector{ops[1].request});
  CHECK(ops[5].requests == std::vector{ops[0].request});
}

TEST_CASE("a lock asks its target, lock_all the window's first rank, and unlocking lets go") {
  auto script = with_window();
  script.compute(50).call("MPI_Win_lock", {.peer = 3, .tag = stream::kLockExclusive, .request = kWindow});
  script.call("MPI_Win_lock", {.peer = 2, .tag = stream::kLockShared, .request = kWindow});
  script.call("MPI_Put", {.peer = 3, .bytes = 8, .request = kWindow});
  script.call("MPI_Win_unlock", {.peer = 3, .request = kWindow});
  script.call("MPI_Win_unlock", {.peer = 2, .request = kWindow});
  script.call("MPI_Win_unlock", {.peer = 2, .request = kWindow}); // nothing is held
  script.call("MPI_Win_lock_all", {.tag = stream::kLockShared, .request = kWindow});
  script.call("MPI_Win_unlock_all", {.request = kWindow});
  const auto ops = after_creation(script);
  REQUIRE(kinds(ops) == std::vector{Kind::transfer, Kind::wait, Kind::transfer, Kind::wait, Kind::transfer, Kind::wait,
                                    Kind::transfer, Kind::transfer, Kind::local, Kind::transfer, Kind::wait, Kind::transfer});
  CHECK(ops[0].peer == 0);
  CHECK(ops[0].reply_bytes == 0);
  CHECK(ops[0].lock == Lock::exclusive);
  CHECK(near(ops[0].compute, ns(50)));
  CHECK(ops[1].requests == std::vector{ops[0].request});
  CHECK(near(ops[1].compute, 0));
  CHECK(ops[2].lock == Lock::shared);
  CHECK(ops[5].requests == std::vector{ops[4].request}); // the access, before the lock is given up
  CHECK((ops[6].lock == Lock::exclusive && ops[6].peer == 0 && ops[6].reply_bytes == kNoReply && ops[6].request == 0));
  CHECK((ops[7].lock == Lock::shared && ops[7].peer == 1));
  CHECK((ops[9].lock == Lock::all && ops[9].peer == 3 && ops[9].reply_bytes == 0));
  CHECK((ops[11].lock == Lock::all && ops[11].peer == 3 && ops[11].reply_bytes == kNoReply));
  for (const std::size_t at : {2U, 6U, 9U, 11U})
    CHECK((ops[at].communicator == ops[0].communicator && ops[at].tag == ops[0].tag));
  std::uint64_t calls = 0;
  for (const Operation& operation : ops) calls += operation.times;
  CHECK(calls == 8);
}

TEST_CASE("locks that nobody checks, or whose kind an older record does not say, hold up nobody") {
  auto script = with_window();
  for (const std::int32_t tag : {stream::kLockUnchecked, 0}) {
    script.call("MPI_Win_lock", {.peer = 3, .tag = tag, .request = kWindow});
    script.call("MPI_Win_unlock", {.peer = 3, .request = kWindow});
    script.call("MPI_Win_lock_all", {.tag = tag, .request = kWindow});
    script.call("MPI_Win_unlock_all", {.request = kWindow});
  }
  const auto ops = after_creation(script);
  REQUIRE(kinds(ops) == std::vector{Kind::local, Kind::local, Kind::local, Kind::local, Kind::transfer, Kind::wait, Kind::local,
                                    Kind::local, Kind::local});
  CHECK(ops[4].lock == Lock::none); // it asks its target, at least
}

TEST_CASE("an access with a request of its own") {
  auto script = with_window();
  script.call("MPI_Rput", {.peer = 2, .bytes = 64, .request = 0xa}).list(stream::SlotKind::handles, std::vector{kWindow});
  script.call("MPI_Wait", {.bytes = 0xa});
  const auto ops = after_creation(script);
  REQUIRE(kinds(ops) == std::vector{Kind::transfer, Kind::wait});
  CHECK(ops[0].bytes == 64);
  CHECK(ops[1].requests == std::vector{ops[0].request});
}

TEST_CASE("windows that nobody created, targets that are nobody") {
  auto script = with_window();
  script.call("MPI_Put", {.peer = 0, .bytes = 100, .request = 0x77});
  script.call("MPI_Put", {.peer = stream::kNoPeer, .bytes = 100, .request = kWindow});
  script.call("MPI_Rget", {.peer = 0, .bytes = 64, .request = 0xa}); // without its window
  script.call("MPI_Wait", {.bytes = 0xa});
  script.call("MPI_Win_flush", {.peer = 0, .request = 0x77});
  script.call("MPI_Win_fence", {.request = kWindow});
  const auto ops = after_creation(script);
  CHECK(kinds(ops) == std::vector{Kind::local, Kind::local, Kind::local, Kind::local, Kind::local, Kind::collective});
}

TEST_CASE("post, start, complete and wait are messages between the groups") {
  auto script = with_window();
  script.call("MPI_Win_post", {.request = kWindow}).group({{1, 1, 2}});
  script.call("MPI_Win_start", {.request = kWindow}).group({{3, 1, 1}});
  script.call("MPI_Put", {.peer = 3, .bytes = 100, .request = kWindow});
  script.call("MPI_Win_complete", {.request = kWindow});
  script.call("MPI_Win_wait", {.request = kWindow});
  script.call("MPI_Win_wait", {.request = kWindow}); // no epoch is open
  const auto ops = after_creation(script);
  REQUIRE(kinds(ops) == std::vector{Kind::isend, Kind::isend, Kind::ireceive, Kind::wait, Kind::transfer, Kind::wait, Kind::isend,
                                    Kind::ireceive, Kind::ireceive, Kind::wait, Kind::local});
  CHECK((ops[0].peer == 1 && ops[1].peer == 2 && ops[2].peer == 3 && ops[6].peer == 3));
  CHECK((ops[7].peer == 1 && ops[8].peer == 2));
  CHECK(ops[0].tag == ops[2].tag);
  CHECK(ops[6].tag == ops[7].tag);
  CHECK(ops[0].tag != ops[6].tag);
  CHECK(ops[0].bytes == 0);
  CHECK(ops[3].requests == std::vector{ops[2].request});
  CHECK(ops[5].requests == std::vector{ops[4].request}); // the access
  CHECK(ops[9].requests == std::vector{ops[7].request, ops[8].request});
  std::uint64_t calls = 0;
  for (const Operation& operation : ops) calls += operation.times;
  CHECK(calls == 6);
}

TEST_CASE("windows of one communicator have epochs of their own, and a record without groups takes its measured time") {
  auto script = with_window();
  script.call("MPI_Win_create", {.request = 0x99, .comm = 6});
  script.call("MPI_Win_post", {.request = kWindow}).group({{1, 1, 1}});
  script.call("MPI_Win_post", {.request = 0x99}).group({{1, 1, 1}});
  script.call("MPI_Win_start", {.request = 0x99});
  const auto ops = after_creation(script);
  REQUIRE(kinds(ops) == std::vector{Kind::collective, Kind::isend, Kind::isend, Kind::local});
  CHECK(ops[1].tag != ops[2].tag);
}

TEST_CASE("what is modelled of one-sided communication") {
  const auto unmodelled = [](const std::string& name) {
    for (const FunctionInfo& info : function_infos()) {
      if (info.name == name) return info.unmodelled;
    }
    FAIL(name << " is not in the table");
    return false;
  };
  for (const char* name :
       {"MPI_Put", "MPI_Rget_accumulate", "MPI_Win_fence", "MPI_Win_lock", "MPI_Win_lock_all", "MPI_Win_flush_local"})
    CHECK_FALSE(unmodelled(name));
  for (const char* name : {"MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait"}) CHECK_FALSE(unmodelled(name));
  CHECK(unmodelled("MPI_Win_test"));
}
