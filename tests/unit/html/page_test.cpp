#include "predictor/html/document.h"
#include "predictor/html/page_text.h"
#include "predictor/html/price.h"
#include "predictor/html/traffic.h"

#include <catch2/catch.hpp>

namespace page_test {

using namespace farcast;

TEST_CASE("Nothing that a program is called can end the document's element, and it reads back the same") {
  const std::string evil = "./a </script><script>alert(1)</script> <!-- & \"quoted\" 'q' \\ \xE2\x80\xA8 \xE2\x80\xA9 \x01 \n";
  const std::string json = report::Json{{"program", evil}}.dump();
  const std::string inside = html::inside_script(json);
  CHECK(inside.find_first_of("<>&") == std::string::npos);
  CHECK(inside.find("\xE2\x80\xA8") == std::string::npos);
  CHECK(report::Json::parse(inside)["program"] == evil);
}

TEST_CASE("Bytes that are not UTF-8 become U+FFFD") {
  CHECK(html::as_utf8("a\xFF"
                      "b\xC3") == "a\xEF\xBF\xBD"
                                  "b\xEF\xBF\xBD");
  CHECK(html::as_utf8("gr\xC3\xBC\xC3\x9F") == "gr\xC3\xBC\xC3\x9F");
}

TEST_CASE("The page holds the title, the document and the library, and asks for nothing from elsewhere") {
  const std::string page = html::page("a <b> & c", R"({"x":"</script>"})");
  CHECK(page.find("<title>a &lt;b&gt; &amp; c</title>") != std::string::npos);
  CHECK(page.find(R"({"x":"\u003c/script\u003e"})") != std::string::npos);
  CHECK(page.find("d3js.org v5") != std::string::npos);
  CHECK(page.find("function show()") != std::string::npos);
  CHECK(page.find("/*D3*/") == std::string::npos);
  CHECK(page.find("src=\"") == std::string::npos);
  CHECK(page.find("@import") == std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("Prices are a number with a currency or without one") {
  const auto price = [](const char* text) { return html::parse_price(text); };
  CHECK(price("0.25/kWh")->per_kwh == 0.25);
  CHECK(price("0.25/kWh")->currency.empty());
  CHECK(price("0.25EUR/kWh")->currency == "EUR");
  CHECK(price("$0.1/kWh")->currency == "$");
  CHECK(price("0.1 \xE2\x82\xAC/kWh")->currency == "\xE2\x82\xAC");
  CHECK(price("0.3")->per_kwh == 0.3);
  for (const char* bad : {"", "EUR", "/kWh", "-1/kWh", "0.25/MWh", "0.25/kWh/kWh", "1,5/kWh", "EUR 1 EUR", "nan", "1e999"}) {
    CAPTURE(bad);
    REQUIRE_FALSE(price(bad));
    CHECK(price(bad).error().message.find("expected a price") != std::string::npos);
  }
}

TEST_CASE("The matrix of messages has all of them, in blocks of ranks where there are too many") {
  html::Traffic traffic(10, 4); // blocks of 3: 0-2, 3-5, 6-8, 9
  CHECK(traffic.rows() == 4);
  CHECK(traffic.ranks_per_row() == 3);
  double all = 0;
  for (std::uint32_t from = 0; from < 10; ++from)
    for (std::uint32_t to = 0; to < 10; ++to) {
      traffic.posted({0, from, to, 10.0 * from + to, to == 9, false, 0.0});
      all += 10.0 * from + to;
    }
  double bytes = 0, inside = 0;
  std::uint64_t messages = 0;
  for (std::size_t from = 0; from < 4; ++from)
    for (std::size_t to = 0; to < 4; ++to) {
      bytes += traffic.at(from, to).bytes;
      inside += traffic.at(from, to).inside_bytes;
      messages += traffic.at(from, to).messages;
    }
  CHECK(bytes == all);
  CHECK(messages == 100);
  CHECK(inside == 10.0 * 45 + 90);
  CHECK(traffic.at(3, 3).messages == 1);
  CHECK(traffic.at(3, 3).bytes == 99);
  CHECK(traffic.at(0, 1).messages == 9);
  CHECK(html::Traffic(256, 256).rows() == 256);
  CHECK(html::Traffic(257, 256).rows() == 129);
}

TEST_CASE("More time lines get fewer segments each, and smaller matrices") {
  CHECK(html::bounds_for(2).traffic_rows == 256);
  CHECK(html::bounds_for(40).traffic_rows < 128);
  CHECK(html::bounds_for(40).segments * 40 <= html::bounds_for(1).segments);
}

} // namespace page_test
