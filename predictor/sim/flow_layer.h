// Messages as independent flows (SimGrid's SMPI model; network/flow_network.h).
//
// A flow starts when send and receive have met; below p2p.eager_flow_below_bytes already at the
// send. A receive that meets a detached send owes `or`.
// Threads: none; one owner.
#pragma once

#include "predictor/sim/flows.h"
#include "predictor/sim/message_layer.h"
#include "predictor/sim/messages.h"

namespace farcast::sim {

class FlowLayer final : public MessageLayer {
public:
  FlowLayer(const Setting& setting, Requests& requests, Messages& messages, Flows& flows)
      : p2p_(setting.platform.p2p), requests_(requests), messages_(messages), flows_(flows) {}

  [[nodiscard]] bool detaches(double bytes) const override { return bytes < p2p_.detached_below_bytes; }
  [[nodiscard]] bool has_headers() const override { return false; }
  void post(std::uint32_t send) override;
  [[nodiscard]] bool waits_for_receive(std::uint32_t send) const override { return !requests_[send].flow_started; }
  void meet(std::uint32_t send, std::uint32_t receive) override;
  void transfer(std::uint32_t request) override { flows_.start(request); }
  [[nodiscard]] bool has_events() const override { return false; }
  [[nodiscard]] double next_event() override { return kNever; } // of flows
  void advance() override {}
  [[nodiscard]] std::uint64_t in_flight() const override { return 0; } // of flows
  void watch(network::LinkWatcher /*watcher*/) override {}             // of flows
  [[nodiscard]] TransportUse use() const override { return {}; }

private:
  const platform::PointToPoint& p2p_;
  Requests& requests_;
  Messages& messages_;
  Flows& flows_;
};

} // namespace farcast::sim
