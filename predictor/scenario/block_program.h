// Questions to a program of blocks (model/block_program.h) in place of a recorded run: its time,
// power, energy and odds over platforms, numbers of processes and processes per node.
//
// Program, axes -> points, in the order of their product (the last axis changes fastest). The
// cluster's parameters are those that its platform has for --network blocks and for more ranks than
// cores. Pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/model/block_program.h"
#include "predictor/platform/platform.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::scenario {

// The program of a file (block_program.md).
struct BlockModel {
  model::BlockProgram program;
  std::vector<bool> per_node_given; // [group]; of the others --ppn says it, or the cluster's cores
};
// Errors: "file: entry: found ..., expected ...".
base::Result<BlockModel> read_block_program(std::string_view text, const std::string& file_name);

struct ProcessAxis { // how many processes a group has
  std::string label;
  std::vector<double> processes;
};
// "slave=12,24". Errors: "found ..., expected ...", without the option's name.
base::Result<ProcessAxis> parse_processes(std::string_view text);

struct BlockAxes {
  std::vector<const platform::Platform*> platforms; // at least one
  std::vector<ProcessAxis> processes;
  std::vector<int> per_node; // empty: the cores of each platform's nodes
};

struct BlockPoint {
  const platform::Platform* platform = nullptr;
  std::vector<double> processes; // [BlockAxes::processes]
  int per_node = 0;              // of groups for which the file does not say it
  model::BlockRun run;
  std::string impossible; // why there is no run; empty: there is one
};

// Errors: no such group; --ppn without a group that takes it; too many points, or none that is
// possible; a time beyond all bounds.
base::Result<std::vector<BlockPoint>> block_points(const BlockModel& model, const BlockAxes& axes);

} // namespace farcast::scenario
