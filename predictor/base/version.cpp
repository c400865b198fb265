#include "predictor/base/version.h"

#ifndef FARCAST_VERSION
#define FARCAST_VERSION "unknown"
#endif

namespace farcast::base {

const char* version() { return FARCAST_VERSION; }

} // namespace farcast::base
