// SPMD programs on grids of tiles: Balladini13 eq. (1) and (3) to (11).
//
// Each core computes a supertile of K^n tiles: first the edge (phase 1), then the inner tiles while
// the edge is communicated (phase 2), then it waits for the communication (phase 3).
//   lambda = CommT / Cptint                                                (1), largest link
//   Time   = sum over iterations of EdgCpT + max(IntCpT, CommT)            (3)
//   EdgCpT = (K^n - (K-2)^n) Cptedge     IntCpT = (K-2)^n Cptint           (4) (5)
//   CommT  = K^(n-1) max over links and directions of CommT(p)(w)          (6)
//   K^(n-1) lambda = (K-2)^n / effic     solved for K                      (7)
//   E = sum over iterations of EC Ncores     Ncores = M^n / K^n            (8) (9)
//   EC = Pw1 EdgCpT + Pw2 min(IntCpT, CommT) + rest, Pw_i = Phase_i / CoresByNode     (10) (11)
//        rest: Pw3 (CommT - IntCpT), or Pw1 (IntCpT - CommT) where the inner tiles take longer
// 1. K and Ncores are real numbers, as in the equations. A supertile below 2 tiles is all edge.
// 2. A node's power is shared out to its cores (10): cores that stay idle beside are not charged.
// Scenarios (real machine, one VM, a VM per core) differ by factors. Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"
#include "predictor/model/frequency_law.h"

#include <array>
#include <span>
#include <vector>

namespace farcast::model {

struct SpmdProgram {
  int dimensions = 2;      // n
  double side_tiles = 1;   // M: the grid has M^n tiles
  double iterations = 1;   // ite
  double efficiency = 1.0; // effic, above 0 and at most 1
};

enum class SpmdPhase { edge, overlap, waiting }; // 1, 2, 3
inline constexpr std::size_t kSpmdPhases = 3;

struct SpmdMachine {                         // tiles and power follow f by the paper's regressions
  TimeCurve internal_tile;                   // Cptint(f)
  TimeCurve edge_tile;                       // Cptedge(f)
  base::Seconds link;                        // max of CommT(p)(w), of one tile
  std::array<PowerCurve, kSpmdPhases> phase; // [SpmdPhase] Phase_i(f): of the whole node
  int cores_per_node = 1;                    // CoresByNode
};

// What a scenario costs against the real machine, as factors; 1: nothing.
struct SpmdOverhead {
  double computation = 1.0;
  double communication = 1.0;
  double power = 1.0;
};

// What one core spends in one iteration.
struct SpmdIteration {
  base::Seconds edge, internal, communication;

  [[nodiscard]] base::Seconds time() const; // the term of eq. (3)
};

struct SpmdRun {
  base::Hertz frequency;
  double tiles = 0.0; // K
  double cores = 0.0; // Ncores
  base::Seconds time;
  base::Joules energy;
  base::JouleSeconds energy_delay;
};

// Errors: a figure out of range.
base::Result<void> check(const SpmdProgram& program);
base::Result<void> check(const SpmdOverhead& overhead);

// Returns: lambda, eq. (1). Requires: tile > 0.
double communication_ratio(base::Seconds link, base::Seconds tile);

// Returns: K of eq. (7), above 2; the solution is unique. Requires: check(program).
// Errors: lambda not positive.
base::Result<double> ideal_supertile(const SpmdProgram& program, double lambda);

// Returns: Ncores of eq. (9), and K for that many cores. Requires: both above 0.
double cores_for(const SpmdProgram& program, double tiles);
double tiles_for(const SpmdProgram& program, double cores);

// Requires, of all three: check(program), a frequency and K above 0.
SpmdIteration spmd_iteration(const SpmdProgram& program, const SpmdMachine& machine, base::Hertz frequency, double tiles);
// EC, eq. (10) and (11).
base::Joules core_energy(const SpmdMachine& machine, base::Hertz frequency, const SpmdIteration& spent);
SpmdRun spmd_run(const SpmdProgram& program, const SpmdMachine& machine, base::Hertz frequency, double tiles);

// Returns: a run per frequency, each with its own ideal supertile. Which one minimises time,
// energy or EDP: best_runs() of energy_delay.h.
// Errors: a figure or a frequency out of range.
base::Result<std::vector<SpmdRun>> spmd_runs(const SpmdProgram& program, const SpmdMachine& machine,
                                             std::span<const base::Hertz> frequencies);

SpmdMachine with_overhead(const SpmdMachine& machine, const SpmdOverhead& overhead);

} // namespace farcast::model
