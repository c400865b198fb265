// SimGrid's comp-adjustment-file as text: a header line, then
// `"exchange_1.f:30:exchange_1.f:130",1.18244559422142` a line.
//
// The name is the previous call's file:line and this call's; the measured time is divided by the
// number. Pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/region/slowdown_table.h"

#include <string>
#include <string_view>

namespace farcast::region {

// `path` is what errors name. Errors: file:line, what was found, what was expected.
base::Result<SlowdownTable> parse_adjustments(std::string_view text, const std::string& path);
std::string adjustment_text(const SlowdownTable& table);

} // namespace farcast::region
