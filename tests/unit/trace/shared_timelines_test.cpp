// Readers of shared timelines get the same operations at their own pace; what all have passed is
// not held.
#include "predictor/trace/shared_timelines.h"

#include <catch2/catch.hpp>
#include <limits>
#include <thread>

using namespace farcast;
using namespace farcast::trace;

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Operations that tell which they are; counts how many were decoded.
class Numbered final : public Timelines {
public:
  Numbered(int ranks, int each) : each_(each), at_(static_cast<std::size_t>(ranks), 0) {}
  [[nodiscard]] int ranks() const override { return static_cast<int>(at_.size()); }
  [[nodiscard]] int timelines() const override { return ranks(); }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, Operation& out) override {
    int& at = at_[static_cast<std::size_t>(timeline)];
    if (at == each_) return false;
    out.kind = OperationKind::wait;
    out.peer = timeline;
    out.tag = at++;
    out.requests.assign(static_cast<std::size_t>(out.tag % 3), 5);
    detail_.assign(static_cast<std::size_t>(out.tag % 2), out.tag);
    ++decoded;
    return true;
  }
  [[nodiscard]] bool complete() override { return complete_; }
  void come_one_by_one() { complete_ = false; }
  [[nodiscard]] const std::vector<double>& detail() const { return detail_; }
  int decoded = 0;

private:
  int each_;
  bool complete_ = true;
  std::vector<int> at_;
  std::vector<double> detail_;
};

// Reads `count` operations of each timeline in turn. Returns: whether they are the ones from `from` on.
bool read_some(Timelines& timelines, int from, int count) {
  Operation operation;
  for (int i = from; i < from + count; ++i) {
    for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
      if (!timelines.next(timeline, operation) || operation.peer != timeline || operation.tag != i ||
          operation.requests.size() != static_cast<std::size_t>(i % 3))
        return false;
    }
  }
  return true;
}

bool ended(Timelines& timelines) {
  Operation operation;
  for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
    if (timelines.next(timeline, operation)) return false;
  }
  return true;
}

} // namespace

TEST_CASE("readers of shared timelines get all operations, which are decoded once") {
  Numbered decoding(3, 5000);
  SharedTimelines shared(decoding, nullptr, kNoLimit);
  const auto first = shared.reader();
  const auto second = shared.reader();
  CHECK(read_some(*first, 0, 3000));
  CHECK(read_some(*second, 0, 10));
  const auto third = shared.reader(); // its beginning is still there
  CHECK(read_some(*first, 3000, 2000));
  CHECK(read_some(*second, 10, 4990));
  CHECK(read_some(*third, 0, 5000));
  for (const auto* reader : {&first, &second, &third}) {
    CHECK(ended(**reader));
    CHECK((*reader)->read() == 15000);
  }
  CHECK(decoding.decoded == 15000);
  CHECK(shared.decoded() == 15000);
}

TEST_CASE("operations that all readers have passed are gone") {
  Numbered decoding(2, 20000);
  SharedTimelines shared(decoding, nullptr, kNoLimit);
  auto ahead = shared.reader();
  auto behind = shared.reader();
  CHECK(read_some(*ahead, 0, 10000));
  CHECK(read_some(*behind, 0, 5000));
  CHECK(shared.operations_held() >= 20000); // others might come
  shared.end_of_readers();
  CHECK(shared.reader() == nullptr);
  CHECK(shared.operations_held() >= 10000);
  CHECK(shared.operations_held() <= 10000 + 4 * 512);
  CHECK(read_some(*behind, 5000, 5000));
  CHECK(shared.operations_held() <= 4 * 512);
  CHECK(shared.bytes_held() <= 6 * 512 * (sizeof(Operation) + 16));
  behind.reset();
  CHECK(read_some(*ahead, 10000, 10000));
  CHECK(ended(*ahead));
  ahead.reset();
  CHECK(shared.operations_held() <= 4 * 512); // the last batches wait for what never comes
}

TEST_CASE("beyond its allowance nothing is kept for new readers, and the first waits for the last") {
  Numbered decoding(2, 60000);
  constexpr std::uint64_t kAllowance = 4000 * sizeof(Operation);
  SharedTimelines shared(decoding, nullptr, kAllowance);
  const auto slow = shared.reader();
  const auto quick = shared.reader();
  std::thread runs_ahead([&] { read_some(*quick, 0, 60000); });
  std::uint64_t most = 0;
  bool right = true;
  for (int i = 0; i < 60000 && right; ++i) {
    right = read_some(*slow, i, 1);
    most = std::max(most, shared.bytes_held());
  }
  runs_ahead.join();
  CHECK(right);
  CHECK(quick->read() == 120000);
  CHECK(most <= kAllowance + 8 * 512 * (sizeof(Operation) + 16));
  CHECK(shared.reader() == nullptr);
}

TEST_CASE("a reader that leaves keeps nobody waiting") {
  Numbered decoding(1, 60000);
  SharedTimelines shared(decoding, nullptr, 2000 * sizeof(Operation));
  auto slow = shared.reader();
  const auto quick = shared.reader();
  bool right = false;
  std::thread runs_ahead([&] { right = read_some(*quick, 0, 60000); });
  CHECK(read_some(*slow, 0, 100));
  slow.reset();
  runs_ahead.join();
  CHECK(right);
}

TEST_CASE("operations of a run that goes on are decoded one by one") {
  Numbered decoding(2, 100);
  decoding.come_one_by_one();
  SharedTimelines shared(decoding, nullptr, kNoLimit);
  const auto reader = shared.reader();
  CHECK(read_some(*reader, 0, 10));
  CHECK(decoding.decoded == 20);
}

TEST_CASE("each reader makes of an operation and its details what it likes") {
  Numbered decoding(2, 100);
  SharedTimelines shared(
      decoding, [&]() -> const auto& { return decoding.detail(); }, kNoLimit);
  const auto plain = shared.reader();
  const auto other = shared.reader();
  other->adapt_with([](int timeline, Operation& operation, const std::vector<double>& details) {
    operation.bytes = 1000.0 * timeline + (details.empty() ? 0.5 : details.front());
  });
  Operation operation;
  for (int i = 0; i < 100; ++i) {
    for (int timeline = 0; timeline < 2; ++timeline) {
      REQUIRE(plain->next(timeline, operation));
      REQUIRE(operation.bytes == 0);
      REQUIRE(other->next(timeline, operation));
      REQUIRE(operation.bytes == 1000.0 * timeline + (i % 2 == 1 ? i : 0.5));
    }
  }
}
