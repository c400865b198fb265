#include "predictor/html/price.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace farcast::html {

namespace {

constexpr std::string_view kUnit = "/kWh";
constexpr std::size_t kLongestCurrency = 12; // bytes

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool begins_number(char c) { return (c >= '0' && c <= '9') || c == '.'; }

} // namespace

base::Result<Price> parse_price(std::string_view text) {
  const auto refused = [&] {
    return base::fail(fmt::format("found '{}', expected a price of energy such as 0.25/kWh or 0.25EUR/kWh", text));
  };
  std::string_view rest = trimmed(text);
  if (rest.ends_with(kUnit)) rest = trimmed(rest.substr(0, rest.size() - kUnit.size()));
  const auto number = static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), begins_number) - rest.begin());
  Price price;
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data() + number, end, price.per_kwh);
  if (error != std::errc() || !std::isfinite(price.per_kwh)) return refused();
  const std::string_view before = trimmed(rest.substr(0, number));
  const std::string_view behind = trimmed({stop, static_cast<std::size_t>(end - stop)});
  if (!before.empty() && !behind.empty()) return refused();
  price.currency = before.empty() ? behind : before;
  const bool strange = std::any_of(price.currency.begin(), price.currency.end(), [](char c) {
    return begins_number(c) || c == '/' || c == '-' || c == '+' || c == ',' || c == ' ' || static_cast<unsigned char>(c) < ' ';
  });
  if (strange || price.currency.size() > kLongestCurrency) return refused();
  return price;
}

} // namespace farcast::html
