// How much longer regions take beside co-runners: what `farcast calibrate regions` measures, and
// predictions apply.
//
// A region is the computation between two MPI calls, named by its two call sites: where these
// stand, and with `--stack N` the way on which the program came there. Its curve gives
// slowdown(co-runners) = cost with so many co-runners / cost alone; between measured numbers of
// co-runners it is straight, outside it is constant: nothing is extrapolated. A file of SimGrid
// knows no co-runners: its regions have a divisor instead, which the measured time is divided by.
// Invariants: 1. points are ascending by co-runners, the first is 1, alone, with slowdown 1; 2.
// slowdowns and divisors are above 0; 3. from and to are indices of `sites`. Plain data. Source:
// Heinrich17 V-A2.
#pragma once

#include "predictor/trace/recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farcast::region {

struct SlowdownPoint {
  int corunners = 1; // ranks that compute at the same time on the node, this one included
  double slowdown = 1.0;
  double spread = 0.0;       // relative standard deviation over the repetitions; 0 where there was only one
  std::uint64_t samples = 0; // repetitions behind it; 0: too little time was spent with so many, the point below holds
};

struct RegionSlowdown {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t visits = 0; // of one run, all ranks
  double alone_s = 0.0;     // of one run, all ranks, as if each had computed alone
  std::vector<SlowdownPoint> points{};
  std::optional<double> divisor = std::nullopt; // of SimGrid; then there are no points
};

struct SlowdownProvenance {
  std::string farcast_version;
  std::string program; // argv, joined with blanks
  std::string executable;
  std::string command; // of the calibration
  std::string host;
  std::string cpu_model;
  std::string mpi_library;
  std::string mpi_version;
  std::string date; // ISO 8601
  int cores = 0;    // of the host
  int ranks = 0;
  int repetitions = 0;       // of each run
  std::uint64_t lent = 0;    // tokens lent because nobody gave one back for long: then isolated runs were not quite alone
  double frequency_hz = 0.0; // that the cores were held to; 0: they were not, or nobody knows
};

// A place in the program, the same in all runs of one build: build-id (else the object's file name)
// and offset; or "file:line" and 0. A call site is the call, then what called the function that it
// stands in, and so on.
using SiteKey = std::pair<std::string, std::uint64_t>;
using SiteStack = std::vector<SiteKey>;

struct SlowdownTable {
  std::string source; // the file
  SlowdownProvenance provenance;
  std::vector<trace::ResolvedSite> sites;
  std::vector<SiteStack> callers{}; // [site] of the stack but for the call itself; empty: sites are told by their calls alone
  std::vector<RegionSlowdown> regions;
};

// Returns: frames of the longest stack, at least 1.
std::size_t stack_depth(const SlowdownTable& table);
SiteKey key_of_place(const std::string& build_id, const std::string& module, std::uint64_t offset);

// Returns: the curve at any number of co-runners >= 1. Requires: points are not empty.
double slowdown_at(const std::vector<SlowdownPoint>& points, double corunners);
// Returns: SimGrid's ratio: the measured time in isolation is divided by it to give the time with
// all co-runners.
double simgrid_ratio(const RegionSlowdown& region);

} // namespace farcast::region
