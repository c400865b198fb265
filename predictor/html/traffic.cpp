#include "predictor/html/traffic.h"

namespace farcast::html {

Traffic::Traffic(std::size_t ranks, std::size_t most)
    : per_row_((ranks + most - 1) / most), rows_((ranks + per_row_ - 1) / per_row_), cells_(rows_ * rows_) {}

void Traffic::posted(const sim::MessagePosted& message) {
  Cell& cell = cells_[message.source / per_row_ * rows_ + message.destination / per_row_];
  cell.bytes += message.bytes;
  ++cell.messages;
  if (!message.in_collective) return;
  cell.inside_bytes += message.bytes;
  ++cell.inside_messages;
}

} // namespace farcast::html
