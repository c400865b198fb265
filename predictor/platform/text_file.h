// A whole text file as a string.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <string_view>

namespace farcast::platform {

// Returns: the bytes of the file, of a pipe as well.
// Errors: unreadable, a device, or larger than 64 MiB (base/read_file.h); the sentence says that
// `what` was expected ("a hostfile").
base::Result<std::string> read_text_file(const std::string& path, std::string_view what);

} // namespace farcast::platform
