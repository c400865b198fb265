// A program as Proficz16 writes it (section 3): groups of identical processes, each known by a label,
// and a list of computation and communication blocks with loops, in place of a recorded run.
//
// In: a program, a cluster's parameters (Tables 1 and 3). Out: time, power, energy, odds of success.
// As MERPSYS, one clock stands for all processes of a group, so that their number costs nothing:
//   computation, disk   of one group: its clock goes on by t_ox, t_rdisk, t_wdisk
//   point to point      of two groups: both wait for the later one, then go on together. A process of
//                       the smaller one serves its ceil(larger / smaller) partners one after the
//                       other; within one group each process has one partner, t_p2p
//   collectives         of any groups: all wait for the latest, then go on together by Table 1; P is
//                       the number of their nodes ("nodes involved in computations"), d the data of
//                       block_formulas.h
// Our readings where the paper says nothing:
// 1. Each group has nodes of its own, filled with `per_node` processes; of the last node what is left.
//    p_th is the number of them on the fullest node, for time, and on each node, for power.
// 2. Power depends on active threads alone (section 4), and MVAPICH polls: who communicates or waits
//    draws as who computes. A group that has ended draws PW_low, its nodes with no thread.
// 3. Success is that of all nodes for the whole time; a run that starts again from its begin after
//    each failure has the mean time of checkpoints.h.
// All blocks are linear in max-plus algebra, (clocks) -> max over groups of clock + constant: a loop
// of n rounds is a matrix to the power n, so n costs log n. Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"
#include "predictor/model/block_formulas.h"
#include "predictor/model/thread_formulas.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace farcast::model {

struct ProcessGroup {
  std::string label;
  double processes = 1; // whole, >= 1
  int per_node = 1;     // >= 1
};

struct ProgramBlock {
  enum class Kind { computation, communication, loop };
  Kind kind = Kind::computation;
  Block formula = Block::point_to_point; // of communication, disks among it
  std::vector<std::size_t> groups;       // computation, disk: one; point to point: from, to; not of a loop
  double amount = 0;                     // instructions, or bytes; of each process
  bool divided = false;                  // of all processes together, each having its part
  double rounds = 1;                     // of a loop, whole, >= 0
  std::vector<ProgramBlock> body{};      // of a loop
};

struct BlockProgram {
  std::vector<ProcessGroup> groups; // at most kMostGroups
  std::vector<ProgramBlock> blocks;
};
inline constexpr std::size_t kMostGroups = 32;

struct BlockCluster {
  std::array<std::optional<BlockParameters>, kBlockCount> blocks{}; // [Block]; unset: not known
  std::optional<ThreadTime> time;                                   // likewise
  std::optional<ThreadPower> power;
  std::optional<base::Hertz> node_failures;
  double nodes = 0; // that it has
};

struct GroupRun { // times are those of each process of the group
  double processes = 0;
  double nodes = 0;
  int threads = 0; // on the fullest node
  base::Seconds computing, communicating, waiting;
  base::Seconds end;                  // the three together
  std::optional<base::Watts> power;   // of its nodes until then
  std::optional<base::Joules> energy; // until the program's end
};

struct BlockRun {
  base::Seconds time;
  double processes = 0;
  double nodes = 0;
  std::optional<base::Joules> energy;         // unset: no power figures
  std::optional<double> success;              // unset: nobody knows how often nodes fail
  std::optional<base::Seconds> with_restarts; // the mean time; infinite: it never ends
  std::vector<GroupRun> groups;               // [group]
};

// Errors: a block for which the cluster has no formula; more nodes than it has.
// Requires: figures in their ranges, groups that exist, rounds such that no time is infinite.
base::Result<BlockRun> run_blocks(const BlockProgram& program, const BlockCluster& cluster);

} // namespace farcast::model
