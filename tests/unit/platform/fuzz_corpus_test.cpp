// Whatever the bytes of a platform file: a platform, or an error with something to say. The corpus
// is tests/fuzz/platform_xml.
#include "predictor/platform/builtin.h"
#include "predictor/platform/simgrid_xml.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

using namespace farcast::platform;

namespace {

// A platform that can be used, or a message.
bool holds(const std::string& text) {
  const auto platform = parse_simgrid_xml(text, "fuzz.xml");
  if (!platform) {
    return platform.error().message.starts_with("fuzz.xml:");
  }
  const auto last = static_cast<HostId>(platform->hosts.size() - 1);
  return !platform->hosts.empty() && !platform->route(0, last).links.empty() && platform->route(0, last).latency.value() >= 0.0;
}

} // namespace

TEST_CASE("every file of the corpus is refused with a message") {
  const std::filesystem::path corpus = std::filesystem::path(FARCAST_SOURCE_DIR) / "tests/fuzz/platform_xml";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    INFO(entry.path());
    const auto platform = read_simgrid_xml(entry.path());
    REQUIRE_FALSE(platform);
    CHECK_THAT(platform.error().message, Catch::StartsWith(entry.path().string() + ":"));
    ++files;
  }
  CHECK(files >= 15);
}

TEST_CASE("a good file cut off anywhere") {
  const std::string text(builtin_xml("taurus"));
  const std::string body = text.substr(text.find("<platform"));
  for (std::size_t length = 0; length < body.size(); ++length) {
    if (!holds(body.substr(0, length))) {
      FAIL("at " << length);
    }
  }
  CHECK(holds(body));
}

TEST_CASE("a good file with bytes replaced") {
  const std::string text(builtin_xml("nehalem-ib"));
  const std::string body = text.substr(text.find("<platform"));
  const std::string bytes = "<>\"'/=-:;,09e \n\0\xff&!?[";
  std::uint64_t random = 12345; // a fixed sequence: the test is the same in every run
  const auto next = [&random](std::size_t below) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((random >> 33U) % below);
  };
  for (int round = 0; round < 4000; ++round) {
    std::string changed = body;
    for (std::size_t changes = 1 + next(3); changes > 0; --changes) {
      changed[next(changed.size())] = bytes[next(bytes.size())];
    }
    if (!holds(changed)) {
      FAIL(changed);
    }
  }
  SUCCEED();
}
