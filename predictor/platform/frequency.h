// Which state the processors of a platform are in, by its frequency.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"

namespace farcast::platform {

// Puts every host into its state of that frequency: speed and watts become that state's.
// Errors: a host without such a state: names it and the frequencies that it has
// (farcast:frequencies). The platform is then as before.
base::Result<void> choose_frequency(Platform& platform, base::Hertz frequency);

} // namespace farcast::platform
