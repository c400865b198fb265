#include "predictor/trace/call_reader.h"

#include <catch2/catch.hpp>
#include <unit/trace/slot_script.h>

using namespace farcast::trace;
namespace stream = farcast::stream;

namespace {

class Calls {
public:
  explicit Calls(const SlotScript& script) : spill_(1 << 20), stream_(spill_) {
    stream_.append(script.slots());
    stream_.close();
    CallReader reader(stream_);
    RecordedCall call;
    while (reader.next(call)) calls.push_back(call);
    CHECK_FALSE(reader.next(call)); // the end stays the end
    corrupt = reader.corrupt();
    slots_read = reader.slots_read();
  }
  std::vector<RecordedCall> calls;
  bool corrupt = false;
  std::uint64_t slots_read = 0;

private:
  SpillFile spill_;
  SlotStream stream_;
};

} // namespace

TEST_CASE("an empty stream, and one that only ends") {
  CHECK(Calls(SlotScript()).calls.empty());
  SlotScript script;
  script.end();
  const Calls got(script);
  CHECK(got.calls.empty());
  CHECK(got.slots_read == 1);
  CHECK_FALSE(got.corrupt);
}

TEST_CASE("extensions go to their call and to no other") {
  SlotScript script;
  script.call("MPI_Waitall").handles({1, 2, 3, 4, 5, 6, 7, 8, 9}).statuses({{0, 1, 2, 0, 3}, {4, 5, 6, 1, 7}, {8, 1, 1, 0, 1}});
  script.call("MPI_Waitsome").indices({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9});
  script.call("MPI_Sendrecv")
      .receive_half(100, 2, 3)
      .word(stream::SlotKind::region_cpu, 44)
      .ticket(5)
      .list(stream::SlotKind::region_aside, std::vector<std::uint64_t>{6, 7});
  script.call("MPI_Mprobe")
      .word(stream::SlotKind::message, 77)
      .list(stream::SlotKind::counters, std::vector<std::uint64_t>{9, 8, 7, 6, 5, 4, 3, 2, 1});
  script.call("MPI_Test").fold(10, 20).list(stream::SlotKind::stack, std::vector<std::uint64_t>{11, 12, 13}).end();
  const Calls got(script);
  REQUIRE(got.calls.size() == 5);
  CHECK_FALSE(got.corrupt);
  CHECK(got.slots_read == script.slots().size());
  CHECK(got.calls[0].handles == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  REQUIRE(got.calls[0].statuses.size() == 3);
  CHECK(got.calls[0].statuses[1].bytes == 7);
  CHECK(got.calls[0].statuses[1].cancelled == 1);
  CHECK(got.calls[1].handles.empty());
  CHECK(got.calls[1].statuses.empty());
  CHECK_FALSE(got.calls[1].has_statuses);
  CHECK(got.calls[1].indices == std::vector<std::uint32_t>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9});
  REQUIRE(got.calls[2].receive_half);
  CHECK(got.calls[2].receive_half->source == 2);
  CHECK(got.calls[2].region_cpu_ns == 44u);
  CHECK(got.calls[2].ticket == 5u);
  REQUIRE(got.calls[2].region_aside);
  CHECK(got.calls[2].region_aside->ns == 6);
  CHECK(got.calls[2].region_aside->own_ns == 7);
  CHECK_FALSE(got.calls[2].call_aside);
  CHECK_FALSE(got.calls[3].region_aside);
  CHECK(got.calls[3].message == 77u);
  CHECK_FALSE(got.calls[3].receive_half);
  CHECK(got.calls[3].counters == std::vector<std::uint64_t>{9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(got.calls[4].counters.empty());
  CHECK_FALSE(got.calls[3].ticket);
  REQUIRE(got.calls[4].fold);
  CHECK(got.calls[4].fold->compute_ticks == 20);
  CHECK(got.calls[4].stack == std::vector<std::uint64_t>{11, 12, 13});
}

TEST_CASE("a poll that is repeated brings the requests of its first call") {
  SlotScript script;
  script.call("MPI_Testany", {.bytes = 1, .site = 9}).handles({1, 2});
  script.call("MPI_Testany", {.bytes = 2, .site = 9}).handles({3, 4});
  script.call("MPI_Testany", {.bytes = 1, .site = 8}).handles({5, 6});
  script.call("MPI_Testany", {.bytes = 2, .site = 9}).handles({3, 7}); // noted again
  script.call("MPI_Waitall", {.bytes = 1, .site = 9}).handles({8, 8}); // waits for what it waits for
  const auto repeat = [&](std::uint64_t key, std::uint64_t site, int count) {
    script.call("MPI_Testany", {.peer = count, .bytes = key, .site = site, .flags = stream::kFlagFound | stream::kFlagRepeat});
  };
  repeat(1, 9, 2);
  repeat(1, 8, 2);
  repeat(2, 9, 2);
  repeat(3, 9, 2); // nobody knows it
  script.call("MPI_Testall", {.bytes = 4, .site = 9}).handles({1});
  script.call("MPI_Testsome", {.bytes = 5, .site = 9}).handles({1});
  repeat(1, 9, 2); // beyond what can be open
  repeat(2, 9, 2);
  script.end();
  const Calls got(script);
  REQUIRE(got.calls.size() == 13);
  CHECK(got.calls[5].handles == std::vector<std::uint64_t>{1, 2});
  CHECK(got.calls[6].handles == std::vector<std::uint64_t>{5, 6});
  CHECK(got.calls[7].handles == std::vector<std::uint64_t>{3, 7});
  CHECK(got.calls[8].handles.empty());
  CHECK(got.calls[11].handles.empty());
  CHECK(got.calls[12].handles == std::vector<std::uint64_t>{3, 7});
}

TEST_CASE("groups: ranges are spread, slots of one list are joined") {
  SlotScript script;
  script.call("MPI_Comm_create");
  script.members(3, {{0, 1, 3}, {10, -2, 4}, {20, 0, 1}, {30, 5, 2}, {50, 1, 1}});
  script.remote_members(3, {{7, 1, 1}});
  script.members(4, {{1, 1, 1}});
  const Calls got(script);
  REQUIRE(got.calls.size() == 1);
  REQUIRE(got.calls[0].groups.size() == 3);
  CHECK(got.calls[0].groups[0].ranks == std::vector{0, 1, 2, 10, 8, 6, 4, 20, 30, 35, 50});
  CHECK(got.calls[0].groups[1].kind == stream::SlotKind::remote_members);
  CHECK(got.calls[0].groups[1].ranks == std::vector{7});
  CHECK(got.calls[0].groups[2].comm == 4);
}

TEST_CASE("definitions before the first call come with it") {
  SlotScript script;
  script.members(0, {{0, 1, 2}}).members(1, {{0, 1, 1}});
  script.call("MPI_Send");
  script.call("MPI_Recv");
  const Calls got(script);
  REQUIRE(got.calls.size() == 2);
  REQUIRE(got.calls[0].groups.size() == 2);
  CHECK(got.calls[0].groups[0].ranks == std::vector{0, 1});
  CHECK(got.calls[1].groups.empty());
}

TEST_CASE("a slot that cannot be ends the stream") {
  SlotScript script;
  script.call("MPI_Send");
  SECTION("unknown kind") { script.word(static_cast<stream::SlotKind>(99), 0); }
  SECTION("kind 0") { script.word(stream::SlotKind::invalid, 0); }
  SECTION("a group of four thousand million ranks") { script.members(3, {{0, 1, 0xffffffff}}); }
  SECTION("many large groups under one name") {
    for (int i = 0; i < 300; ++i) script.members(3, {{0, 0, 1u << 16}});
  }
  SECTION("ranks beyond 32 bits") { script.members(3, {{0x7fffffff, 0x7fffffff, 3}}); }
  script.call("MPI_Recv");
  script.call("MPI_Recv");
  const Calls got(script);
  CHECK(got.corrupt);
  CHECK(got.calls.size() == 1); // the call before the damage
}

TEST_CASE("damage before the first call") {
  SlotScript script;
  script.word(static_cast<stream::SlotKind>(99), 0);
  script.call("MPI_Send");
  const Calls got(script);
  CHECK(got.corrupt);
  CHECK(got.calls.empty());
}

TEST_CASE("counts beyond a slot's room are cut") {
  SlotScript script;
  script.call("MPI_Waitall");
  for (const auto kind :
       {stream::SlotKind::handles, stream::SlotKind::send_counts, stream::SlotKind::receive_counts, stream::SlotKind::stack,
        stream::SlotKind::statuses, stream::SlotKind::indices, stream::SlotKind::sources, stream::SlotKind::members}) {
    script.word(kind, 0);
  }
  std::vector<stream::Slot> slots = script.slots();
  for (std::size_t i = 1; i < slots.size(); ++i) slots[i].extension.count = 255;
  SpillFile spill(1 << 20);
  SlotStream stream(spill);
  stream.append(slots);
  stream.close();
  CallReader reader(stream);
  RecordedCall call;
  REQUIRE(reader.next(call));
  CHECK(call.handles.size() == 7);
  CHECK(call.send_counts.size() == 7);
  CHECK(call.stack.size() == 7);
  CHECK(call.statuses.size() == 2);
  CHECK(call.indices.size() == 14);
  CHECK(call.groups.at(0).ranks.size() == 14);
}

TEST_CASE("a row of repeated calls is unfolded: each call once, sums to the tick, the longest ones kept") {
  SlotScript script;
  script.call("MPI_Isend", {.peer = 1, .tag = 7, .bytes = 8, .request = 100, .comm = stream::kCommWorld, .site = 0x42}, 30)
      .row({4, 103, 201, 70, 111, 29}, {101, 102, 100, 104});
  script.compute(50).call("MPI_Waitall").end();
  const Calls got(script);
  REQUIRE(got.calls.size() == 6);
  CHECK_FALSE(got.corrupt);
  CHECK(got.slots_read == script.slots().size());
  const std::vector<std::uint64_t> requests{100, 101, 102, 100, 104};
  std::uint64_t compute = 0;
  std::uint64_t in = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const stream::CallSlot& slot = got.calls[i].slot;
    CHECK(slot.handle == requests[i]);
    CHECK(slot.function == number_of("MPI_Isend"));
    CHECK(slot.site == 0x42);
    CHECK(slot.bytes == 8);
    CHECK(slot.peer == 1);
    CHECK(slot.tag == 7);
    if (i == 0) continue;
    const stream::CallSlot& before = got.calls[i - 1].slot;
    compute += slot.t_enter - before.t_enter - stream::duration_of(before.result);
    in += stream::duration_of(slot.result);
  }
  CHECK(compute == 103);
  CHECK(in == 201);
  CHECK(got.calls[1].slot.t_enter == got.calls[0].slot.t_enter + 30 + 70);
  CHECK(stream::duration_of(got.calls[1].slot.result) == 111);
  const stream::CallSlot& last = got.calls[4].slot;
  CHECK(got.calls[5].slot.t_enter == last.t_enter + stream::duration_of(last.result) + 50);
}

TEST_CASE("the repetitions that are left of a row can be taken at once: as they come one by one") {
  SlotScript script;
  script.call("MPI_Irecv", {.peer = 1, .bytes = 8, .request = 100}, 30)
      .row({6, 103, 202, 70, 110, 29}, {101, 102, 103, 104, 105, 106});
  script.compute(50).call("MPI_Waitall").end();
  const Calls unfolded(script);
  const int given = GENERATE(1, 2, 4, 5); // repetitions, before the rest is taken
  SpillFile spill(1 << 20);
  SlotStream stream(spill);
  stream.append(script.slots());
  stream.close();
  CallReader reader(stream);
  RecordedCall call;
  REQUIRE(reader.next(call));
  CHECK(reader.repetitions() == 0); // of the call itself: none that is like the next
  for (int i = 0; i < given; ++i) REQUIRE(reader.next(call));
  REQUIRE(reader.repetitions() == 6U - static_cast<unsigned>(given));
  const Repetitions rest = reader.take_repetitions();
  REQUIRE(rest.calls == 6U - static_cast<unsigned>(given));
  REQUIRE(rest.started.size() == rest.calls);
  for (std::size_t i = 0; i < rest.calls; ++i) {
    const stream::CallSlot& before = unfolded.calls[static_cast<std::size_t>(given) + i].slot;
    const stream::CallSlot& slot = unfolded.calls[static_cast<std::size_t>(given) + i + 1].slot;
    CHECK(slot.handle == rest.started[i]);
    CHECK(stream::duration_of(slot.result) == rest.in.least + (i < rest.in.longer ? 1 : 0));
    CHECK(slot.t_enter - before.t_enter - stream::duration_of(before.result) ==
          rest.compute.least + (i < rest.compute.longer ? 1 : 0));
  }
  REQUIRE(reader.next(call));
  CHECK(call.slot.function == number_of("MPI_Waitall"));
  CHECK(reader.repetitions() == 0);
}

TEST_CASE("a row without requests, and one that a dying rank left with a request more than calls") {
  SlotScript script;
  script.call("MPI_Comm_rank", {}, 5).row({2, 10, 20, 6, 11, 9});
  script.call("MPI_Irecv", {.peer = 0, .request = 1}, 5).row({1, 10, 20, 10, 20, 20}, {2, 3}).end();
  const Calls got(script);
  REQUIRE(got.calls.size() == 5);
  CHECK(got.calls[2].slot.handle == got.calls[0].slot.handle);
  CHECK(got.calls[4].slot.handle == 2);
  CHECK_FALSE(got.corrupt);
}

TEST_CASE("a row that no rank can have written is damage") {
  SlotScript script;
  script.call("MPI_Isend", {.peer = 1}, 5).row({stream::kMostRowCalls + 1, 1, 1, 1, 1, 1}).call("MPI_Wait").end();
  const Calls got(script);
  CHECK(got.corrupt);
  CHECK(got.calls.size() <= 1);
}

TEST_CASE("one slot claims no more ranks than the job can have") {
  const auto corrupt = [](std::uint32_t ranks, int world_size) {
    SlotScript script;
    script.call("MPI_Barrier").members(3, {{0, 1, ranks}}).call("MPI_Barrier").end();
    SpillFile spill(1 << 20);
    SlotStream slots(spill);
    slots.append(script.slots());
    slots.close();
    CallReader reader(slots, world_size);
    RecordedCall call;
    std::size_t most = 0;
    while (reader.next(call)) {
      for (const GroupDefinition& group : call.groups) most = std::max(most, group.ranks.capacity());
    }
    CHECK(most <= 2 * 70'000);
    return reader.corrupt();
  };
  CHECK_FALSE(corrupt(128, 128));
  CHECK_FALSE(corrupt(8, 1)); // of another world
  CHECK(corrupt(1u << 24, 128));
}

TEST_CASE("slots that each define a group of all ranks come to an end") {
  constexpr std::uint32_t kRanks = 60'000;
  SlotScript script;
  script.call("MPI_Barrier");
  for (std::uint32_t comm = 0; comm < 4000; ++comm) script.members(comm, {{0, 1, kRanks}}).call("MPI_Barrier");
  SpillFile spill(1 << 20);
  SlotStream slots(spill);
  slots.append(script.end().slots());
  slots.close();
  CallReader reader(slots, 2);
  RecordedCall call;
  std::size_t ranks = 0;
  while (reader.next(call)) {
    for (const GroupDefinition& group : call.groups) ranks += group.ranks.size();
  }
  CHECK(reader.corrupt());
  CHECK(ranks <= (std::size_t{1} << 27) + kRanks);
}
