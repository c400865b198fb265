// Whatever slots a rank writes: the decoder comes to an end, with operations that name only what
// exists.
// The corpus is tests/fuzz/stream: files of slots, 64 bytes each.
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <unit/trace/decoded.h>
#include <unit/trace/sample_recording.h>

using namespace farcast;
using namespace farcast::trace;

namespace {

constexpr int kWorld = 4;

bool rank_is_possible(int rank) { return rank >= kUnknownPeer && rank < kWorld; }

// Returns: what is wrong with the operations of these slots; empty: nothing.
std::string fault_of(const std::vector<stream::Slot>& slots) {
  Recording recording(1 << 20);
  recording.world_size = kWorld;
  for (int rank = 0; rank < kWorld; ++rank) {
    add_thread(recording, add_rank(recording, rank), rank == 0 ? slots : std::vector<stream::Slot>{});
  }
  RecordedTimelines timelines(recording);
  std::set<std::uint32_t> started;
  Operation operation;
  std::size_t count = 0;
  while (timelines.next(0, operation)) {
    if (++count > 64 * slots.size() + 64) return "more operations than records";
    if (operation.function >= function_infos().size()) return "unknown function";
    if (operation.site >= timelines.sites().sites().size()) return "unknown site";
    if (operation.region >= timelines.sites().regions().size()) return "unknown region";
    if (!rank_is_possible(operation.peer) || !rank_is_possible(operation.receive_peer)) return "impossible peer";
    if (!(operation.compute.value() >= 0) || !(operation.measured.value() >= 0)) return "negative time";
    if (operation.kind == OperationKind::isend || operation.kind == OperationKind::ireceive ||
        operation.kind == OperationKind::icollective) {
      if (!started.insert(operation.request).second) return "a request started twice";
    }
    if (operation.kind == OperationKind::wait || operation.kind == OperationKind::forget) {
      for (const std::uint32_t request : operation.requests) {
        if (started.erase(request) == 0) return "a request completed that was not started";
      }
    }
    const bool collective = operation.kind == OperationKind::collective || operation.kind == OperationKind::icollective;
    if (collective && (operation.collective == nullptr || operation.communicator == nullptr)) return "a collective of nobody";
  }
  return {};
}

class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 20u) % limit;
  }

private:
  std::uint64_t state_;
};

// Slots that look like calls: known functions and kinds, few handles and communicators, anything else.
std::vector<stream::Slot> plausible(std::uint64_t seed) {
  Random random(seed);
  constexpr std::uint8_t kKinds[] = {8, 9, 10, 11, 12, 13, 14, 15, 32, 33, 34, 35, 36, 37, 38, 39};
  std::vector<stream::Slot> out = SlotScript().init(kWorld).slots();
  for (int i = 0; i < 300; ++i) {
    stream::Slot slot = noise(1, seed * 1000 + static_cast<std::uint64_t>(i))[0];
    if (random.below(3) != 0) {
      slot.kind = stream::SlotKind::call;
      slot.call.flags = static_cast<std::uint8_t>(random.below(16));
      slot.call.function = static_cast<std::uint16_t>(random.below(140));
      slot.call.comm = static_cast<std::uint32_t>(random.below(4));
      slot.call.bytes = random.below(6);
      slot.call.peer = static_cast<int>(random.below(8)) - 3;
      slot.call.tag = static_cast<int>(random.below(4)) - 1;
      slot.call.result = stream::pack_result(random.below(50), static_cast<std::uint16_t>(random.below(4)));
      slot.call.handle = random.below(6);
    } else {
      slot.kind = static_cast<stream::SlotKind>(kKinds[random.below(std::size(kKinds))]);
      slot.extension.aux = static_cast<std::uint32_t>(random.below(4));
      for (std::uint64_t& word : slot.extension.words) word = random.below(6);
      if (slot.kind == stream::SlotKind::members || slot.kind == stream::SlotKind::remote_members) {
        slot.extension.ranges[0] = {static_cast<std::int32_t>(random.below(4)), 1, static_cast<std::uint32_t>(random.below(4))};
        slot.extension.count = 1;
      }
    }
    out.push_back(slot);
  }
  return out;
}

} // namespace

TEST_CASE("files of slots from the corpus") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FARCAST_SOURCE_DIR) / "tests/fuzz/stream")) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<stream::Slot> slots(bytes.size() / sizeof(stream::Slot));
    if (!slots.empty()) std::memcpy(static_cast<void*>(slots.data()), bytes.data(), slots.size() * sizeof(stream::Slot));
    INFO(entry.path());
    CHECK(fault_of(slots) == "");
    ++files;
  }
  CHECK(files >= 4);
}

TEST_CASE("slots of noise") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string fault = fault_of(noise(50, seed));
    if (!fault.empty()) FAIL("seed " << seed << ": " << fault);
  }
  SUCCEED();
}

TEST_CASE("slots that look like calls") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::string fault = fault_of(plausible(seed));
    if (!fault.empty()) FAIL("seed " << seed << ": " << fault);
  }
  SUCCEED();
}
