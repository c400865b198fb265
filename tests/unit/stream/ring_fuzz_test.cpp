// Whatever a writer leaves in its header page: the reader answers, and copies no more than the file
// holds.
#include "libinterpose/stream/ring_reader.h"

#include <catch2/catch.hpp>
#include <unit/stream/shared_ring.h>
#include <vector>

using namespace farcast::stream;

TEST_CASE("a header page of any numbers") {
  std::uint64_t random = 99; // a fixed sequence: the test is the same in every run
  const auto next = [&random] {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return random >> 20u;
  };
  std::size_t corrupt = 0;
  constexpr std::size_t kRounds = 150;
  for (std::size_t round = 0; round < kRounds; ++round) {
    SharedRing shared;
    RingWriter writer;
    shared.attach(writer, 3);
    for (std::uint64_t i = 0; i < 2 * kSegmentSlots + 100; ++i) {
      if (i % 500 == 0 || i > 2 * kSegmentSlots)
        write_call(writer, i);
      else
        writer.reserve();
    }
    const auto value = [&] { // mostly near the limits, where it hurts
      const std::uint64_t limits[] = {0,
                                      1,
                                      kSegmentSlots - 1,
                                      kSegmentSlots,
                                      3 * kSegmentSlots,
                                      4 * kSegmentSlots,
                                      kMaxSegments * kSegmentSlots,
                                      ~std::uint64_t{0},
                                      next()};
      return limits[next() % 9] + next() % 3;
    };
    RingReader reader = shared.reader();
    std::vector<Slot> out;
    for (int step = 0; step < 4; ++step) {
      shared.ring().published = value();
      shared.ring().drained = value();
      for (int change = 0; change < 3; ++change) shared.ring().table[next() % 4] = static_cast<std::uint32_t>(value());
      out.clear();
      const bool bad = reader.drain(out, next() % 2 == 0) == RingReader::Status::corrupt;
      if (out.size() > 4 * kSegmentSlots) FAIL("round " << round << ": " << out.size() << " slots");
      corrupt += bad ? 1 : 0;
      if (bad) break;
    }
  }
  CHECK(corrupt > kRounds / 4);
}
