#include "predictor/sim/flow_layer.h"

namespace farcast::sim {

void FlowLayer::post(std::uint32_t send) {
  if (requests_[send].bytes < p2p_.eager_flow_below_bytes) flows_.start(send);
  messages_.offer(send);
}

void FlowLayer::meet(std::uint32_t send_index, std::uint32_t receive_index) {
  const Request& send = requests_[send_index];
  if (send.detached)
    requests_[receive_index].overhead = platform::message_overhead_at(p2p_, p2p_.receive_overhead, send.bytes).value();
  if (send.arrived)
    messages_.finish(send_index, receive_index);
  else if (!send.flow_started)
    flows_.start(send_index);
}

} // namespace farcast::sim
