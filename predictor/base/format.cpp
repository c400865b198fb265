#include "predictor/base/format.h"

#include <cmath>
#include <fmt/format.h>
#include <span>

namespace farcast::base {
namespace {

struct Prefix {
  double scale;
  const char* name;
};

constexpr Prefix kTimePrefixes[] = {{1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1.0, ""}}; // no "ks": nobody reads it
constexpr Prefix kPrefixes[] = {{1e-6, "u"}, {1e-3, "m"}, {1.0, ""},   {1e3, "k"},
                                {1e6, "M"},  {1e9, "G"},  {1e12, "T"}, {1e15, "P"}};
constexpr Prefix kBytePrefixes[] = {{1.0, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}};
constexpr int kSignificantDigits = 4;
constexpr double kMostPlain = 1e9; // beyond it, or as far below 1, figures have exponents

// Returns: digits after the point that give `scaled` four significant ones.
int decimals_of(double scaled) {
  const int before_point = scaled < 1.0 ? 1 : 1 + static_cast<int>(std::floor(std::log10(scaled)));
  return before_point >= kSignificantDigits ? 0 : kSignificantDigits - before_point;
}

std::string with_prefix(double value, const char* unit, std::span<const Prefix> prefixes) {
  if (!std::isfinite(value)) return "unknown";
  if (value == 0.0) return fmt::format("0 {}", unit);
  const double magnitude = std::abs(value);
  const Prefix* chosen = &prefixes.front();
  for (const Prefix& prefix : prefixes)
    // 0.99995 rounds up to the next prefix: "1.000 s", not "1000 ms".
    if (magnitude >= prefix.scale * 0.99995) chosen = &prefix;
  const double scaled = magnitude / chosen->scale;
  if (scaled >= kMostPlain || scaled < 1.0 / kMostPlain) return fmt::format("{:.3e} {}", value, unit);
  return fmt::format("{}{:.{}f} {}{}", value < 0 ? "-" : "", scaled, decimals_of(scaled * 1.00001), chosen->name, unit);
}

} // namespace

std::string format_time(Seconds time) { return with_prefix(time.value(), "s", kTimePrefixes); }
std::string format_energy(Joules energy) { return with_prefix(energy.value(), "J", kPrefixes); }
std::string format_power(Watts power) { return with_prefix(power.value(), "W", kPrefixes); }
std::string format_energy_delay(double joule_seconds) { return with_prefix(joule_seconds, "J s", kPrefixes); }

std::string format_bytes(Bytes amount) {
  const double value = amount.value();
  if (std::isfinite(value) && std::abs(value) < 1000.0 && value == std::floor(value))
    return fmt::format("{:.0f} B", value); // whole bytes need no decimals
  return with_prefix(value, "B", kBytePrefixes);
}

std::string format_instant(Seconds time) {
  return std::abs(time.value()) < kMostPlain ? fmt::format("{:.9f} s", time.value()) : fmt::format("{:.9e} s", time.value());
}

std::string format_share(double part, double whole) {
  if (!std::isfinite(part) || !std::isfinite(whole) || whole == 0.0) return "-";
  const double percent = 100.0 * part / whole;
  if (std::abs(percent) >= kMostPlain) return fmt::format("{:.3e} %", percent);
  return percent > 0.0 && percent < 0.005 ? "< 0.01 %" : fmt::format("{:.2f} %", percent);
}

} // namespace farcast::base
