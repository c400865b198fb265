#include "predictor/timeline/record_file.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using farcast::timeline::RecordFile;

namespace {

struct Pair {
  std::uint64_t sequence;
  double value;
};

} // namespace

TEST_CASE("sequences that grow side by side are read back one by one, whatever their length") {
  constexpr std::size_t kSequences = 5;
  constexpr std::size_t kRecords = 30000; // several blocks, and a part of one
  RecordFile<Pair> file(kSequences);
  std::vector<std::size_t> lengths(kSequences, 0);
  for (std::size_t i = 0; i < kRecords; ++i) {
    const std::size_t sequence = i * i % kSequences; // 0, 1 and 4: 2 and 3 stay empty
    file.append(sequence, {sequence, static_cast<double>(lengths[sequence]++)});
  }
  REQUIRE(file.check());
  CHECK(file.size() == kRecords);
  for (std::size_t sequence = 0; sequence < kSequences; ++sequence) {
    RecordFile<Pair>::Reader reader(file, sequence);
    Pair record{};
    std::size_t read = 0;
    while (reader.next(record)) {
      REQUIRE(record.sequence == sequence);
      REQUIRE(record.value == static_cast<double>(read++));
    }
    CHECK(read == lengths[sequence]);
    CHECK_FALSE(reader.next(record));
  }
}

TEST_CASE("a temporary file that cannot be written is an error, not a shorter time line") {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/there/is/no/such/folder", 1);
  RecordFile<Pair> file(1);
  for (int i = 0; i < 100000; ++i) file.append(0, {0, 0});
  if (before == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", kept.c_str(), 1);
  const auto whole = file.check();
  REQUIRE_FALSE(whole);
  CHECK(whole.error().message.find("TMPDIR") != std::string::npos);
}
