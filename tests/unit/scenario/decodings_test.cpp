// Readings share one decoding as long as it has its beginning; those that come later get a new one.
#include "predictor/scenario/decodings.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::scenario;

namespace {

// One timeline of numbered operations.
class Numbers final : public trace::Timelines {
public:
  [[nodiscard]] int ranks() const override { return 1; }
  [[nodiscard]] int timelines() const override { return 1; }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int /*timeline*/, trace::Operation& out) override {
    out.tag = at_++;
    return at_ <= 20000;
  }

private:
  int at_ = 0;
};

struct Decoding {
  explicit Decoding(std::uint64_t allowance) : shared(numbers, nullptr, allowance) {}
  Numbers numbers;
  trace::SharedTimelines shared;
};

struct Opened {
  Decodings<Decoding> decodings;
  int made = 0;
  std::uint64_t allowance = 0;
  auto open() {
    return decodings.open([this] {
      ++made;
      return std::make_shared<Decoding>(allowance);
    });
  }
};

bool read_all(trace::Timelines& timelines) {
  trace::Operation operation;
  int count = 0;
  while (timelines.next(0, operation)) {
    if (operation.tag != count++) return false;
  }
  return count == 20000;
}

} // namespace

TEST_CASE("what fits into memory is decoded once for all readings") {
  Opened opened;
  opened.allowance = ~std::uint64_t{0};
  opened.decodings.expect(3);
  for (int i = 0; i < 3; ++i) {
    const auto [decoding, reader] = opened.open();
    CHECK(read_all(*reader));
    CHECK((decoding->shared.reader() == nullptr) == (i == 2)); // nobody comes behind the last
  }
  CHECK(opened.made == 1);
}

TEST_CASE("what does not is decoded again for readings that begin later") {
  Opened opened;
  opened.allowance = 1000 * sizeof(trace::Operation);
  opened.decodings.expect(4);
  const auto [first, first_reader] = opened.open();
  const auto [second, second_reader] = opened.open(); // nothing has been decoded yet
  CHECK(first == second);
  trace::Operation operation;
  for (int i = 0; i < 9000; ++i) REQUIRE(first_reader->next(0, operation) == second_reader->next(0, operation));
  const auto [third, third_reader] = opened.open();
  CHECK(third != first);
  CHECK(read_all(*third_reader));
  CHECK(first->shared.bytes_held() < 3000 * sizeof(trace::Operation));
  const auto [fourth, fourth_reader] = opened.open();
  CHECK(read_all(*fourth_reader));
  CHECK(opened.made == 3);
}
