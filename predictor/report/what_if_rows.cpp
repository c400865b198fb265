#include "predictor/report/what_if_rows.h"

#include "predictor/report/text_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::report {

void append_impossible(std::string& out, const std::map<std::string, std::vector<std::string>>& points) {
  constexpr std::size_t kNamed = 3, kReasons = 6;
  std::size_t said = 0, left_out = 0;
  for (const auto& [reason, which] : points) {
    if (++said > kReasons) {
      left_out += which.size();
      continue;
    }
    const auto named = static_cast<std::ptrdiff_t>(std::min(kNamed, which.size()));
    const std::vector<std::string> first(which.begin(), which.begin() + named);
    const std::string more = which.size() > kNamed ? fmt::format(" and {} more", which.size() - kNamed) : "";
    append_wrapped(out, "  impossible: ", fmt::format("{}{}: {}", fmt::join(first, "; "), more, reason));
  }
  if (left_out > 0) append_wrapped(out, "  ", fmt::format("and {} impossible points more (--csv FILE has why)", left_out));
}

} // namespace farcast::report
