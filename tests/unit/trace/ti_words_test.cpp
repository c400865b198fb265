// Words of lines against a slow reading of the same bytes.
#include "predictor/trace/ti_words.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

using namespace farcast::trace;

namespace {

struct Slow {
  std::string text;
  bool whole;
};

std::vector<Slow> slow(const std::string& line) {
  std::vector<Slow> out;
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && static_cast<unsigned char>(line[at]) <= ' ') ++at;
    std::string word;
    while (at < line.size() && static_cast<unsigned char>(line[at]) > ' ') word += line[at++];
    if (word.empty()) break;
    out.push_back({word, word.size() <= 15 && word.find_first_not_of("0123456789") == std::string::npos});
  }
  return out;
}

} // namespace

TEST_CASE("words of any bytes, with and without the usual beginning") {
  std::uint64_t random = 99; // a fixed sequence: the test is the same in every run
  const auto next = [&random](std::size_t below) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((random >> 33U) % below);
  };
  const std::string bytes("0123456789 \t\r\0az/:.-+@#\x7f\x80\xff", 27);
  TiWords words;
  const TiPrefix usual(42);
  for (int round = 0; round < 50000; ++round) {
    std::string line = next(3) == 0 ? "42 " : "";
    const bool digits = next(2) == 0;
    for (std::size_t i = next(30); i > 0; --i)
      line += digits && next(8) != 0 ? static_cast<char>('0' + next(10)) : bytes[next(bytes.size())];
    const std::vector<Slow> expected = slow(line);
    const char* const end = line.data() + line.size();
    if (words.split(line.data(), end, usual) != end || words.size() != expected.size()) FAIL(line);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool same = words[i].view() == expected[i].text && words[i].whole == expected[i].whole &&
                        (!words[i].whole || words[i].value == std::stoll(expected[i].text));
      if (!same) FAIL(line << " word " << i);
    }
  }
  SUCCEED();
}

TEST_CASE("words end with the line") {
  const std::string text = "1 a\n2 b";
  TiWords words;
  const char* at = words.split(text.data(), text.data() + text.size());
  CHECK(at == text.data() + 3);
  CHECK(words.size() == 2);
  words.split(at + 1, text.data() + text.size());
  CHECK(words[1].view() == "b");
}
