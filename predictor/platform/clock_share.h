// How much of computing the clock rules, for all hosts at once.
#pragma once

#include "predictor/platform/platform.h"

#include <map>
#include <memory>

namespace farcast::platform {

// Computing on every host follows the clock by `share` (farcast:clock_share), whatever the file said.
// Hosts that share a processor still do. Requires: 0 <= share <= 1.
inline void set_clock_share(Platform& platform, double share) {
  std::map<const Processor*, std::shared_ptr<const Processor>> changed;
  for (Host& host : platform.hosts) {
    if (host.processor == nullptr) continue;
    std::shared_ptr<const Processor>& processor = changed[host.processor.get()];
    if (processor == nullptr) {
      const auto copy = std::make_shared<Processor>(*host.processor);
      copy->clock_share = share;
      processor = copy;
    }
    host.processor = processor;
  }
}

} // namespace farcast::platform
