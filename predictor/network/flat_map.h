// The former place of base/flat_map.h.
#pragma once

#include "predictor/base/flat_map.h"

namespace farcast::network {

using base::FlatMap;
using base::mix_bits;
using base::MixHash;

} // namespace farcast::network
