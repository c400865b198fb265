// The <prop id= value=> lines of one XML element.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::platform {

struct Property {
  std::string id;
  std::string value;
  std::string place; // "file:line", for messages
};
using Properties = std::vector<Property>; // in the order of the file; every id once

// Returns: "file:line: property ID", for messages.
std::string label(const Property& property);
// Returns: what was found there, and what is expected.
tl::unexpected<base::Error> unlike(const Property& property, std::string_view expected);

} // namespace farcast::platform
