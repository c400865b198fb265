#include "predictor/model/block_program.h"

#include "predictor/model/checkpoints.h"
#include "predictor/model/failures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace farcast::model {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// What a piece of a program does to the groups' clocks.
struct Effect {
  std::vector<std::vector<double>> after; // [group][group]: clock' = max over the second of clock + this; kNever: no effect
  std::vector<double> computing;          // [group] seconds
  std::vector<double> communicating;

  explicit Effect(std::size_t groups)
      : after(groups, std::vector<double>(groups, kNever)), computing(groups, 0.0), communicating(groups, 0.0) {
    for (std::size_t group = 0; group < groups; ++group) after[group][group] = 0.0;
  }
};

// Returns: `first`, then `second`.
Effect then(const Effect& first, const Effect& second) {
  const std::size_t groups = first.after.size();
  Effect out(groups);
  for (std::size_t to = 0; to < groups; ++to) {
    for (std::size_t from = 0; from < groups; ++from) {
      double latest = kNever;
      for (std::size_t by = 0; by < groups; ++by) latest = std::max(latest, second.after[to][by] + first.after[by][from]);
      out.after[to][from] = latest;
    }
    out.computing[to] = first.computing[to] + second.computing[to];
    out.communicating[to] = first.communicating[to] + second.communicating[to];
  }
  return out;
}

Effect repeated(Effect body, double rounds) {
  Effect out(body.after.size());
  while (rounds > 0) {
    if (std::fmod(rounds, 2.0) == 1.0) out = then(out, body);
    rounds = std::floor(rounds / 2.0);
    if (rounds > 0) body = then(body, body);
  }
  return out;
}

double nodes_of(const ProcessGroup& group) { return std::ceil(group.processes / group.per_node); }

int threads_of(const ProcessGroup& group) {
  return static_cast<int>(std::min(group.processes, static_cast<double>(group.per_node)));
}

class Player {
public:
  Player(const BlockProgram& program, const BlockCluster& cluster) : program_(program), cluster_(cluster) {}

  base::Result<Effect> play(const std::vector<ProgramBlock>& blocks) const {
    Effect out(program_.groups.size());
    for (const ProgramBlock& block : blocks) {
      auto effect = block.kind == ProgramBlock::Kind::loop ? play(block.body) : played(block);
      if (!effect) return effect;
      out = then(out, block.kind == ProgramBlock::Kind::loop ? repeated(std::move(*effect), block.rounds) : *effect);
    }
    return out;
  }

private:
  base::Result<Effect> played(const ProgramBlock& block) const {
    return block.kind == ProgramBlock::Kind::computation ? computed(block) : communicated(block);
  }

  base::Result<Effect> computed(const ProgramBlock& block) const {
    if (!cluster_.time) return base::fail("it has no times of instructions (farcast:thread_times), expected them for compute");
    const std::size_t index = block.groups.front();
    const ProcessGroup& group = program_.groups[index];
    const double instructions = block.divided ? block.amount / group.processes : block.amount;
    const double seconds = computation_time(*cluster_.time, instructions, threads_of(group)).value();
    Effect out(program_.groups.size());
    out.after[index][index] = seconds;
    out.computing[index] = seconds;
    return out;
  }

  base::Result<Effect> communicated(const ProgramBlock& block) const {
    const auto& parameters = cluster_.blocks.at(static_cast<std::size_t>(block.formula));
    if (!parameters)
      return base::fail(
          fmt::format("it has no formula of that block (farcast:block_{0}), expected one for {0}", name_of(block.formula)));
    const auto [times, bytes] = times_and_bytes(block);
    double nodes = 0;
    std::vector<bool> takes_part(program_.groups.size(), false);
    for (const std::size_t group : block.groups) {
      if (!takes_part[group]) nodes += nodes_of(program_.groups[group]);
      takes_part[group] = true;
    }
    const double seconds = times * block_time(block.formula, *parameters, static_cast<int>(nodes), bytes);
    Effect out(program_.groups.size());
    for (std::size_t to = 0; to < takes_part.size(); ++to) {
      if (!takes_part[to]) continue;
      out.communicating[to] = seconds;
      for (std::size_t from = 0; from < takes_part.size(); ++from)
        if (takes_part[from]) out.after[to][from] = seconds;
    }
    return out;
  }

  // Returns: how often the formula's time is spent, and its d.
  [[nodiscard]] std::pair<double, double> times_and_bytes(const ProgramBlock& block) const {
    const auto processes = [&](std::size_t i) { return program_.groups[block.groups[i]].processes; };
    const double parts = block.divided ? 1.0 : 0.0;
    switch (block.formula) {
    case Block::point_to_point: {
      const auto [fewer, more] = std::minmax({processes(0), processes(1)});
      return {std::ceil(more / fewer), parts > 0 ? block.amount / more : block.amount};
    }
    case Block::disk_read:
    case Block::disk_write:
      return {1.0, parts > 0 ? block.amount / processes(0) : block.amount};
    case Block::all_to_all: {
      double all = 0;
      for (std::size_t i = 0; i < block.groups.size(); ++i) all += processes(i);
      return {1.0, parts > 0 ? block.amount / (all * all) : block.amount};
    }
    default:
      return {1.0, block.amount};
    }
  }

  const BlockProgram& program_;
  const BlockCluster& cluster_;
};

// What the group's nodes draw while its processes are there.
base::Watts power_of(const ThreadPower& power, const ProcessGroup& group) {
  const double full = std::floor(group.processes / group.per_node);
  const auto left = static_cast<int>(group.processes - full * group.per_node);
  const base::Watts of_full = full * thread_power(power, group.per_node);
  return left > 0 ? of_full + thread_power(power, left) : of_full;
}

void add_odds(BlockRun& run, const BlockCluster& cluster) {
  if (!cluster.node_failures) return;
  const base::Hertz failures = failure_rate(*cluster.node_failures, run.nodes);
  run.success = success_odds(failures, run.time);
  const auto expected = expected_run(run.time, base::Seconds(0.0), failures);
  run.with_restarts = expected ? expected->time : base::Seconds(std::numeric_limits<double>::infinity());
}

} // namespace

base::Result<BlockRun> run_blocks(const BlockProgram& program, const BlockCluster& cluster) {
  BlockRun out;
  for (const ProcessGroup& group : program.groups) {
    out.processes += group.processes;
    out.nodes += nodes_of(group);
  }
  if (out.nodes > cluster.nodes)
    return base::fail(fmt::format("it has {:g} nodes, expected the {:g} that the groups need", cluster.nodes, out.nodes));
  const auto effect = Player(program, cluster).play(program.blocks);
  if (!effect) return tl::make_unexpected(effect.error());
  for (std::size_t i = 0; i < program.groups.size(); ++i) {
    const ProcessGroup& group = program.groups[i];
    GroupRun& run = out.groups.emplace_back();
    run.processes = group.processes;
    run.nodes = nodes_of(group);
    run.threads = threads_of(group);
    run.end = base::Seconds(*std::ranges::max_element(effect->after[i])); // all clocks begin at 0
    run.computing = base::Seconds(effect->computing[i]);
    run.communicating = base::Seconds(effect->communicating[i]);
    run.waiting = base::Seconds(std::max(0.0, (run.end - run.computing - run.communicating).value()));
    out.time = std::max(out.time, run.end);
  }
  if (cluster.power) out.energy = base::Joules(0.0);
  for (std::size_t i = 0; cluster.power && i < program.groups.size(); ++i) {
    GroupRun& run = out.groups[i];
    run.power = power_of(*cluster.power, program.groups[i]);
    run.energy = *run.power * run.end + run.nodes * thread_power(*cluster.power, 0) * (out.time - run.end);
    *out.energy += *run.energy;
  }
  add_odds(out, cluster);
  return out;
}

} // namespace farcast::model
