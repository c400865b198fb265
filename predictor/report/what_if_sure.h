// How sure the points of a what-if and their differences are.
//
// Points with what members of an ensemble make of them (scenario/members.h: all points have the
// same draws) -> intervals of their differences (base/difference.h: by the ratio of each member's
// figures, so that what is off in both points by the same factor is in no difference). Pure
// functions.
#pragma once

#include "predictor/base/estimate.h"
#include "predictor/report/what_if.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

// Returns: the point of the usual values (x1, poll, none) of all axes that have them, and of the
// first ones of others; that can be played: unset: none can.
std::optional<std::size_t> base_point(const WhatIf& what);

// Returns: what points are compared by for the goal, in seconds, joules or joule seconds; infinite:
// it has no energy, or never ends.
double cost_of(const PointFigures& figures, Goal goal);

struct Difference {
  double value = 0;                     // of the first point less the second
  std::optional<base::Interval> ninety; // 90 %; holds the value; unset: nobody knows
  [[nodiscard]] bool told_apart() const { return ninety && (ninety->low > 0 || ninety->high < 0); }
};
// Returns: unset where one of them has no figure. Both have figures.
std::optional<Difference> difference_of(const PointFigures& first, const PointFigures& second, Goal goal);

// Returns: whether some point has members.
bool has_members(const WhatIf& what);
std::string sure_column(const WhatIf& what);                                           // of the table
std::string sure_cell(const WhatIf& what, const Judgement& judged, std::size_t point); // "-40.1% (-42.0..-38.0)"
// Whether the best is told apart from the next, and what +- is.
void append_sure(std::string& out, const WhatIf& what, const Judgement& judged);

// With a comma in front.
std::string sure_csv_columns();
std::string sure_csv_cells(const WhatIf& what, const Judgement& judged, std::size_t point);
void add_sure(Json& entry, const WhatIf& what, const Judgement& judged, std::size_t point);
// `place`: [point] in the list of the document.
Json sure_json(const WhatIf& what, const Judgement& judged, const std::vector<std::size_t>& place);

} // namespace farcast::report
