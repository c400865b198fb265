// The <prop id= value=> lines of one XML element.
#pragma once

#include <string>
#include <vector>

namespace farcast::platform {

struct Property {
  std::string id;
  std::string value;
  std::string place; // "file:line", for messages
};
using Properties = std::vector<Property>; // in the order of the file; every id once

} // namespace farcast::platform
