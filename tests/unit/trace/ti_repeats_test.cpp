// TI traces: lines that repeat, left out.
#include "predictor/trace/ti_trace.h"

#include <unit/trace/decoded.h>
#include <unit/trace/ti_played.h>

using namespace farcast;
using namespace farcast::trace;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Reads `first` operations, marks, reads `more`, leaves out all that repeats, and reads the rest.
struct LeftOut {
  LeftOut(const std::string& lines, int first, int more, std::uint64_t most = 1u << 30) {
    const TiFolder folder;
    const std::string index = folder.trace({lines});
    all = TiPlayed(index).operations[0];
    const auto files = find_ti_trace(index);
    TiTimelines timelines(*files, {1e9}, base::Seconds(1e-4));
    Operation operation;
    for (int i = 0; i < first; ++i) REQUIRE(timelines.next(0, operation));
    REQUIRE(timelines.mark());
    for (int i = 0; i < more; ++i) REQUIRE(timelines.next(0, operation));
    times = timelines.repeats(0, most);
    REQUIRE(times <= most);
    const std::uint32_t requests = timelines.requests_since_mark(0);
    timelines.skip(0, times);
    std::size_t at = static_cast<std::size_t>(first + more) + times * static_cast<std::size_t>(more);
    bool same = true;
    for (; timelines.next(0, operation); ++at) {
      REQUIRE(at < all.size());
      operation.communicator = all[at].communicator; // another reader's object
      same = same && same_but_for_requests(all[at], operation, static_cast<std::uint32_t>(times) * requests);
    }
    CHECK(same);
    CHECK(at == all.size());
    error = timelines.error();
    place = timelines.place(0);
  }
  std::vector<Operation> all;
  std::uint64_t times = 0;
  std::string error;
  std::string place;
};

const std::string kRound =
    "0 compute 1e6\n0 irecv 0 1 100\n0 isend 0 1 100\n0 compute 2e6\n0 wait 0 0 1\n0 waitall 1\n0 bcast 8 0\n";

} // namespace

TEST_CASE("TI: rounds are left out wherever they begin, requests under way or not") {
  const int rounds = 3000; // some pieces of the file
  const std::string lines = "0 init\n" + repeated(kRound, rounds) + "0 finalize\n";
  for (const int first : {1, 2, 3, 4, 5, 6, 60}) {
    CAPTURE(first);
    const LeftOut one(lines, first, 5);
    CHECK(one.times == static_cast<std::uint64_t>(rounds - (first - 1) / 5 - ((first - 1) % 5 == 0 ? 1 : 2)));
    CHECK(one.error.empty());
    CHECK(one.place.ends_with(":" + std::to_string(7 * rounds + 2)));
    CHECK(LeftOut(lines, first, 10).times == (static_cast<std::uint64_t>(rounds) - (first - 1 + 4) / 5 - 2) / 2);
    CHECK(LeftOut(lines, first, 5, 7).times == 7);
    CHECK(LeftOut(lines, first, 3).times == 0);
  }
}

TEST_CASE("TI: what only looks alike is not left out") {
  const auto times = [](const std::string& before, const std::string& round, int first, int more) {
    return LeftOut("0 init\n" + before + repeated(round, 50) + "0 finalize\n", first, more).times;
  };
  CHECK(times("", "0 barrier\n", 1, 1) == 49);
  CHECK(times("0 compute 1\n", "0 barrier\n", 1, 1) == 0); // computation before the first
  CHECK(times("0 compute 1\n", "0 barrier\n", 2, 1) == 48);
  CHECK(times("", "0 isend 0 0 1\n", 1, 1) == 0);                             // more requests each round
  CHECK(times("0 location a 1\n", "0 barrier\n0 location b 2\n", 1, 1) == 0); // the site is another one
  CHECK(times("0 barrier\n", "0 comm@2 0\n0 barrier@2\n", 1, 1) == 0);
  CHECK(times("0 barrier\n", "0 comm@2 0\n0 barrier@2\n", 3, 1) == 48);
  CHECK(times("", "0 isend#3 0 1 5\n0 irecv#4 0 1 5\n0 wait#3\n0 wait#4\n", 3, 4) == 48);
  CHECK(times("0 send_init#3 0 1 5\n", "0 start#3\n0 recv 0 1 5\n0 wait#3\n", 1, 3) == 0); // persistent
}

TEST_CASE("TI: a shared file can not leave out anything") {
  const TiFolder folder;
  const auto files = find_ti_trace(folder.file("all", "0 init\n0 barrier\n0 finalize\n"));
  TiTimelines timelines(*files, {1e9}, base::Seconds(0));
  CHECK_FALSE(timelines.mark());
}
