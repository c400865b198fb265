#include "predictor/platform/properties.h"

#include "predictor/platform/quantity_text.h"

#include <fmt/format.h>

namespace farcast::platform {

std::string label(const Property& property) { return fmt::format("{}: property {}", property.place, property.id); }

tl::unexpected<base::Error> unlike(const Property& property, std::string_view expected) {
  return base::fail(fmt::format("{}: found {}, expected {}", label(property), in_quotes(property.value), expected));
}

} // namespace farcast::platform
