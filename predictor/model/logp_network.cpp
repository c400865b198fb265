#include "predictor/model/logp_network.h"

#include "predictor/model/figures.h"

#include <algorithm>
#include <utility>

namespace farcast::model {

base::Result<LogpNetwork> LogpNetwork::from_rows(std::vector<Row> rows) {
  if (rows.empty()) return base::fail("a LogP network needs L, o and g at one message size at least");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto fine = Figures("LogP network")
                          .at_least("a message size", rows[i].bytes.value(), 0.0)
                          .at_least("L", rows[i].latency.value(), 0.0)
                          .at_least("o", rows[i].overhead.value(), 0.0)
                          .at_least("g", rows[i].gap.value(), 0.0)
                          .result();
    if (!fine) return tl::make_unexpected(fine.error());
    if (i > 0 && !(rows[i - 1].bytes < rows[i].bytes)) return base::fail("message sizes of a LogP network must ascend");
  }
  return LogpNetwork(std::move(rows));
}

LogpNetwork LogpNetwork::scaled(double factor) const {
  std::vector<Row> rows = rows_;
  for (Row& row : rows) row = {row.bytes, row.latency * factor, row.overhead * factor, row.gap * factor};
  return LogpNetwork(std::move(rows));
}

LogpNetwork::Row LogpNetwork::at(base::Bytes bytes) const {
  const auto above = std::ranges::lower_bound(rows_, bytes, {}, &Row::bytes);
  if (above == rows_.end()) {
    const Row& last = rows_.back();
    const double times = last.bytes > base::Bytes(0.0) ? bytes / last.bytes : 1.0;
    return {bytes, last.latency, last.overhead, last.gap * times};
  }
  if (above->bytes == bytes || above == rows_.begin()) return {bytes, above->latency, above->overhead, above->gap};
  const Row& below = *(above - 1);
  const double share = (bytes - below.bytes) / (above->bytes - below.bytes);
  const auto between = [share](base::Seconds a, base::Seconds b) { return a + share * (b - a); };
  return {bytes, between(below.latency, above->latency), between(below.overhead, above->overhead),
          between(below.gap, above->gap)};
}

base::Seconds LogpNetwork::message(base::Bytes bytes) const {
  const Row row = at(bytes);
  return row.latency + row.gap + row.overhead;
}

base::BytesPerSecond LogpNetwork::bandwidth(base::Bytes bytes) const {
  return base::BytesPerSecond(bytes.value() / at(bytes).gap.value());
}

} // namespace farcast::model
