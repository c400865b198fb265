// Who sends how much to whom: a prediction's messages as a matrix of blocks of ranks.
//
// Blocks are as many neighbouring ranks as it takes for at most `most` rows; up to that many ranks each
// has a row of its own. Payload, of both ways of one-sided transfers. One prediction each.
// Memory: at most most^2 cells. Threads: that of predict(); afterwards any.
#pragma once

#include "predictor/sim/observer.h"

#include <cstdint>
#include <vector>

namespace farcast::html {

class Traffic final : public sim::Observer {
public:
  // Requires: ranks > 0, most > 0.
  Traffic(std::size_t ranks, std::size_t most);

  struct Cell {
    double bytes = 0;
    double inside_bytes = 0; // of these, posted by the algorithms of collectives
    std::uint64_t messages = 0;
    std::uint64_t inside_messages = 0;
  };

  void posted(const sim::MessagePosted& message) override;

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t ranks_per_row() const { return per_row_; }
  [[nodiscard]] const Cell& at(std::size_t from, std::size_t to) const { return cells_[from * rows_ + to]; }

private:
  std::size_t per_row_;
  std::size_t rows_;
  std::vector<Cell> cells_; // [from * rows + to]
};

} // namespace farcast::html
