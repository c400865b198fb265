// The network of a device as a property of hosts and clusters: L, o and g by message size (Soares16;
// model/logp_network.h).
//
//   farcast:logp   "bytes:L:o:g;bytes:L:o:g ...", seconds at message sizes that ascend
// Pure function, any thread.
#pragma once

#include "predictor/base/result.h"
#include "predictor/model/logp_network.h"
#include "predictor/platform/properties.h"

namespace farcast::platform {

// Errors: name the place, what was found, what was expected.
base::Result<model::LogpNetwork> read_logp(const Property& property);

} // namespace farcast::platform
