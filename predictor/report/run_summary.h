// What was measured in one run: everything that a report says about it, independent of any platform.
//
// Filled from the recorded stream (live, or read back from a run file); read by text.h and json.h.
// Invariants:
// 1. sites and regions are tables; their indices are the `site` and `region` of operations and
//    predictions, and the numbers that people see in reports. Index 0 is as good as any other.
// 2. site_stats[site] is empty for a site that no rank called, else it has one entry per rank;
//    region_stats[region].
// 3. An optional figure that is unset is unavailable; it is never written as 0.
// Plain data: const access from many threads at once.
#pragma once

#include "predictor/base/units.h"
#include "predictor/region/symbolizer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace farcast::report {

// Count, sum and extremes of some measured quantity.
template <class Amount> struct Spread {
  std::uint64_t count = 0;
  Amount total{0.0};
  Amount max{0.0};
  Amount min{0.0};

  void add(Amount value) { merge({1, value, value, value}); }
  void merge(const Spread& other) {
    if (other.count == 0) return;
    max = count == 0 ? other.max : std::max(max, other.max);
    min = count == 0 ? other.min : std::min(min, other.min);
    total += other.total;
    count += other.count;
  }
  [[nodiscard]] Amount mean() const { return count == 0 ? Amount(0.0) : total * (1.0 / static_cast<double>(count)); }
};

struct SiteLevel {      // one frame of the stack above a call
  std::string text;     // "exchange_1.f:130", or symbol+offset, or module+offset
  std::string file;     // empty: unknown
  int line = 0;         // 0: unknown
  std::string function; // empty: unknown
  std::string module;   // base name of the object
};

struct SiteInfo {                      // a place in the program that calls one MPI function
  std::string text;                    // "exchange_1.f:130", or symbol+offset, or module+offset
  std::string file;                    // empty: unknown
  int line = 0;                        // 0: unknown
  std::string function;                // enclosing function of the program; empty: unknown
  std::string module;                  // base name of the object
  std::string mpi_function;            // "MPI_Send"
  std::vector<SiteLevel> callers = {}; // levels 1, 2 ... of its stack (--stack N), innermost first
  bool shares_text = false;            // another site differs only in its callers: names say the number (mark_shared_texts)
  region::FunctionLines around = {};   // of the longest regions' ends; empty: unknown
};

struct SiteStats { // one site, one rank
  Spread<base::Seconds> time;
  Spread<base::Bytes> sent; // calls that sent something: payload of each
};

struct RegionInfo { // the computation between two consecutive MPI calls of a rank
  std::uint32_t from_site = 0;
  std::uint32_t to_site = 0;
};

struct RegionStats { // over all ranks
  std::uint64_t visits = 0;
  base::Seconds total{0.0};
  double cov = 0.0; // coefficient of variation over the visits
};

struct Counters {                                  // hardware counters, when they were asked for
  std::vector<std::string> events;                 // as PAPI names them
  std::string unavailable;                         // why there are none; empty: regions has them
  std::vector<std::vector<std::uint64_t>> regions; // [region][event] sums over all ranks; empty: nothing was counted there
};

struct ThreadsOfRank { // of the program, whether they call MPI or not
  int alive = 0;       // at MPI_Finalize; 0: unknown
  int computing = 1;   // at a time
  int cores = 0;       // of the node, that they might use; 0: unknown
  double busy = 1;     // cores, in the mean over the computation of the rank
};

struct RankSummary {
  std::string host;                                    // real node
  base::Seconds app_time{0.0};                         // exit of Init to entry of Finalize
  base::Seconds mpi_time{0.0};                         // of that, inside MPI calls
  std::optional<ThreadsOfRank> threads = std::nullopt; // unset: nobody asked
};

// More threads computed at a time than there were cores for them.
struct RanksOnFewCores { // each rank has more than it had cores
  std::size_t ranks = 0; // of which that holds
  int rank = -1;         // where it is worst, with
  int threads = 0;       // so many
  int cores = 0;
};
struct NodeOfFewCores { // the ranks of a node together have, each on the cores that it might use
  std::string host;
  std::size_t ranks = 0; // that computed at a time
  int threads = 0;
  int cores = 0;
};
using CrowdedThreads = std::variant<RanksOnFewCores, NodeOfFewCores>;

// Ranks took turns on cores although each computed with one thread.
struct SharedCores {
  std::string host;
  std::size_t ranks = 0; // that computed at a time
  int cores = 0;         // that they might use, together
};

struct Unmodelled { // calls of one function that the engine takes at their measured time
  std::uint64_t count = 0;
  base::Seconds time{0.0};
};

struct Overhead {                               // what watching cost
  std::optional<base::Seconds> per_call;        // added by the recording of one call, as it was in this run
  std::vector<base::Seconds> per_rank;          // [rank] added over the run; empty: unavailable
  std::optional<base::Seconds> predictor_cpu;   // CPU time of the predictor while ranks computed
  bool predictor_shares_cores = false;          // the ranks left no core idle: its time is in per_call and per_rank
  std::optional<std::uint64_t> backlog_records; // not yet played when the last rank entered Finalize
  std::optional<double> share_of_wall;          // 0.01: the run took 1 % longer
};

struct PushedAside { // time in which a rank could have run and did not: taken out of its computation and local calls
  double share = 0;  // of the time of all ranks
  double worst = 0;  // of the time of worst_rank
  std::size_t worst_rank = 0;
  std::size_t partial_ranks = 0; // ranks of which it is unknown where they slept as well
  std::optional<double> steal;   // share of the processor time that the hypervisor took; unset: unknown
};

// What the record of a run does not cover.
struct RanksElsewhere { // fewer ranks were recorded here than the program has
  std::size_t recorded = 0;
  int world_size = 0;
  std::string host; // of those; empty: there are none
};
struct RecordsDamaged {
  int rank = -1; // what came before is covered
};
struct RankDied {
  int rank = -1; // what it recorded until then is covered
};
struct RecordingStopped { // farcast switched itself off in this rank
  int rank = -1;
  std::string reason;
  std::uint64_t refused = 0; // calls that came later
};
struct ThreadsBeyondLimit {
  int rank = -1;
  std::uint64_t refused = 0; // calls of theirs
};
using CoverageGap = std::variant<RanksElsewhere, RecordsDamaged, RankDied, RecordingStopped, ThreadsBeyondLimit>;

struct RunSummary {
  std::string farcast_version;
  std::string program;            // argv, joined with blanks
  std::string executable;         // path
  std::string mpi_library;        // "Open MPI", "MPICH"
  std::string mpi_version;        // as the library says it, one line
  std::string start_date;         // ISO 8601
  std::string coupled_to;         // the platform whose outcomes the program got; empty: those that really happened
  base::Seconds wall{0.0};        // latest entry of MPI_Finalize minus exit of MPI_Init
  bool complete = true;           // false: gaps or notes say what is missing
  std::vector<std::string> notes; // sentences that the recording brought along
  std::vector<CoverageGap> gaps;  // in words: coverage_sentence()

  std::vector<RankSummary> ranks;                 // [rank]
  std::map<std::string, std::uint64_t> calls;     // MPI function -> calls of all ranks
  std::uint64_t recorded = 0;                     // calls
  std::uint64_t refused = 0;                      // calls that were seen and not recorded
  std::uint64_t time_dependent_decisions = 0;     // outcomes that hang on timing and were taken as they really happened
  std::map<std::string, std::uint64_t> undecided; // coupled: what hangs on this machine's timing -> calls
  std::vector<SiteInfo> sites;
  std::vector<std::vector<SiteStats>> site_stats; // [site][rank]
  std::vector<RegionInfo> regions;
  std::vector<RegionStats> region_stats;        // [region]
  std::optional<Counters> counters;             // unset: not asked for
  std::map<std::string, Unmodelled> unmodelled; // MPI function -> what was taken as measured
  Overhead overhead;
  std::optional<PushedAside> pushed_aside; // unset: it was not measured
  std::vector<CrowdedThreads> crowded;     // in words: crowded_sentence()
  std::optional<SharedCores> shared_cores; // of the first node where that happened
};

// Returns: "from -> to" with the texts of the two sites; numbers where the tables do not know them.
std::string region_name(std::uint32_t region, const std::vector<RegionInfo>& regions, const std::vector<SiteInfo>& sites);
// Sets shares_text of all sites.
void mark_shared_texts(std::vector<SiteInfo>& sites);
// Returns: the text of a site, as tables print it beside its number; its number where the table
// does not know it.
std::string site_text(std::uint32_t site, const std::vector<SiteInfo>& sites);
// Returns: a name that no other site has unless it stands at the same place: the text, with the
// number where that is needed.
std::string site_name(std::uint32_t site, const std::vector<SiteInfo>& sites);

} // namespace farcast::report
