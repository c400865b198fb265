// Sums over ranks of what was measured at call sites, as the aggregate sections of the text report
// need them.
#pragma once

#include "predictor/report/run_summary.h"

#include <cstddef>
#include <string>
#include <vector>

namespace farcast::report {

struct SiteTotal {
  Spread<base::Seconds> time; // over all ranks
  Spread<base::Bytes> sent;
  double cov = 0.0; // coefficient of variation of the ranks' times, over the ranks that called the site (as mpiP's)
};

std::vector<SiteTotal> site_totals(const RunSummary& run); // [site]

struct RunTotal {
  base::Seconds app_time{0.0};
  base::Seconds mpi_time{0.0};
  base::Bytes sent{0.0};
};

RunTotal run_total(const RunSummary& run, const std::vector<SiteTotal>& sites);

inline constexpr std::size_t kTopSites = 20; // in tables of sites; mpiP's "top twenty"

// Returns: "Send" for "MPI_Send", as mpiP names calls.
std::string call_name(const std::string& mpi_function);

// Returns: 100 * part / whole, 0 where there is no whole (mpiP prints 0.00 there).
double percent(double part, double whole);

} // namespace farcast::report
