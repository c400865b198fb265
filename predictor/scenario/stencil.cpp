#include "predictor/scenario/stencil.h"

#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::scenario {

namespace {

constexpr std::size_t kMostPoints = 100000;

// Returns: the K that are asked for, whatever the frequency. Errors: one is impossible.
base::Result<std::vector<double>> sizes_of(const model::SpmdProgram& program, const StencilAxes& axes) {
  std::vector<double> out;
  for (const double tiles : axes.tiles) {
    if (tiles < 1 || tiles > program.side_tiles)
      return base::fail(fmt::format("--K: found a supertile of {:g} tiles per side, expected from 1 to the {:g} of the grid",
                                    tiles, program.side_tiles));
    out.push_back(tiles);
  }
  const double most = model::cores_for(program, 1);
  for (const double cores : axes.cores) {
    if (cores < 1 || cores > most)
      return base::fail(
          fmt::format("--cores: found {:g}, expected from 1 to {:g}, a core for each tile of the grid", cores, most));
    out.push_back(model::tiles_for(program, cores));
  }
  return out;
}

// Errors: what the file's curves give at this frequency is no figure of a machine.
base::Result<void> check_at(const model::SpmdMachine& machine, base::Hertz frequency) {
  constexpr std::array kPhases{"edge", "overlap", "waiting"};
  for (std::size_t phase = 0; phase < model::kSpmdPhases; ++phase) {
    const double watts = machine.phase.at(phase)(frequency).value();
    if (!(watts >= 0))
      return base::fail(fmt::format("the watts of phase {} at {:g} GHz: found {:g}, expected a number that is not negative",
                                    kPhases.at(phase), frequency.value() / 1e9, watts));
  }
  for (const base::Seconds tile : {machine.internal_tile(frequency), machine.edge_tile(frequency)})
    if (!(tile.value() > 0) || !std::isfinite(tile.value()))
      return base::fail(fmt::format("a tile's time at {:g} GHz: found {:g} s, expected a number above 0", frequency.value() / 1e9,
                                    tile.value()));
  return {};
}

StencilPoint point_of(const model::SpmdProgram& program, const model::SpmdMachine& machine, base::Hertz frequency, double tiles) {
  StencilPoint out;
  out.run = model::spmd_run(program, machine, frequency, tiles);
  out.iteration = model::spmd_iteration(program, machine, frequency, tiles);
  constexpr double kRounding = 1e-9; // 64.00000000001 cores are 64
  out.nodes = std::ceil(out.run.cores / machine.cores_per_node * (1 - kRounding));
  return out;
}

} // namespace

base::Result<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> out;
  for (const std::string_view part : base::split(text, ',')) {
    const auto value = platform::parse_positive(base::trimmed(part));
    if (!value) return base::fail(fmt::format("found {}, expected numbers above 0 such as 8,16,32", platform::in_quotes(text)));
    if (std::find(out.begin(), out.end(), *value) == out.end()) out.push_back(*value);
  }
  return out;
}

base::Result<std::vector<StencilPoint>> stencil_points(const StencilModel& stencil, const StencilAxes& axes) {
  const std::vector<base::Hertz>& frequencies = axes.frequencies.empty() ? stencil.frequencies : axes.frequencies;
  if (frequencies.empty())
    return base::fail("found no frequencies, expected frequencies_ghz in the file, or --frequency GHZ,...");
  const auto sizes = sizes_of(stencil.program, axes);
  if (!sizes) return tl::make_unexpected(sizes.error());
  const std::size_t count = stencil.scenarios.size() * frequencies.size() * std::max<std::size_t>(1, sizes->size());
  if (count > kMostPoints) return base::fail(fmt::format("the axes span {} points, expected at most {}", count, kMostPoints));
  std::vector<StencilPoint> out;
  for (const StencilScenario& scenario : stencil.scenarios) {
    const model::SpmdMachine machine = model::with_overhead(stencil.machine, scenario.overhead);
    for (const base::Hertz frequency : frequencies) {
      if (const auto fine = check_at(machine, frequency); !fine) return tl::make_unexpected(fine.error());
      std::vector<double> tiles = *sizes;
      bool grid_is_smaller = false;
      if (tiles.empty()) {
        const double ratio = model::communication_ratio(machine.link, machine.internal_tile(frequency));
        const auto ideal = model::ideal_supertile(stencil.program, ratio);
        if (!ideal) return tl::make_unexpected(ideal.error());
        grid_is_smaller = *ideal > stencil.program.side_tiles;
        tiles.push_back(std::min(*ideal, stencil.program.side_tiles));
      }
      for (const double each : tiles) {
        StencilPoint& point = out.emplace_back(point_of(stencil.program, machine, frequency, each));
        point.scenario = scenario.name;
        point.grid_is_smaller = grid_is_smaller;
      }
    }
  }
  return out;
}

} // namespace farcast::scenario
