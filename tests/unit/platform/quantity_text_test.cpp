#include "predictor/platform/quantity_text.h"
#include "predictor/platform/radical.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

using namespace farcast::platform;

namespace {

using Cases = std::vector<std::pair<std::string, double>>;

} // namespace

TEST_CASE("bandwidths") {
  for (const auto& [text, expected] : Cases{{"10Gbps", 1.25e9},
                                            {"125MBps", 1.25e8},
                                            {"1kBps", 1e3},
                                            {"8bps", 1.0},
                                            {"1KiBps", 1024.0},
                                            {"8Kibps", 1024.0},
                                            {"1MiBps", 1048576},
                                            {"2GBps", 2e9},
                                            {"1e3Mbps", 1.25e8},
                                            {"1250000000", 1.25e9},
                                            {" 1Tbps ", 1.25e11},
                                            {"1EiBps", 1152921504606846976.0},
                                            {"+5Bps", 5.0},
                                            {"1.5GiBps", 1610612736.0}}) {
    INFO(text);
    const auto value = parse_bandwidth(text);
    REQUIRE(value);
    CHECK(value->value() == Approx(expected).epsilon(1e-14));
  }
}

TEST_CASE("times") {
  for (const auto& [text, expected] : Cases{{"16.7us", 16.7e-6},
                                            {"0.5ms", 5e-4},
                                            {"20ns", 2e-8},
                                            {"7ps", 7e-12},
                                            {"2", 2.0},
                                            {"0", 0.0},
                                            {"1m", 60.0},
                                            {"1h", 3600.0},
                                            {"1d", 86400.0},
                                            {"1w", 604800.0},
                                            {"1.0E-5s", 1e-5}}) {
    INFO(text);
    const auto value = parse_time(text);
    REQUIRE(value);
    CHECK(value->value() == Approx(expected).epsilon(1e-14));
  }
}

TEST_CASE("speeds") {
  for (const auto& [text, expected] : Cases{{"18.4Gf", 1.84e10},
                                            {"1f", 1.0},
                                            {"100.0Mf", 1e8},
                                            {"2kf", 2e3},
                                            {"3gigaflops", 3e9},
                                            {"1flops", 1.0},
                                            {"1Yf", 1e24},
                                            {"1zettaflops", 1e21},
                                            {"1zetaflops", 1e21},
                                            {"286087000", 286087000.0}}) {
    INFO(text);
    const auto value = parse_speed(text);
    REQUIRE(value);
    CHECK(value->value() == Approx(expected).epsilon(1e-14));
  }
}

TEST_CASE("what is no quantity says what was found and what was expected") {
  for (const char* text :
       {"", "fast", "10Gbq", "10 Gbps", "-1Gbps", "0", "inf", "nan", "1e999Gbps", "1e308YBps", "Gbps", "1K", "+-1"}) {
    INFO(text);
    const auto value = parse_bandwidth(text);
    REQUIRE_FALSE(value);
    CHECK_THAT(value.error().message, Catch::StartsWith("found '" + std::string(text) + "', expected a bandwidth"));
  }
  CHECK_THAT(parse_bandwidth("10Gbq").error().message, Catch::EndsWith("the unit 'Gbq' is unknown"));
  for (const char* text : {"-1us", "1 us", "1min", "x", "1e400s"}) {
    INFO(text);
    CHECK_FALSE(parse_time(text));
  }
  for (const char* text : {"0Gf", "-2f", "1GF", "1Kf", "flops", "1hflops"}) {
    INFO(text);
    CHECK_FALSE(parse_speed(text));
  }
}

TEST_CASE("numbers, whole numbers and switches") {
  CHECK(*parse_number("-2.5") == -2.5);
  CHECK_FALSE(parse_number("2.5x"));
  CHECK(*parse_non_negative("0") == 0.0);
  CHECK_FALSE(parse_non_negative("-0.1"));
  CHECK_FALSE(parse_positive("0"));
  CHECK(*parse_integer(" 12 ", 1, 12) == 12);
  for (const char* text : {"13", "0", "1.5", "0x1", "", "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(parse_integer(text, 1, 12));
  }
  for (const char* text : {"yes", "on", "true", "1"}) {
    CHECK(*parse_switch(text));
  }
  for (const char* text : {"no", "off", "false", "0"}) {
    CHECK_FALSE(*parse_switch(text));
  }
  CHECK_FALSE(parse_switch("maybe"));
}

TEST_CASE("texts in messages are short, printable and whole UTF-8") {
  CHECK(in_quotes("a\tb\n") == "'a?b?'");
  CHECK(in_quotes(std::string(60, 'x')) == "'" + std::string(60, 'x') + "'");
  CHECK(in_quotes(std::string(61, 'x')) == "'" + std::string(60, 'x') + "...'");
  CHECK(in_quotes(std::string(59, 'x') + "\u00e9y") == "'" + std::string(59, 'x') + "...'");
}

TEST_CASE("radicals") {
  using Numbers = std::vector<std::uint32_t>;
  CHECK(*parse_radical("0-3") == Numbers{0, 1, 2, 3});
  CHECK(*parse_radical("0-1,17,20-22") == Numbers{0, 1, 17, 20, 21, 22});
  CHECK(*parse_radical("7") == Numbers{7});
  CHECK(*parse_radical(" 3 , 1 - 2 ") == Numbers{3, 1, 2});
  CHECK(parse_radical("0-65535")->size() == 65536);
}

TEST_CASE("bad radicals say why") {
  const std::vector<std::pair<std::string, std::string>> cases = {{"", "neither a number nor a range"},
                                                                  {"a-b", "neither a number nor a range"},
                                                                  {"1-", "neither a number nor a range"},
                                                                  {"-1", "neither a number nor a range"},
                                                                  {"1-2-3", "neither a number nor a range"},
                                                                  {"1,,2", "neither a number nor a range"},
                                                                  {"1,", "neither a number nor a range"},
                                                                  {"5-3", "runs backwards"},
                                                                  {"1,2,1", "1 is there twice"},
                                                                  {"0-4,3", "3 is there twice"},
                                                                  {"0-2000000000", "more than"},
                                                                  {"0-99999999999999999999", "neither"}};
  for (const auto& [text, why] : cases) {
    INFO(text);
    const auto numbers = parse_radical(text);
    REQUIRE_FALSE(numbers);
    CHECK_THAT(numbers.error().message, Catch::Contains(why));
    CHECK_THAT(numbers.error().message, Catch::Contains("expected host numbers such as 0-15,17,20-31"));
  }
}

TEST_CASE("what nothing in the world has is refused") {
  for (const char* text : {"1e308s", "1e308", "1.1e9s", "1e308ns", "2000w"}) {
    CAPTURE(text);
    CHECK_THAT(parse_time(text).error().message, Catch::Contains("at most 1e9s"));
  }
  CHECK(parse_time("1e9").value().value() == 1e9);
  for (const char* text : {"1e-300", "1e-300GBps", "0.0009Bps", "1e300"}) {
    CAPTURE(text);
    CHECK_THAT(parse_bandwidth(text).error().message, Catch::Contains("at least 0.001Bps"));
  }
  CHECK(parse_bandwidth("0.001Bps").value().value() == 1e-3);
  for (const char* text : {"1e-300f", "1e300f"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_speed(text));
  }
  CHECK_FALSE(parse_number("-1e31"));
  CHECK_FALSE(parse_non_negative("1e308"));
  CHECK_FALSE(parse_positive("1e-308"));
}
