#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace farcast::platform {

namespace {

// Beyond these nothing is meant, and sums and products of a few such figures are still finite.
constexpr double kLargest = 1e30;        // any number
constexpr double kLongestTime = 1e9;     // seconds
constexpr double kLeastBandwidth = 1e-3; // bytes per second
constexpr double kLeastSpeed = 1e-3;     // flops per second

struct Unit {
  std::string_view name;
  double scale;
};

constexpr std::array kTimeUnits = {Unit{"w", 604800.0}, Unit{"d", 86400.0}, Unit{"h", 3600.0}, Unit{"m", 60.0},  Unit{"s", 1.0},
                                   Unit{"ms", 1e-3},    Unit{"us", 1e-6},   Unit{"ns", 1e-9},  Unit{"ps", 1e-12}};
constexpr std::array kDecimalPrefixes = {Unit{"", 1.0},   Unit{"k", 1e3},  Unit{"M", 1e6},  Unit{"G", 1e9}, Unit{"T", 1e12},
                                         Unit{"P", 1e15}, Unit{"E", 1e18}, Unit{"Z", 1e21}, Unit{"Y", 1e24}};
constexpr double kKibi = 1024.0;
constexpr double kMebi = kKibi * kKibi;
constexpr double kGibi = kMebi * kKibi;
constexpr double kTebi = kGibi * kKibi;
constexpr std::array kBinaryPrefixes = {Unit{"Ki", kKibi},        Unit{"Mi", kMebi},        Unit{"Gi", kGibi},
                                        Unit{"Ti", kTebi},        Unit{"Pi", kTebi* kKibi}, Unit{"Ei", kTebi* kMebi},
                                        Unit{"Zi", kTebi* kGibi}, Unit{"Yi", kTebi* kTebi}};
// SimGrid's manual says "zetta", its parser "zeta": both are read.
constexpr std::array kLongPrefixes = {Unit{"", 1.0},       Unit{"kilo", 1e3},  Unit{"mega", 1e6}, Unit{"giga", 1e9},
                                      Unit{"tera", 1e12},  Unit{"peta", 1e15}, Unit{"exa", 1e18}, Unit{"zeta", 1e21},
                                      Unit{"zetta", 1e21}, Unit{"yotta", 1e24}};

std::optional<double> find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) {
      return unit.scale;
    }
  }
  return std::nullopt;
}

std::optional<double> time_scale(std::string_view unit) { return find_unit(kTimeUnits, unit.empty() ? "s" : unit); }

std::optional<double> bandwidth_scale(std::string_view unit) {
  if (unit.empty()) {
    return 1.0;
  }
  const bool bits = unit.ends_with("bps");
  if (!bits && !unit.ends_with("Bps")) {
    return std::nullopt;
  }
  const std::string_view prefix = unit.substr(0, unit.size() - 3);
  std::optional<double> scale = find_unit(kDecimalPrefixes, prefix);
  if (!scale) {
    scale = find_unit(kBinaryPrefixes, prefix);
  }
  return scale ? std::optional(*scale * (bits ? 0.125 : 1.0)) : std::nullopt;
}

std::optional<double> speed_scale(std::string_view unit) {
  constexpr std::string_view kLong = "flops";
  if (unit.empty()) {
    return 1.0;
  }
  if (unit.ends_with(kLong)) {
    return find_unit(kLongPrefixes, unit.substr(0, unit.size() - kLong.size()));
  }
  if (unit.ends_with('f')) {
    return find_unit(kDecimalPrefixes, unit.substr(0, unit.size() - 1));
  }
  return std::nullopt;
}

// The leading number of `text`; the rest is left in `rest`. Unset: no finite number there.
std::optional<double> leading_number(std::string_view text, std::string_view& rest) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') {
    text.remove_prefix(1); // from_chars refuses the sign that strtod allows
  }
  double value = 0.0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || !std::isfinite(value) || std::abs(value) > kLargest) {
    return std::nullopt;
  }
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

base::Result<double> with_unit(std::string_view text, std::optional<double> (*scale_of)(std::string_view),
                               std::string_view expected) {
  std::string_view unit;
  const std::optional<double> number = leading_number(trimmed(text), unit);
  if (!number) {
    return unlike(text, expected);
  }
  const std::optional<double> scale = scale_of(unit);
  if (!scale) {
    return base::fail(fmt::format("found {}, expected {}: the unit {} is unknown", in_quotes(text), expected, in_quotes(unit)));
  }
  const double value = *number * *scale;
  if (!std::isfinite(value)) {
    return unlike(text, expected);
  }
  return value;
}

} // namespace

tl::unexpected<base::Error> unlike(std::string_view text, std::string_view expected) {
  return base::fail(fmt::format("found {}, expected {}", in_quotes(text), expected));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = std::min(kLongest, text.size());
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80U) {
    --length; // not within a UTF-8 character
  }
  std::string shown = "'";
  for (const char c : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  shown += length < text.size() ? "...'" : "'";
  return shown;
}

tl::unexpected<base::Error> at_place(std::string_view place, const base::Error& error) {
  return base::fail(fmt::format("{}: {}", place, error.message));
}

base::Result<double> parse_number(std::string_view text) {
  std::string_view rest;
  const std::optional<double> number = leading_number(trimmed(text), rest);
  if (!number || !rest.empty()) {
    return unlike(text, "a number");
  }
  return *number;
}

base::Result<double> parse_non_negative(std::string_view text) {
  const base::Result<double> number = parse_number(text);
  if (!number || *number < 0.0) {
    return unlike(text, "a number that is not negative");
  }
  return *number;
}

base::Result<double> parse_positive(std::string_view text) {
  const base::Result<double> number = parse_number(text);
  if (!number || *number < 1.0 / kLargest) {
    return unlike(text, "a number above 0");
  }
  return *number;
}

base::Result<std::int64_t> parse_integer(std::string_view text, std::int64_t low, std::int64_t high) {
  const std::string_view digits = trimmed(text);
  const auto value = base::number_in<std::int64_t>(digits);
  if (!value || *value < low || *value > high) {
    return unlike(text, fmt::format("a whole number from {} to {}", low, high));
  }
  return *value;
}

base::Result<bool> parse_switch(std::string_view text) {
  const std::string_view word = trimmed(text);
  if (word == "yes" || word == "on" || word == "true" || word == "1") {
    return true;
  }
  if (word == "no" || word == "off" || word == "false" || word == "0") {
    return false;
  }
  return unlike(text, "yes or no");
}

base::Result<base::BytesPerSecond> parse_bandwidth(std::string_view text) {
  constexpr std::string_view kExpected = "a bandwidth above 0 such as 10Gbps or 125MBps, at least 0.001Bps";
  const base::Result<double> value = with_unit(text, bandwidth_scale, kExpected);
  if (!value) {
    return tl::make_unexpected(value.error());
  }
  if (*value < kLeastBandwidth || *value > kLargest) {
    return unlike(text, kExpected);
  }
  return base::BytesPerSecond(*value);
}

base::Result<base::Seconds> parse_time(std::string_view text) {
  constexpr std::string_view kExpected = "a time such as 16.7us or 0.5ms, at most 1e9s";
  const base::Result<double> value = with_unit(text, time_scale, kExpected);
  if (!value) {
    return tl::make_unexpected(value.error());
  }
  if (*value < 0.0 || *value > kLongestTime) {
    return unlike(text, kExpected);
  }
  return base::Seconds(*value);
}

base::Result<base::FlopsPerSecond> parse_speed(std::string_view text) {
  constexpr std::string_view kExpected = "a speed above 0 such as 18.4Gf";
  const base::Result<double> value = with_unit(text, speed_scale, kExpected);
  if (!value) {
    return tl::make_unexpected(value.error());
  }
  if (*value < kLeastSpeed || *value > kLargest) {
    return unlike(text, kExpected);
  }
  return base::FlopsPerSecond(*value);
}

} // namespace farcast::platform
