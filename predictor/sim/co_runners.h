// Co-runners on the virtual nodes: how fast each rank's computation goes while others compute on
// the same node.
//
// In: when ranks begin to compute, with their work in seconds alone; out: when they are done. A
// rank's work proceeds at the rate 1 / slowdown(region, number of ranks that compute on its node
// now), which changes whenever another one begins or ends. On nodes with more ranks than cores it is
// divided by T(p) / T_min of Proficz16 as well; p are the threads of the ranks that compute, for MPI
// libraries yield their core while they wait where ranks outnumber cores (our reading).
// Invariants: 1. ends of computations are told by settle() and change until they happen; an event
// that end_at() does not confirm is out of date; 2. all that begins and ends at one instant is one
// change. Threads: none; one owner. Cost: each change visits the ranks that compute on that node.
#pragma once

#include "predictor/platform/placement.h"
#include "predictor/region/slowdowns.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace farcast::sim {

class CoRunners {
public:
  // `slowdowns`: null: regions have none. The platform outlives it.
  CoRunners(const platform::Platform& platform, const platform::Placement& placement, std::size_t ranks,
            region::Slowdowns* slowdowns);

  // From `now` on the rank works off `work` seconds (alone, on its core). Requires: it is not
  // computing; work > 0.
  void begin(std::uint32_t rank, std::uint32_t region, double work, double now);
  // Returns: the rank is computing, and done at exactly this time; it has ended then.
  bool end_at(std::uint32_t rank, double time);
  [[nodiscard]] double began(std::uint32_t rank) const { return works_[rank].began; }
  // Once everything of the instant `now` has happened: calls tell(rank, end) for each rank whose
  // end has changed.
  void settle(double now, const std::function<void(std::uint32_t, double)>& tell);

private:
  struct Work {
    bool computing = false;
    std::uint32_t region = 0;
    double left = 0; // seconds alone, at `since`
    double since = 0;
    double slowdown = 0; // since then; 0: not yet told
    double began = 0;
    double end = 0;
    int runners = 0;    // ranks that compute on its node, itself included, since the last change there
    double counted = 0; // when that was
  };

  [[nodiscard]] double slowdown(std::uint32_t node, std::uint32_t region, int runners) const;

  region::Slowdowns* slowdowns_;
  std::vector<const model::ThreadTime*> threads_; // [node] of nodes with more ranks than cores, else null
  int threads_per_rank_;
  std::vector<std::uint32_t> node_of_;                // [rank]
  std::vector<Work> works_;                           // [rank]
  std::vector<std::vector<std::uint32_t>> computing_; // [node] ranks, ascending
  std::vector<std::uint32_t> changed_;                // nodes
  std::vector<bool> is_changed_;                      // [node]
  void change(std::uint32_t node);
  void count(Work& work, double now);
};

} // namespace farcast::sim
