// A time line as the page reads it: segments in binary, the figures of all ranks over time as numbers.
//
// TimeLine -> JSON, schema.md under `line`. Pure functions. Threads: one.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/timeline/time_line.h"

#include <cstdint>
#include <string>
#include <vector>

namespace farcast::html {

// Returns: the bytes in base64 (RFC 4648), little-endian.
std::string base64(const std::vector<std::uint8_t>& bytes);

// `most`: segments of all ranks together.
report::Json line_value(const timeline::TimeLine& line, std::size_t most);

inline constexpr std::size_t kProfileSlices = 400;

} // namespace farcast::html
