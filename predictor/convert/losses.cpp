#include "predictor/convert/losses.h"

#include <fmt/format.h>

namespace farcast::convert {

std::vector<std::string> Losses::sentences() const {
  std::vector<std::string> out;
  for (const auto& [what, entry] : entries_)
    out.push_back(
        fmt::format("{}: {} call{}, first by rank {}", what, entry.calls, entry.calls == 1 ? "" : "s", entry.first_rank));
  return out;
}

} // namespace farcast::convert
