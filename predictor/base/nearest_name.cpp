#include "predictor/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace farcast::base {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1); // distance of a's prefix to b's prefix of that length
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names, std::size_t most) {
  constexpr std::size_t kLongest = 256; // names come from users and files: keep the square of the length in bounds
  if (name.size() > kLongest) {
    return {};
  }
  const std::size_t furthest = (name.size() + 1) / 2;
  std::vector<std::pair<std::size_t, std::size_t>> near; // (distance, index): sorts by distance, then by place
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t longer = std::max(names[i].size(), name.size());
    const std::size_t shorter = std::min(names[i].size(), name.size());
    if (longer - shorter > furthest) {
      continue;
    }
    const std::size_t distance = edit_distance(name, names[i]);
    if (distance <= furthest) {
      near.emplace_back(distance, i);
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> result;
  for (std::size_t k = 0; k < std::min(most, near.size()); ++k) {
    result.push_back(names[near[k].second]);
  }
  return result;
}

} // namespace farcast::base
