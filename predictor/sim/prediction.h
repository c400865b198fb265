// What the engine says about one run on one platform.
#pragma once

#include "predictor/base/units.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace farcast::sim {

// What a rank spends its virtual time on. Each instant of a rank belongs to exactly one.
enum class Activity : std::uint8_t {
  compute,        // between MPI calls
  point_to_point, // in sends and receives, partner ready: transfer and overheads
  collective,     // in collectives, including the waiting inside their algorithm
  completion,     // in Wait*/Test* that succeeded, data under way
  waiting,        // in sends, receives, probes and waits before the partner was ready (late sender, late receiver)
  local,          // local and unmodelled MPI calls, and fruitless polls, at their measured time
  ended,          // after this rank's Finalize was entered, until the last one's
};
inline constexpr int kActivities = 7;
const char* name_of(Activity activity); // "compute", "point-to-point", ...

struct RankTimes {
  std::array<base::Seconds, kActivities> in{}; // [activity]; sums up to Prediction::time
  base::Bytes sent{0.0};                       // payload of its sends, those inside collectives included
  std::uint64_t messages = 0;
  std::array<base::Seconds, 2> given_polls{}; // in probes and in tests, as long as the platform says that they take
};

struct SiteTimes { // per call site and rank
  std::uint64_t count = 0;
  base::Seconds total{0.0};
  base::Seconds max{0.0};
  base::Seconds min{0.0};
};

struct RegionTimes { // over all ranks
  std::uint64_t visits = 0;
  base::Seconds measured{0.0};
  base::Seconds predicted{0.0};
};

struct NodeEnergy { // per used node
  std::uint32_t host = 0;
  base::Joules total{0.0};
  base::Seconds idle{0.0}; // time without an active core
};

struct EnergyParts {          // whole cluster
  base::Joules baseline{0.0}; // static and idle power
  base::Joules computing{0.0};
  base::Joules polling{0.0};
  base::Joules probing{0.0};
};

struct Problem {                     // deadlock, missing partner, mismatched collective
  std::string text;                  // a sentence without the call site's name
  std::optional<std::uint32_t> site; // where the rank stands that it speaks of
};

struct SlowdownUse {                // a file of regions' slowdowns was applied
  std::string source;               // the file, and what it was measured on
  base::Seconds exact{0.0};         // measured computation of regions that the file has
  base::Seconds neighbour{0.0};     // of others, that begin or end where one of them does
  base::Seconds same_file{0.0};     // of others, in a source file of one of them
  base::Seconds none{0.0};          // taken without slowdown
  base::Seconds beyond{0.0};        // of all, in more company than the file has
  base::Seconds played{0.0};        // predicted computation
  base::Seconds played_beyond{0.0}; // of that, in more company than the file has
  int company_played = 0;           // the largest of these
  int company_measured = 0;         // and the largest that the file has for their regions
};

struct Prediction {
  std::string platform;
  std::vector<std::string> cautions; // sentences: why these figures may be far off, to be read before them
  std::string placement;             // description
  std::string compute_speed;         // a sentence: as measured, or relative speed and where it comes from
  std::string transport;             // "smpi"
  std::optional<SlowdownUse> slowdowns;
  std::vector<std::string>
      assumptions;         // sentences: what the figures assume of this platform, e.g. that polling power was not measured
  base::Seconds time{0.0}; // latest entry of MPI_Finalize, clocks 0 at the exit of MPI_Init
  std::optional<base::Joules> energy; // unset: unavailable (no power figures)
  EnergyParts energy_parts;
  std::vector<NodeEnergy> nodes;
  int nodes_used = 0;
  std::vector<RankTimes> ranks;                          // [rank]
  std::map<std::uint32_t, std::vector<SiteTimes>> sites; // site -> [rank]
  std::map<std::uint32_t, RegionTimes> regions;          // region -> totals
  std::uint64_t events = 0;
  bool complete = true; // false: a rank stopped short or was blocked for good
  std::vector<Problem> problems;
};

} // namespace farcast::sim
