// What a link carried, for those who ask (FlowNetwork::watch, OrderedNetwork::watch): intervals and
// bytes, never links that carry nothing. Fat pipes, which nobody shares, are not told.
#pragma once

#include "predictor/platform/platform.h"

#include <functional>

namespace farcast::network {

struct LinkUse {
  platform::LinkId link;
  double begin; // s
  double end;
  double bytes; // in between, at one rate; headers and acknowledgements included, where the network has them
};
using LinkWatcher = std::function<void(const LinkUse&)>;

} // namespace farcast::network
