#include "predictor/platform/radical.h"

#include "predictor/platform/quantity_text.h"

#include <fmt/format.h>
#include <limits>
#include <unordered_set>

namespace farcast::platform {

namespace {

constexpr std::string_view kExpected = "host numbers such as 0-15,17,20-31";

} // namespace

base::Result<std::vector<std::uint32_t>> parse_radical(std::string_view text) {
  const auto unlike = [&](std::string_view why) {
    return base::fail(fmt::format("found {}, expected {}: {}", in_quotes(text), kExpected, why));
  };
  constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
  std::vector<std::uint32_t> numbers;
  std::unordered_set<std::uint32_t> seen;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view group = trimmed(rest.substr(0, comma));
    const std::size_t dash = group.find('-');
    const base::Result<std::int64_t> first = parse_integer(group.substr(0, dash), 0, kHighest);
    const base::Result<std::int64_t> last =
        dash == std::string_view::npos ? first : parse_integer(group.substr(dash + 1), 0, kHighest);
    if (!first || !last) {
      return unlike(fmt::format("{} is neither a number nor a range", in_quotes(group)));
    }
    if (*last < *first) {
      return unlike(fmt::format("the range {} runs backwards", in_quotes(group)));
    }
    if (*last - *first + 1 + static_cast<std::int64_t>(numbers.size()) > kMostHosts) {
      return unlike(fmt::format("that is more than {} hosts", kMostHosts));
    }
    for (std::int64_t number = *first; number <= *last; ++number) {
      if (!seen.insert(static_cast<std::uint32_t>(number)).second) {
        return unlike(fmt::format("{} is there twice", number));
      }
      numbers.push_back(static_cast<std::uint32_t>(number));
    }
    if (comma == std::string_view::npos) {
      return numbers;
    }
    rest.remove_prefix(comma + 1);
  }
}

} // namespace farcast::platform
