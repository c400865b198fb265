#include "predictor/model/supertile.h"

#include "predictor/model/energy_delay.h"
#include "predictor/model/figures.h"

#include <algorithm>
#include <cmath>

namespace farcast::model {

namespace {

double inner_side(double tiles) { return std::max(0.0, tiles - 2.0); }

} // namespace

base::Result<void> check(const SpmdProgram& program) {
  return Figures("SPMD program")
      .within("dimensions", program.dimensions, 1, 16)
      .at_least("tiles per side", program.side_tiles, 1.0)
      .at_least("iterations", program.iterations, 0.0)
      .positive("efficiency", program.efficiency)
      .within("efficiency", program.efficiency, 0.0, 1.0)
      .result();
}

base::Result<void> check(const SpmdOverhead& overhead) {
  return Figures("overhead of a scenario")
      .positive("computation", overhead.computation)
      .positive("communication", overhead.communication)
      .positive("power", overhead.power)
      .result();
}

base::Seconds SpmdIteration::time() const { return edge + std::max(internal, communication); }

double communication_ratio(base::Seconds link, base::Seconds tile) { return link / tile; }

base::Result<double> ideal_supertile(const SpmdProgram& program, double lambda) {
  const auto fine = Figures("supertile").positive("lambda", lambda).result();
  if (!fine) return tl::make_unexpected(fine.error());
  // (K-2)^n / K^(n-1) = lambda effic: the left side h grows with K from 0 at 2, and K - 2n <= h <=
  // K - 2 bound the root.
  const double wanted = lambda * program.efficiency;
  const int n = program.dimensions;
  double low = wanted + 2.0, high = wanted + 2.0 * n;
  const auto h = [n](double tiles) { return (tiles - 2.0) * std::pow((tiles - 2.0) / tiles, n - 1); };
  for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
    (h(middle) < wanted ? low : high) = middle;
  return high;
}

double cores_for(const SpmdProgram& program, double tiles) { return std::pow(program.side_tiles / tiles, program.dimensions); }

double tiles_for(const SpmdProgram& program, double cores) {
  return program.side_tiles / std::pow(cores, 1.0 / program.dimensions);
}

SpmdIteration spmd_iteration(const SpmdProgram& program, const SpmdMachine& machine, base::Hertz frequency, double tiles) {
  const double all = std::pow(tiles, program.dimensions), inner = std::pow(inner_side(tiles), program.dimensions);
  return {(all - inner) * machine.edge_tile(frequency), inner * machine.internal_tile(frequency),
          std::pow(tiles, program.dimensions - 1) * machine.link};
}

base::Joules core_energy(const SpmdMachine& machine, base::Hertz frequency, const SpmdIteration& spent) {
  const auto power = [&](SpmdPhase phase) {
    return machine.phase[static_cast<std::size_t>(phase)](frequency) / machine.cores_per_node;
  };
  const bool waits = spent.internal <= spent.communication;
  return power(SpmdPhase::edge) * spent.edge + power(SpmdPhase::overlap) * std::min(spent.internal, spent.communication) +
         (waits ? power(SpmdPhase::waiting) * (spent.communication - spent.internal)
                : power(SpmdPhase::edge) * (spent.internal - spent.communication));
}

SpmdRun spmd_run(const SpmdProgram& program, const SpmdMachine& machine, base::Hertz frequency, double tiles) {
  const SpmdIteration spent = spmd_iteration(program, machine, frequency, tiles);
  SpmdRun run{frequency, tiles, cores_for(program, tiles), program.iterations * spent.time(), {}, {}};
  run.energy = program.iterations * (run.cores * core_energy(machine, frequency, spent));
  run.energy_delay = energy_delay(run.energy, run.time);
  return run;
}

base::Result<std::vector<SpmdRun>> spmd_runs(const SpmdProgram& program, const SpmdMachine& machine,
                                             std::span<const base::Hertz> frequencies) {
  if (const auto fine = check(program); !fine) return tl::make_unexpected(fine.error());
  std::vector<SpmdRun> runs;
  for (const base::Hertz frequency : frequencies) {
    const base::Seconds tile = machine.internal_tile(frequency);
    const auto fine = Figures("SPMD machine")
                          .positive("frequency", frequency.value())
                          .positive("an inner tile's time", tile.value())
                          .at_least("cores per node", machine.cores_per_node, 1)
                          .result();
    if (!fine) return tl::make_unexpected(fine.error());
    const auto tiles = ideal_supertile(program, communication_ratio(machine.link, tile));
    if (!tiles) return tl::make_unexpected(tiles.error());
    runs.push_back(spmd_run(program, machine, frequency, *tiles));
  }
  return runs;
}

SpmdMachine with_overhead(const SpmdMachine& machine, const SpmdOverhead& overhead) {
  SpmdMachine slower = machine;
  slower.internal_tile.at_one_ghz = machine.internal_tile.at_one_ghz * overhead.computation;
  slower.edge_tile.at_one_ghz = machine.edge_tile.at_one_ghz * overhead.computation;
  slower.link = machine.link * overhead.communication;
  for (PowerCurve& curve : slower.phase)
    curve = {curve.constant * overhead.power, curve.per_ghz * overhead.power, curve.per_square * overhead.power};
  return slower;
}

} // namespace farcast::model
