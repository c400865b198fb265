#include "predictor/trace/slot_stream.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

using namespace farcast::trace;
namespace stream = farcast::stream;

namespace {

constexpr std::uint64_t kBlock = 8192 * stream::kSlotBytes;

std::vector<stream::Slot> numbered(std::uint64_t from, std::uint64_t count) {
  std::vector<stream::Slot> out(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    out[i].call = {};
    out[i].call.kind = stream::SlotKind::call;
    out[i].call.t_enter = from + i;
    out[i].call.result_bytes = ~(from + i);
  }
  return out;
}

// Returns: how many slots a new cursor reads, all in order; -1 when they are not.
long read_all(const SlotStream& stream) {
  SlotCursor cursor(stream);
  std::uint64_t next = 0;
  for (auto slots = cursor.next(); !slots.empty(); slots = cursor.next()) {
    for (const stream::Slot& slot : slots) {
      if (slot.call.t_enter != next || slot.call.result_bytes != ~next) return -1;
      ++next;
    }
  }
  return cursor.behind() == 0 ? static_cast<long>(next) : -1;
}

int open_spill_files() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error).string().find("/farcast-") != std::string::npos) ++count;
  }
  return count;
}

class Environment {
public:
  explicit Environment(const char* tmpdir) : had_(std::getenv("TMPDIR") != nullptr), old_(had_ ? std::getenv("TMPDIR") : "") {
    setenv("TMPDIR", tmpdir, 1);
  }
  ~Environment() {
    if (had_)
      setenv("TMPDIR", old_.c_str(), 1);
    else
      unsetenv("TMPDIR");
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

private:
  bool had_;
  std::string old_;
};

void fill(SlotStream& stream, std::uint64_t count, std::uint64_t at_a_time) {
  for (std::uint64_t done = 0; done < count; done += at_a_time) stream.append(numbered(done, std::min(at_a_time, count - done)));
}

} // namespace

TEST_CASE("slots come back in order, whatever the sizes of appends") {
  for (const std::uint64_t step : {1ul, 100ul, 8191ul, 8192ul, 8193ul, 50000ul}) {
    SpillFile spill(std::uint64_t{1} << 30);
    SlotStream stream(spill);
    fill(stream, step == 1 ? 10000 : 50000, step);
    stream.close();
    CHECK(stream.closed());
    CHECK(read_all(stream) == static_cast<long>(stream.size()));
  }
}

TEST_CASE("an empty stream") {
  SpillFile spill(0);
  SlotStream stream(spill);
  stream.append({});
  stream.close();
  CHECK(read_all(stream) == 0);
}

TEST_CASE("past the memory budget, blocks go to an unlinked file, for all streams of a run") {
  const int before = open_spill_files();
  {
    SpillFile spill(2 * kBlock);
    SlotStream one(spill);
    SlotStream two(spill);
    for (std::uint64_t done = 0; done < 60000; done += 1000) {
      one.append(numbered(done, 1000));
      two.append(numbered(done, 1000));
    }
    one.close();
    two.close();
    CHECK(open_spill_files() == before + 1);
    CHECK(read_all(one) == 60000);
    CHECK(read_all(two) == 60000);
    CHECK(read_all(one) == 60000); // any number of cursors
  }
  CHECK(open_spill_files() == before);
}

TEST_CASE("records stay in memory as long as an eighth of what is free has room for them") {
  const int before = open_spill_files();
  static std::uint64_t free = 0;
  for (const bool scarce : {false, true}) {
    free = scarce ? 16 * kBlock : 1024 * kBlock;
    SpillFile spill(1000 * kBlock);
    spill.watch([] { return free; });
    SlotStream stream(spill);
    fill(stream, 100000, 1000); // twelve blocks
    stream.close();
    CHECK(open_spill_files() == before + (scarce ? 1 : 0));
    CHECK(read_all(stream) == 100000);
  }
}

TEST_CASE("a disk that refuses: everything stays in memory") {
  const Environment environment("/nonexistent/farcast");
  const int before = open_spill_files();
  SpillFile spill(0);
  SlotStream stream(spill);
  fill(stream, 50000, 1000);
  stream.close();
  CHECK(open_spill_files() == before);
  CHECK(read_all(stream) == 50000);
}

TEST_CASE("a cursor waits for the appender, through spilling") {
  SpillFile spill(kBlock);
  SlotStream stream(spill);
  std::thread appender([&stream] {
    for (std::uint64_t done = 0; done < 100000; done += 500) {
      stream.append(numbered(done, 500));
      if (done % 5000 == 0) std::this_thread::yield();
    }
    stream.close();
  });
  long other = 0;
  std::thread reader([&] { other = read_all(stream); });
  const long own = read_all(stream);
  reader.join();
  appender.join();
  CHECK(own == 100000);
  CHECK(other == 100000);
}

TEST_CASE("a closed stream holds its last block packed, too, and gives it back to whoever reads on or begins") {
  const int before = open_spill_files();
  SpillFile spill(0); // all that is packed goes to the disk
  SlotStream stream(spill);
  fill(stream, 100, 10);
  SlotCursor early(stream);
  const auto held = early.next();
  CHECK(held.size() == 100);
  CHECK(open_spill_files() == before);
  stream.close();
  stream.close();
  CHECK(open_spill_files() == before + 1);
  CHECK(held.back().call.t_enter == 99);
  CHECK(early.next().empty());
  CHECK_FALSE(early.failed());
  CHECK(read_all(stream) == 100);
}

TEST_CASE("a span stays valid while the stream grows") {
  SpillFile spill(0);
  SlotStream stream(spill);
  stream.append(numbered(0, 10));
  SlotCursor cursor(stream);
  const auto slots = cursor.next();
  REQUIRE(slots.size() == 10);
  CHECK(cursor.behind() == 0);
  fill(stream, 100, 100);
  stream.append(numbered(100, 40000));
  CHECK(cursor.behind() == 40100);
  for (std::uint64_t i = 0; i < 10; ++i) CHECK(slots[i].call.t_enter == i);
}
