// Algorithms for powers of two run on other sizes too: the first 2 * extra ranks pair up, one of
// each pair sits out.
//
// Invariant: the survivors' virtual ranks are 0 .. power - 1 in the order of their ranks. (Thakur05
// section 4.1)
#pragma once

#include "predictor/collective/steps.h"

namespace farcast::collective {

class Fold {
public:
  // Which rank of a pair goes on: Open MPI's recursive doubling keeps the odd one, its
  // reduce-scatter-allgather the even one.
  enum class Keeps { even, odd };

  Fold(Place at, Keeps keeps)
      : rank_(at.rank), power_(floor_power_of_two(at.size)), extra_(at.size - power_), offset_(keeps == Keeps::odd ? 1 : 0) {}

  [[nodiscard]] int power() const { return power_; } // number of survivors
  [[nodiscard]] bool paired() const { return rank_ < 2 * extra_; }
  [[nodiscard]] bool survives() const { return !paired() || rank_ % 2 == offset_; }
  [[nodiscard]] int partner() const { return rank_ ^ 1; } // Requires: paired()
  // Requires: survives()
  [[nodiscard]] int virtual_rank() const { return paired() ? rank_ / 2 : rank_ - extra_; }
  [[nodiscard]] int rank_of(int virtual_rank) const {
    return virtual_rank < extra_ ? 2 * virtual_rank + offset_ : virtual_rank + extra_;
  }
  // First of the ranks that virtual ranks >= `virtual_rank` stand for; virtual rank power() gives
  // the size.
  [[nodiscard]] int first_rank_of(int virtual_rank) const {
    return virtual_rank < extra_ ? 2 * virtual_rank : virtual_rank + extra_;
  }

private:
  int rank_;
  int power_;
  int extra_;
  int offset_;
};

} // namespace farcast::collective
