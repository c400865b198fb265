// A message over a network device d: Soares16's heterogeneous LogP, eq. (5).
//
//   T = L_d + M / B_d + o_d     L_d, o_d, g_d as measured at several message sizes M
// 1. LogP's 1 / g is the bandwidth (in messages); with g_d measured at size M it is M / g_d in
//    bytes: so M / B_d is g_d(M).
// 2. Between measured sizes all three are linear in M; below the least they are as there; beyond
//    the greatest L_d and o_d are as there, and g_d goes on at its bandwidth. The slides say
//    neither.
// Threads: const access from many at once.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

#include <vector>

namespace farcast::model {

class LogpNetwork {
public:
  struct Row { // at one message size
    base::Bytes bytes;
    base::Seconds latency;  // L_d
    base::Seconds overhead; // o_d
    base::Seconds gap;      // g_d
  };

  // Errors: no rows, sizes that do not ascend, a figure that is negative.
  static base::Result<LogpNetwork> from_rows(std::vector<Row> rows);

  // Returns: the network with all three so many times as long. Requires: factor >= 0.
  [[nodiscard]] LogpNetwork scaled(double factor) const;
  // Requires: bytes >= 0.
  [[nodiscard]] Row at(base::Bytes bytes) const;
  [[nodiscard]] base::Seconds message(base::Bytes bytes) const;          // T_ij, eq. (5)
  [[nodiscard]] base::BytesPerSecond bandwidth(base::Bytes bytes) const; // B_d = M / g_d

private:
  explicit LogpNetwork(std::vector<Row> rows) : rows_(std::move(rows)) {}

  std::vector<Row> rows_; // ascending in size
};

} // namespace farcast::model
