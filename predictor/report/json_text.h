// JSON as text that people can read and compare by line: containers of plain values stand on one
// line, others are opened.
//
// The same value gives the same bytes. Numbers round-trip; what is not finite becomes null; bytes
// of strings that are not UTF-8 (program arguments may hold any) become U+FFFD.
#pragma once

#include "predictor/base/estimate.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace farcast::report {

using Json = nlohmann::ordered_json;

// `depth` is how deep the value stands in its document: its inner lines are indented by two blanks
// per level.
std::string to_text(const Json& value, int depth = 0);

// Returns: its two ends; null where there is none.
Json interval_value(const std::optional<base::Interval>& interval);

} // namespace farcast::report
