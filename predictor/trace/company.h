// The former names of trace/corunners.h.
#pragma once

#include "predictor/trace/corunners.h"

namespace farcast::trace {

using CompanyCorrection = CorunnerCorrection;
using CompanyTrack = CorunnerTrack;

} // namespace farcast::trace
