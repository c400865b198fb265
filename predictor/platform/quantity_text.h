// Numbers with units as SimGrid's platform files write them: "10Gbps", "125MBps", "16.7us", "18.4Gf".
//
// text -> quantity. Units are case sensitive; a number without a unit is in Bps, s or flop/s. Pure
// functions, any thread; independent of the locale.
// Errors: "found '10Gbq', expected ...", without the place, which the caller puts in front (at_place).
// Source of the notation: SimGrid platform XML 4.1 (its DTD and manual).
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"
#include "predictor/base/words.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace farcast::platform {

base::Result<double> parse_number(std::string_view text);       // finite
base::Result<double> parse_non_negative(std::string_view text); // finite, >= 0
base::Result<double> parse_positive(std::string_view text);     // finite, > 0
// A decimal integer within [low, high].
base::Result<std::int64_t> parse_integer(std::string_view text, std::int64_t low, std::int64_t high);
base::Result<bool> parse_switch(std::string_view text); // yes/on/true/1 or no/off/false/0

base::Result<base::BytesPerSecond> parse_bandwidth(std::string_view text); // > 0
base::Result<base::Seconds> parse_time(std::string_view text);             // >= 0
base::Result<base::FlopsPerSecond> parse_speed(std::string_view text);     // > 0

// Returns: the text in quotes, shortened and without control characters, fit for an error message.
std::string in_quotes(std::string_view text);
// Returns: "found 'text', expected ...".
tl::unexpected<base::Error> unlike(std::string_view text, std::string_view expected);
using base::trimmed;
// Returns: the same error with "place: " in front.
tl::unexpected<base::Error> at_place(std::string_view place, const base::Error& error);

} // namespace farcast::platform
