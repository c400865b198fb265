#include "predictor/base/words.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

namespace farcast::base {

TEST_CASE("white space goes at both ends, and only there") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed(" \v\f ").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("parts between separators, empty ones too") {
  CHECK(split("a,b,,c", ',') == std::vector<std::string_view>{"a", "b", "", "c"});
  CHECK(split(",", ',') == std::vector<std::string_view>{"", ""});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
}

TEST_CASE("words are taken off the front until none is left") {
  std::string_view text = "one two  three";
  CHECK(take_word(text) == "one");
  CHECK(take_word(text) == "two");
  CHECK(take_word(text).empty());
  CHECK(take_word(text) == "three");
  CHECK(text.empty());
  CHECK(take_word(text).empty());
}

TEST_CASE("a number is the whole of the text, and fits") {
  CHECK(number_in<int>("-12") == -12);
  CHECK_FALSE(number_in<int>("12x"));
  CHECK_FALSE(number_in<int>(" 12"));
  CHECK_FALSE(number_in<int>("+12"));
  CHECK_FALSE(number_in<int>(""));
  CHECK_FALSE(number_in<int>("3000000000"));
  CHECK_FALSE(number_in<unsigned>("-1"));
  CHECK(number_in<double>("1e-3") == 1e-3);
  CHECK_FALSE(number_in<double>("1e999"));
  CHECK(std::isinf(number_in<double>("inf").value()));
  CHECK(hexadecimal_in<std::uint64_t>("ffffffffffffffff") == ~std::uint64_t{0});
  CHECK_FALSE(hexadecimal_in<std::uint64_t>("0x10"));
}

} // namespace farcast::base
