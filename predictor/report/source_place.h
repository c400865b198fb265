// Where in the source time goes, for people: what stands between two calls of MPI, and around one.
//
// In:  a region or a call site with what debug information says of it (RunSummary::sites).
// Out: "relax, heat.c:40-58"; where debug information is missing, the names of the calls.
// Pure functions.
#pragma once

#include "predictor/report/run_summary.h"

#include <cstdint>
#include <string>

namespace farcast::report {

// Returns: the function and lines between the two calls of a region:
//   both in one function, the second further down    "relax, heat.c:40-58"
//   the second at the first or above it (a loop)     "relax, heat.c:31-60, from 58 on to 40 again"
//   both below different calls of one function       "main, heat.c:90-97", its lines (--stack N)
//   in two functions: the rest of the first and the second up to its call
//                                                    "relax, heat.c:58-60, to norm, norm.c:12-30"
std::string region_place(std::uint32_t region, const RunSummary& run);
// Returns: "MPI_Recv in exchange, halo.c:124".
std::string site_place(std::uint32_t site, const RunSummary& run);

} // namespace farcast::report
