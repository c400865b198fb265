// A whole file as text. Threads: any.
#pragma once

#include "predictor/base/result.h"

#include <string>

namespace farcast::base {

// Returns: what the file holds, byte for byte. Errors: it is not there, is a folder or may not be read; one sentence with the
// path.
Result<std::string> read_file(const std::string& path);

} // namespace farcast::base
