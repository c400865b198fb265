#include "predictor/scenario/division.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace farcast::scenario {

std::vector<double> factors_of(std::span<const base::Seconds> computation, std::span<const double> speeds, double part) {
  const bool alike = std::all_of(speeds.begin(), speeds.end(), [&](double speed) { return speed == speeds.front(); });
  base::Seconds all, scaled;
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    all += computation[rank];
    scaled += speeds[rank] * computation[rank];
  }
  if (part == 0.0 || alike || scaled == base::Seconds(0)) return {};
  std::vector<double> out;
  for (const double speed : speeds) out.push_back(1.0 + part * (speed * (all / scaled) - 1.0));
  return out;
}

std::vector<double> even_factors(std::span<const base::Seconds> computation, std::span<const double> speeds) {
  base::Seconds all;
  double speed = 0;
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    all += computation[rank];
    if (computation[rank] > base::Seconds(0)) speed += speeds[rank];
  }
  std::vector<double> out(speeds.size(), 1.0);
  for (std::size_t rank = 0; rank < speeds.size(); ++rank)
    if (computation[rank] > base::Seconds(0)) out[rank] = speeds[rank] / speed * (all / computation[rank]);
  const bool as_recorded = std::all_of(out.begin(), out.end(), [](double factor) { return factor == 1.0; });
  return as_recorded ? std::vector<double>() : out;
}

void divide(const Division& division, int rank, trace::Operation& operation) {
  const auto factor_of = [&](int of) { return division.computation[static_cast<std::size_t>(of)]; };
  const auto scaled = [&](double bytes, int sender) { return sender < 0 ? bytes : std::round(bytes * factor_of(sender)); };
  operation.compute = operation.compute * factor_of(rank);
  operation.between_looks = operation.between_looks * factor_of(rank);
  operation.others_s *= static_cast<float>(factor_of(rank)); // the threads beside it
  if (!division.payloads) return;
  switch (operation.kind) {
  case trace::OperationKind::send:
  case trace::OperationKind::isend:
    operation.bytes = scaled(operation.bytes, rank);
    break;
  case trace::OperationKind::receive:
  case trace::OperationKind::ireceive:
    operation.bytes = scaled(operation.bytes, operation.peer);
    break;
  case trace::OperationKind::send_receive:
    operation.bytes = scaled(operation.bytes, rank);
    operation.reply_bytes = scaled(operation.reply_bytes, operation.receive_peer);
    break;
  default:
    break;
  }
}

} // namespace farcast::scenario
