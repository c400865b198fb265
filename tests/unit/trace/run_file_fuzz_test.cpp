// Whatever the bytes of a run file: a recording, or an error with something to say. The corpus is
// tests/fuzz/run_file.
#include "predictor/trace/run_file.h"

#include "predictor/base/read_file.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <unit/trace/sample_recording.h>

namespace run_file_fuzz_test {

using namespace farcast::trace;

namespace {

std::string contents(const std::filesystem::path& path) { return farcast::base::read_file(path).value(); }

// A recording that can be gone through, or a message. Counts the messages.
bool holds(const std::string& path, std::size_t& refused) {
  const auto read = read_run_file(path);
  if (!read) {
    ++refused;
    return read.error().message.starts_with("cannot read '" + path + "': ");
  }
  for (const auto& rank : (*read)->ranks) {
    for (const auto& thread : rank->threads) {
      if (slots_of(*thread).size() != thread->size()) return false;
    }
  }
  return true;
}

} // namespace

TEST_CASE("every file of the corpus is refused with a message") {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(FARCAST_SOURCE_DIR) / "tests/fuzz/run_file")) {
    INFO(entry.path());
    const auto read = read_run_file(entry.path());
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().message, Catch::StartsWith("cannot read '" + entry.path().string() + "': "));
    ++files;
  }
  CHECK(files >= 5);
}

TEST_CASE("a good run file with bytes replaced") {
  const TemporaryFolder folder;
  auto recording = sample_recording(20);
  recording->program = "./app";
  REQUIRE(write_run_file(folder.file("run.h5"), *recording));
  const std::string good = contents(folder.file("run.h5"));
  std::uint64_t random = 4711; // a fixed sequence: the test is the same in every run
  const auto next = [&random](std::size_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((random >> 33u) % below);
  };
  constexpr std::size_t kRounds = 600;
  std::size_t refused = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::string changed = good;
    for (std::size_t changes = 1 + next(3); changes > 0; --changes) changed[next(changed.size())] = static_cast<char>(next(256));
    const std::string path = folder.file("changed.h5");
    std::ofstream(path, std::ios::binary) << changed;
    if (!holds(path, refused)) FAIL("round " << round);
  }
  CHECK(refused > kRounds / 4);
  CHECK(refused < kRounds);
}

} // namespace run_file_fuzz_test
