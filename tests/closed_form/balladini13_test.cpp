// Balladini et al., "Methodology for predicting the energy consumption of SPMD application on
// virtualized environments", 2013.
#include "tests/closed_form/figures.h"

#include "predictor/model/energy_delay.h"
#include "predictor/model/frequency_law.h"
#include "predictor/model/supertile.h"

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

namespace balladini13_test {

using namespace farcast;
using namespace closed_form;

namespace {

base::Seconds us(double value) { return base::Seconds(value * kMicro); }
model::PowerCurve flat(double watts) { return {base::Watts(watts), base::Watts(0), base::Watts(0)}; }

// Tiles that take 1 us (inner) and 2 us (edge) at 1 GHz, a link of `link_us` per tile, nodes of 6
// cores that draw 120, 150 and 100 W in the three phases.
model::SpmdMachine machine(double link_us) {
  return {{us(1), -1}, {us(2), -1}, us(link_us), {flat(120), flat(150), flat(100)}, 6};
}
constexpr base::Hertz kOneGhz(1e9);

model::SpmdProgram program(int dimensions, double efficiency = 1.0) { return {dimensions, 100, 1000, efficiency}; }

struct Row { // Table 2
  char scenario;
  double ghz, time_s, energy_j, edp;
};
constexpr Row kTable2[] = {
    {'A', 3.19, 38.8, 9145.9, 3.56e5},  {'A', 2.79, 42.1, 8954.3, 3.77e5},  {'A', 1.59, 73.5, 12338.3, 9.08e5},
    {'B', 3.19, 42.8, 10086.0, 4.32e5}, {'B', 2.79, 44.8, 9488.3, 4.33e5},  {'B', 1.59, 74.1, 12460.6, 9.24e5},
    {'C', 3.19, 45.2, 10775.7, 4.88e5}, {'C', 2.79, 51.8, 11139.3, 5.77e5}, {'C', 1.59, 91.4, 15217.9, 1.39e6}};

struct Character { // Table 1, at 3.19 GHz
  char scenario;
  Printed tile_s, link_s, ratio;
  double power_w;
};
constexpr Character kTable1[] = {{'A', {1.5e-8, 0.1e-8}, {3.18e-6, 0.01e-6}, {211, 1}, 235.20},
                                 {'B', {2.05e-8, 0.01e-8}, {3.6e-6, 0.1e-6}, {243, 1}, 235.29},
                                 {'C', {2.22e-8, 0.01e-8}, {6.75e-6, 0.01e-6}, {304, 1}, 238.03}};

} // namespace

TEST_CASE("Balladini13 eq. (3) to (6), (8) to (11): communication hidden behind the inner tiles") {
  const auto spent = model::spmd_iteration(program(2), machine(5), kOneGhz, 10);
  CHECK(spent.edge.value() == by_hand(72e-6));          // (100 - 64) * 2 us
  CHECK(spent.internal.value() == by_hand(64e-6));      // 8^2 * 1 us
  CHECK(spent.communication.value() == by_hand(50e-6)); // 10 * 5 us
  CHECK(spent.time().value() == by_hand(136e-6));
  // 72 us at 20 W, 50 us at 25 W, 14 us at 20 W
  CHECK(model::core_energy(machine(5), kOneGhz, spent).value() == by_hand(2970e-6));
  const auto run = model::spmd_run(program(2), machine(5), kOneGhz, 10);
  CHECK(run.cores == by_hand(100)); // 100^2 / 10^2
  CHECK(run.time.value() == by_hand(0.136));
  CHECK(run.energy.value() == by_hand(297.0));
  CHECK(run.energy_delay.value() == by_hand(40.392));
}

TEST_CASE("Balladini13 eq. (11): cores that wait for communication") {
  const auto run = model::spmd_run(program(2), machine(8), kOneGhz, 10);
  CHECK(run.time.value() == by_hand(0.152)); // 72 + max(64, 80) us
  // 72 us at 20 W, 64 us at 25 W, 16 us at 16.67 W
  CHECK(run.energy.value() == by_hand(1e5 * (1440 + 1600 + 266.66666666666667) * kMicro));
}

TEST_CASE("Balladini13 eq. (3) to (6) in one and three dimensions, and a supertile that is all edge") {
  const auto line = model::spmd_iteration(program(1), machine(5), kOneGhz, 10);
  CHECK(line.edge.value() == by_hand(4e-6));
  CHECK(line.internal.value() == by_hand(8e-6));
  CHECK(line.communication.value() == by_hand(5e-6));
  const auto cube = model::spmd_iteration(program(3), machine(5), kOneGhz, 10);
  CHECK(cube.edge.value() == by_hand(976e-6)); // (1000 - 512) * 2 us
  CHECK(cube.internal.value() == by_hand(512e-6));
  CHECK(cube.communication.value() == by_hand(500e-6));
  const auto one = model::spmd_iteration(program(2), machine(5), kOneGhz, 1);
  CHECK(one.edge.value() == by_hand(2e-6));
  CHECK(one.internal.value() == 0.0);
}

TEST_CASE("Balladini13 eq. (1) and (7): the ideal supertile") {
  CHECK(model::communication_ratio(us(5), us(1)) == by_hand(5));
  const auto ideal = [](int dimensions, double efficiency, double lambda) {
    return model::ideal_supertile(program(dimensions, efficiency), lambda).value();
  };
  CHECK(ideal(1, 1.0, 5) == by_hand(7));                    // K - 2 = 5
  CHECK(ideal(2, 0.8, 5) == by_hand(7.464101615137754));    // K^2 - 8 K + 4 = 0
  CHECK(ideal(2, 1.0, 211) == by_hand(214.98139373788314)); // scenario A's ratio: K^2 - 215 K + 4 = 0
  CHECK(ideal(3, 1.0, 0.5) == by_hand(4));                  // 2^3 / 4^2
  CHECK(ideal(3, 0.5, 1) == by_hand(4));
  CHECK(model::cores_for(program(2), 20) == by_hand(25));
  CHECK(model::tiles_for(program(2), 25) == by_hand(20));
  CHECK(model::tiles_for(program(3), 8) == by_hand(50));
  CHECK_FALSE(model::ideal_supertile(program(2), 0));
  // At that size both sides of (7) are equal: communication takes the inner tiles' time / effic.
  const auto spent = model::spmd_iteration(program(2, 0.8), machine(5), kOneGhz, ideal(2, 0.8, 5));
  CHECK(spent.communication.value() == by_hand(spent.internal.value() / 0.8));
}

TEST_CASE("Balladini13 3.1: tiles and power over the frequency") {
  const model::TimeCurve tile{us(8), -1.5};
  CHECK(tile(base::Hertz(4e9)).value() == by_hand(1e-6));
  CHECK(tile(kOneGhz).value() == by_hand(8e-6));
  const model::PowerCurve power{base::Watts(100), base::Watts(-10), base::Watts(5)};
  CHECK(power(base::Hertz(3e9)).value() == by_hand(115));
  CHECK(power(kOneGhz).value() == by_hand(95));
}

TEST_CASE("Balladini13: Time(f), E(f) and EDP(f), and what minimises each") {
  model::SpmdMachine node = machine(5);
  node.phase.fill({base::Watts(10), base::Watts(0), base::Watts(40)}); // 10 + 40 f^2
  const std::vector<base::Hertz> frequencies{base::Hertz(0.5e9), base::Hertz(1e9), base::Hertz(2e9)};
  const auto runs = model::spmd_runs(program(2), node, frequencies);
  REQUIRE(runs);
  std::vector<model::RunCost> costs;
  for (std::size_t i = 0; i < runs->size(); ++i) {
    const model::SpmdRun& one = (*runs)[i];
    const double ghz = frequencies[i].value() / kGiga, lambda = 5 * ghz; // inner tiles of 1 us / f
    const double tiles = 0.5 * (4 + lambda + std::sqrt((4 + lambda) * (4 + lambda) - 16));
    CHECK(one.tiles == by_hand(tiles));
    const double time = 1000 * (((tiles * tiles - (tiles - 2) * (tiles - 2)) * 2 / ghz) + tiles * 5) * kMicro;
    CHECK(one.time.value() == by_hand(time));
    CHECK(one.energy.value() == by_hand(1e4 / (tiles * tiles) * time * (10 + 40 * ghz * ghz) / 6)); // all phases draw alike
    CHECK(one.energy_delay.value() == by_hand(one.energy.value() * one.time.value()));
    costs.push_back({one.time, one.energy});
  }
  const auto best = model::best_runs(costs);
  REQUIRE(best);
  // More clock takes larger supertiles on fewer cores: 106.05, 102.91 and 119.37 us an iteration.
  CHECK(best->time == 1);
  CHECK(best->energy == 0);
  CHECK(best->energy_delay == 0);
  CHECK_FALSE(model::spmd_runs(program(2), node, std::vector{base::Hertz(0)}));
  CHECK_FALSE(model::spmd_runs(program(2, 1.5), node, frequencies));
  CHECK_FALSE(model::best_runs({}));
}

TEST_CASE("the front over time and energy has every run that no other beats") {
  const auto run = [](double time, double energy) { return model::RunCost{base::Seconds(time), base::Joules(energy)}; };
  const std::vector<model::RunCost> runs{run(3, 1), run(1, 3), run(2, 2), run(2, 3), run(3, 1), run(4, 1), run(1, 4)};
  CHECK(model::pareto_front(runs) == std::vector<bool>{true, true, true, false, true, false, false});
  CHECK(model::pareto_front({}).empty());
}

TEST_CASE("Balladini13: a scenario's overheads are factors") {
  const model::SpmdOverhead per_core{1.48, 2.0, 1.01};
  REQUIRE(model::check(per_core));
  const model::SpmdMachine slower = model::with_overhead(machine(5), per_core);
  const auto real = model::spmd_iteration(program(2), machine(5), kOneGhz, 10);
  const auto virtual_machine = model::spmd_iteration(program(2), slower, kOneGhz, 10);
  CHECK(virtual_machine.edge.value() == by_hand(1.48 * real.edge.value()));
  CHECK(virtual_machine.internal.value() == by_hand(1.48 * real.internal.value()));
  CHECK(virtual_machine.communication.value() == by_hand(2.0 * real.communication.value()));
  CHECK(slower.phase[1](kOneGhz).value() == by_hand(151.5));
  CHECK_FALSE(model::check(model::SpmdOverhead{0, 1, 1}));
}

TEST_CASE("Balladini13 eq. (8) to (11): on all cores of a node, energy is the node's power times the time") {
  model::SpmdMachine node = machine(5);
  node.phase.fill(flat(235.20)); // Table 1, scenario A
  const model::SpmdProgram six{2, 500, 1000, 1.0};
  const auto run = model::spmd_run(six, node, kOneGhz, model::tiles_for(six, 6));
  CHECK(run.energy.value() == by_hand(235.20 * run.time.value()));
}

TEST_CASE("Balladini13 Table 2: EDP is time x energy within 0.4 %, B at 2.79 GHz within 2 %") {
  for (const Row& row : kTable2) {
    CAPTURE(row.scenario, row.ghz);
    const double edp = model::energy_delay(base::Joules(row.energy_j), base::Seconds(row.time_s)).value();
    const bool odd = row.scenario == 'B' && row.ghz == 2.79;
    CHECK(edp == Approx(row.edp).epsilon(odd ? 0.02 : 0.004));
    if (odd) CHECK_FALSE(edp == Approx(row.edp).epsilon(0.018));
  }
}

TEST_CASE("Balladini13 section 4: which frequency has the least time, energy and EDP") {
  const auto best = [](char scenario) {
    std::vector<model::RunCost> runs;
    for (const Row& row : kTable2)
      if (row.scenario == scenario) runs.push_back({base::Seconds(row.time_s), base::Joules(row.energy_j)});
    return model::best_runs(runs).value(); // 0: 3.19 GHz, 1: 2.79, 2: 1.59
  };
  for (const char scenario : {'A', 'B', 'C'}) CHECK(best(scenario).time == 0);
  CHECK(best('A').energy == 1);
  CHECK(best('B').energy == 1);
  CHECK(best('C').energy == 0);
  CHECK(best('A').energy_delay == 0);
  CHECK(best('C').energy_delay == 0);
  CHECK(best('B').energy_delay == 1);
  WARN("Table 2 contradicts section 4, which has the least EDP at 3.19 GHz in all scenarios: for B 44.8 s x 9488.3 J = 4.25e5 J "
       "s at "
       "2.79 GHz is below 4.32e5 at 3.19 GHz; printed is 4.33e5.");
}

TEST_CASE("Balladini13 Table 1: average power times Table 2's time is its energy within 0.3 %") {
  for (std::size_t i = 0; i < std::size(kTable1); ++i) {
    const Row& row = kTable2[3 * i]; // at 3.19 GHz
    REQUIRE(row.scenario == kTable1[i].scenario);
    CHECK((base::Watts(kTable1[i].power_w) * base::Seconds(row.time_s)).value() == Approx(row.energy_j).epsilon(0.003));
  }
}

TEST_CASE("Balladini13 Table 1 contradicts eq. (1) in scenario B") {
  for (const Character& one : kTable1) {
    CAPTURE(one.scenario);
    const double least = model::communication_ratio(base::Seconds(one.link_s.low()), base::Seconds(one.tile_s.high()));
    const double most = model::communication_ratio(base::Seconds(one.link_s.high()), base::Seconds(one.tile_s.low()));
    CHECK((one.ratio.high() >= least && one.ratio.low() <= most) == (one.scenario != 'B'));
  }
  WARN("printed ratio of B: 243; 3.6E-6 / 2.05E-8 is 176. 243 is about B's CommT by A's Cptint (240).");
}

TEST_CASE("Balladini13 Table 1's tiles slow down more in virtual machines than Table 2's runs") {
  const double tile_b = kTable1[1].tile_s.value / kTable1[0].tile_s.value,
               tile_c = kTable1[2].tile_s.value / kTable1[0].tile_s.value;
  const double run_b = kTable2[3].time_s / kTable2[0].time_s, run_c = kTable2[6].time_s / kTable2[0].time_s; // at 3.19 GHz
  CHECK(tile_b == by_hand(1.3666666666666667));
  CHECK(tile_c == by_hand(1.48));
  CHECK(run_b < 1.11);
  CHECK(run_c < 1.17);
  WARN("a tile takes 1.37 (one VM) and 1.48 times (a VM per core) as long as on the real machine, the run 1.10 and 1.16 times: "
       "factors "
       "of a scenario have to come from whole runs.");
}

TEST_CASE("Balladini13 Table 2 contradicts figure 10's overheads") {
  std::string rows;
  for (std::size_t i = 0; i < 3; ++i) {
    const Row &real = kTable2[i], &one = kTable2[3 + i], &per_core = kTable2[6 + i];
    const double one_vm = 100 * (one.time_s / real.time_s - 1), vm_per_core = 100 * (per_core.time_s / real.time_s - 1);
    CHECK((one_vm < 2) == (real.ghz == 1.59)); // "lower than 2%"
    CHECK(vm_per_core < 25);                   // "around 30% for all available frequencies"
    rows += fmt::format("  {} GHz: one VM {:.1f} %, a VM per core {:.1f} %\n", real.ghz, one_vm, vm_per_core);
  }
  WARN("section 4 has below 2 % (one VM) and around 30 % (a VM per core); Table 2's times give:\n" << rows);
}

} // namespace balladini13_test
