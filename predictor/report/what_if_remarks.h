// What the figures of a what-if rest on, and why they may be far off: each sentence once, with the
// points that it concerns.
#pragma once

#include "predictor/report/what_if.h"

#include <string>
#include <vector>

namespace farcast::report {

// Appends one block; nothing where there is nothing to say. Of remarks that differ in figures alone
// one is said, that of the point where it says most.
void append_remarks(std::string& out, const WhatIf& what, const Judgement& judged);
// Adds cautions and assumptions of points, each sentence as it is, and those of the run.
// `place`: [WhatIf::points] where the point stands in the list of the document.
void add_remarks(Json& document, const WhatIf& what, const std::vector<std::size_t>& place);

} // namespace farcast::report
