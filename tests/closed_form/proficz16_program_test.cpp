// Programs of blocks on the clusters of Proficz and Czarnul, "Performance and Power-Aware Modeling of
// MPI Applications for Cluster Computing", PPAM 2015, LNCS 9574: printed figures, and times by hand
// with 40 digits.
#include "predictor/model/block_program.h"
#include "tests/closed_form/figures.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proficz16_program_test {

using namespace farcast;
using namespace closed_form;
using model::Block;
using model::BlockCluster;
using model::BlockProgram;
using model::ProgramBlock;

namespace {

base::Seconds us(double value) { return base::Seconds(value * kMicro); }

// Table 3: T and K in us and us/B, in the order of model::Block.
BlockCluster cluster(int low, int high, std::array<double, 4> times, std::array<std::array<double, 2>, model::kBlockCount> blocks,
                     double nodes) {
  BlockCluster out;
  out.nodes = nodes;
  out.time = model::ThreadTime{low, high, us(times[0]), us(times[1]), us(times[2]), us(times[3])};
  for (std::size_t i = 0; i < blocks.size(); ++i) out.blocks[i] = {blocks[i][0] * kMicro, blocks[i][1] * kMicro, 2048};
  return out;
}

BlockCluster galera_plus() {
  BlockCluster out = cluster(12, 24, {0.00165, 0.00194, 3.29e-4, 7.96e-5},
                             {{{3.7, 0.00063},
                               {1.7, 0.00188},
                               {5.0, 0.00340},
                               {8.1, 0.00346},
                               {7.5, 0.00012},
                               {1.4, 7.5},
                               {5200, 0.00253},
                               {1200, 0.00474}}},
                             192);
  out.power =
      model::ThreadPower{12, 24, base::Watts(78), base::Watts(4.84), base::Watts(109), base::Watts(1.9), base::Watts(151)};
  out.node_failures = base::Hertz(5.03372e-10);
  return out;
}

BlockCluster galera() {
  return cluster(8, 0, {0.0019, 0, 1.16e-4, 2.35e-4},
                 {{{1.3, 0.00132},
                   {-1.1, 0.00199},
                   {1.1, 0.00820},
                   {16.4, 0.00100},
                   {18.3, 0.00012},
                   {-1.2, 20.6},
                   {1390, 0.0324},
                   {270, 0.0066}}},
                 672);
}

BlockCluster kask() {
  return cluster(4, 8, {0.0033, 0.0034, 2.06e-4, 4.14e-4},
                 {{{1.3, 0.00181},
                   {-1.04, 0.0580},
                   {2.9, 0.00880},
                   {10.0, 0.00990},
                   {10.1, 0.00048},
                   {-1.8, 22.6},
                   {7600, 0.0290},
                   {1100, 0.0093}}},
                 10);
}

constexpr auto kComputation = ProgramBlock::Kind::computation;
constexpr auto kCommunication = ProgramBlock::Kind::communication;
constexpr auto kLoop = ProgramBlock::Kind::loop;

ProgramBlock compute(std::size_t group, double instructions) {
  return {kComputation, Block::point_to_point, {group}, instructions, false};
}
ProgramBlock communicate(Block block, std::vector<std::size_t> groups, double bytes) {
  return {kCommunication, block, std::move(groups), bytes, false};
}
ProgramBlock loop(double rounds, std::vector<ProgramBlock> body) {
  return {kLoop, Block::point_to_point, {}, 0, false, rounds, std::move(body)};
}

model::BlockRun run(const BlockProgram& program, const BlockCluster& on) {
  auto out = model::run_blocks(program, on);
  REQUIRE(out);
  return *out;
}

// One master, and 24 slaves on two nodes: a file is read and scattered, ten rounds of computation,
// exchange and barrier among the slaves, each slave's result to the master, a file is written.
BlockProgram master_and_slaves(int per_node) {
  return {{{"master", 1, 1}, {"slave", 24, per_node}},
          {communicate(Block::disk_read, {0}, 1e6), communicate(Block::scatter, {0, 1}, 1048576),
           loop(10, {compute(1, 11e6), communicate(Block::all_to_all, {1}, 2049), communicate(Block::barrier, {1}, 0)}),
           communicate(Block::point_to_point, {1, 0}, 100), communicate(Block::disk_write, {0}, 1e6)}};
}

} // namespace

TEST_CASE("Proficz16 fig. 3: one computation block of 11 million instructions by threads of a node of Galera+") {
  const double seconds[] = {0.01815, 0.01815, 0.02134, 0.02134, 0.025509, 0.0456478};
  const double watts[] = {82.84, 136.08, 133.7, 151, 151, 151}; // table 1, as proficz16_test.cpp has it
  const int threads[] = {1, 12, 13, 24, 25, 48};
  for (int i = 0; i < 6; ++i) {
    CAPTURE(threads[i]);
    const auto out = run({{{"worker", double(threads[i]), threads[i]}}, {compute(0, 11e6)}}, galera_plus());
    CHECK(out.time.value() == by_hand(seconds[i]));
    REQUIRE(out.energy);
    CHECK((*out.energy / out.time).value() == by_hand(watts[i]));
    CHECK(out.nodes == 1);
  }
}

TEST_CASE("Proficz16 table 1 with table 3: a program of master and slaves on the three clusters") {
  const auto on_galera_plus = run(master_and_slaves(12), galera_plus());
  CHECK(on_galera_plus.time.value() == by_hand(0.19599387913270225));
  CHECK(on_galera_plus.groups[1].end.value() == by_hand(0.19004690185270225));
  CHECK(on_galera_plus.nodes == 3);
  CHECK(on_galera_plus.processes == 25);
  REQUIRE(on_galera_plus.energy);
  CHECK(on_galera_plus.energy->value() == by_hand(68.887026211264498)); // 82.84 W, 2 x 136.08 W, then 2 x 78 W
  REQUIRE(on_galera_plus.success);
  CHECK(*on_galera_plus.success == by_hand(0.99999999970402651));
  CHECK(on_galera_plus.groups[1].computing.value() == by_hand(0.1815));
  CHECK(on_galera_plus.groups[0].computing.value() == 0);
  // Two nodes of slaves: twelve per node, more than the cores of Galera and of KASK.
  const auto on_galera = run(master_and_slaves(12), galera());
  CHECK(on_galera.time.value() == by_hand(0.36538491213699651));
  CHECK_FALSE(on_galera.energy); // "-" in table 3
  CHECK_FALSE(on_galera.success);
  CHECK(run(master_and_slaves(12), kask()).time.value() == by_hand(0.61797733759626757));
}

TEST_CASE("Proficz16 table 1: odds of a run on all of Galera+ for a day") {
  // 192 nodes, each with one process that computes for 86400 s: s = exp(-lambda t P).
  const auto out = run({{{"worker", 192, 1}}, {compute(0, 86400 / 0.00165e-6)}}, galera_plus());
  REQUIRE(out.success);
  CHECK(*out.success == by_hand(0.99168442979403));
}

TEST_CASE("a loop of n rounds is its body n times, also where groups run ahead of each other") {
  const std::vector<ProgramBlock> body{compute(0, 3e6), communicate(Block::point_to_point, {0, 1}, 5000),
                                       compute(1, 7e6), communicate(Block::broadcast, {1, 2}, 4096),
                                       compute(2, 1e6), communicate(Block::point_to_point, {2, 2}, 10)};
  const std::vector<model::ProcessGroup> groups{{"a", 1, 1}, {"b", 30, 12}, {"c", 7, 2}};
  for (const int rounds : {0, 1, 2, 7, 100}) {
    std::vector<ProgramBlock> unrolled{compute(2, 1e6)};
    for (int i = 0; i < rounds; ++i) unrolled.insert(unrolled.end(), body.begin(), body.end());
    const auto expected = run({groups, unrolled}, galera_plus());
    const auto found = run({groups, {compute(2, 1e6), loop(rounds, body)}}, galera_plus());
    CAPTURE(rounds);
    CHECK(found.time.value() == by_hand(expected.time.value()));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      CHECK(found.groups[i].end.value() == Approx(expected.groups[i].end.value()).epsilon(1e-9));
      CHECK(found.groups[i].waiting.value() == Approx(expected.groups[i].waiting.value()).epsilon(1e-9).margin(1e-12));
    }
  }
  // A thousand million rounds cost no more than thirty.
  const auto long_run = run({groups, {loop(1e9, body)}}, galera_plus());
  const double per_round = run({groups, {loop(1001, body)}}, galera_plus()).time.value() -
                           run({groups, {loop(1000, body)}}, galera_plus()).time.value();
  CHECK(long_run.time.value() == Approx(1e9 * per_round).epsilon(1e-6));
}

TEST_CASE("partners, parts and shares of nodes") {
  // Seven to two: each of the two serves four, one after the other.
  const auto uneven = run({{{"a", 7, 7}, {"b", 2, 1}}, {communicate(Block::point_to_point, {0, 1}, 1)}}, galera_plus());
  CHECK(uneven.time.value() == by_hand(4 * 4.99024e-6));
  CHECK(uneven.nodes == 3);
  ProgramBlock divided = compute(0, 11e6);
  divided.divided = true;
  CHECK(run({{{"a", 10, 10}}, {divided}}, galera_plus()).time.value() == by_hand(1815e-6));
  // 30 processes, 12 per node: two full nodes and one of six; 2 x 136.08 + 107.04 W.
  const auto last = run({{{"a", 30, 12}}, {compute(0, 11e6)}}, galera_plus());
  REQUIRE(last.groups[0].power);
  CHECK(last.groups[0].power->value() == by_hand(379.2));
}

TEST_CASE("what a cluster has not") {
  BlockCluster without = galera_plus();
  without.blocks[static_cast<std::size_t>(Block::gather)].reset();
  const BlockProgram program{{{"a", 2, 1}}, {communicate(Block::gather, {0}, 1)}};
  REQUIRE_FALSE(model::run_blocks(program, without));
  CHECK(model::run_blocks(program, without).error().message ==
        "it has no formula of that block (farcast:block_gather), expected one for gather");
  const auto crowded = model::run_blocks({{{"a", 200, 1}}, {compute(0, 1)}}, galera_plus());
  REQUIRE_FALSE(crowded);
  CHECK(crowded.error().message == "it has 192 nodes, expected the 200 that the groups need");
  without.time.reset();
  REQUIRE_FALSE(model::run_blocks({{{"a", 1, 1}}, {compute(0, 1)}}, without));
}

} // namespace proficz16_program_test
