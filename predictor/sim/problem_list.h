// What went wrong while playing, each thing once.
//
// Threads: none; one owner.
#pragma once

#include "predictor/sim/problem.h"
#include "predictor/sim/strand.h"

#include <set>
#include <utility>
#include <vector>

namespace farcast::sim {

class ProblemList {
public:
  // Beyond kMost they are only counted.
  void add(Problem problem) {
    if (kept_.size() >= kMost) {
      ++more_;
      return;
    }
    Problem known = problem;
    if (problem.kind == ProblemKind::blocked) known.site.reset(); // of a rank's threads in the same wait one is enough
    if (said_.insert(known).second) kept_.push_back(problem);
  }
  // Of the call that the strand is in.
  void add_of(const Strand& strand, Problem problem) {
    problem.rank = static_cast<int>(strand.rank);
    problem.site = strand.operation.site;
    problem.function = strand.operation.function;
    add(problem);
  }
  [[nodiscard]] bool empty() const { return kept_.empty(); }
  // Returns: all of them, and last how many more there were.
  std::vector<Problem> take() {
    if (more_ > 0) kept_.push_back({.kind = ProblemKind::more, .count = more_});
    return std::move(kept_);
  }

private:
  static constexpr std::size_t kMost = 20;
  std::vector<Problem> kept_;
  std::set<Problem> said_;
  std::uint64_t more_ = 0;
};

} // namespace farcast::sim
