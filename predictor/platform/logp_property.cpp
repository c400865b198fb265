#include "predictor/platform/logp_property.h"

#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace farcast::platform {

base::Result<model::LogpNetwork> read_logp(const Property& property) {
  const auto refused = [&] {
    return base::fail(fmt::format("{}: property {}: found {}, expected bytes:L:o:g;... in seconds, at message sizes that ascend, "
                                  "such as 0:2e-6:1e-6:0;1048576:2e-6:3e-6:9e-4",
                                  property.place, property.id, in_quotes(property.value)));
  };
  std::vector<model::LogpNetwork::Row> rows;
  for (const std::string_view part : base::split(property.value, ';')) {
    const std::vector<std::string_view> words = base::split(part, ':');
    std::array<double, 4> figures{};
    if (words.size() != figures.size()) {
      return refused();
    }
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const base::Result<double> value = parse_non_negative(trimmed(words[i]));
      if (!value) {
        return refused();
      }
      figures.at(i) = *value;
    }
    rows.push_back({base::Bytes(figures[0]), base::Seconds(figures[1]), base::Seconds(figures[2]), base::Seconds(figures[3])});
  }
  auto network = model::LogpNetwork::from_rows(std::move(rows));
  if (!network) {
    return refused();
  }
  return *network;
}

} // namespace farcast::platform
