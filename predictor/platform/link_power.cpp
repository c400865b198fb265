#include "predictor/platform/link_power.h"

#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"

#include <fmt/format.h>

namespace farcast::platform {

base::Result<LinkPower> read_link_power(const Property& property) {
  const std::vector<std::string_view> parts = base::split(property.value, ':');
  if (parts.size() == 2) {
    const base::Result<double> idle = parse_non_negative(trimmed(parts[0]));
    const base::Result<double> busy = parse_non_negative(trimmed(parts[1]));
    if (idle && busy && *idle <= *busy) {
      return LinkPower{base::Watts(*idle), base::Watts(*busy)};
    }
    if (idle && busy) {
      return base::fail(fmt::format("{}: found {}, expected a Busy value that is not below the Idle value", label(property),
                                    in_quotes(property.value)));
    }
  }
  return base::fail(
      fmt::format("{}: found {}, expected Idle:Busy in watts such as 100:200", label(property), in_quotes(property.value)));
}

base::Result<std::optional<LinkPower>> read_link_properties(const Properties& properties, Sharing sharing,
                                                            std::vector<std::string>& warnings) {
  std::optional<LinkPower> power;
  for (const Property& property : properties) {
    if (property.id == "wattage_range") {
      const base::Result<LinkPower> read = read_link_power(property);
      if (!read) {
        return tl::make_unexpected(read.error());
      }
      if (sharing == Sharing::shared) {
        power = *read;
      } else {
        warnings.push_back(fmt::format("{} is not used: the load of a FATPIPE is not followed", label(property)));
      }
    } else if (property.id == "wattage_off") {
      if (const auto watts = parse_non_negative(property.value); !watts) {
        return at_place(label(property), watts.error());
      }
    } else if (property.id.starts_with("farcast:")) {
      return base::fail(fmt::format("{}: unknown property {} of a link, expected wattage_range or wattage_off", property.place,
                                    in_quotes(property.id)));
    } else {
      warnings.push_back(fmt::format("{} is not used", label(property)));
    }
  }
  return power;
}

} // namespace farcast::platform
