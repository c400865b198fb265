// What one rank says that it has loaded, bounded: a rank sends its list a few times, whoever sends
// it for ever is not listened to.
#pragma once

#include "predictor/trace/recording.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace farcast::live {

class ModuleList {
public:
  // `text`: of a `modules` message (protocol.h). Appends to `out` what is new.
  void add(std::string_view text, std::vector<trace::LoadedModule>& out);

private:
  std::size_t bytes_ = 0; // of all messages
  std::unordered_set<std::string> known_;
};

} // namespace farcast::live
