// What network/flow_network.h carries: the messages of the flow layer, and the bytes of files with
// any layer.
//
// Threads: none; one owner.
#pragma once

#include "predictor/sim/look_ahead.h"
#include "predictor/sim/messages.h"
#include "predictor/sim/setting.h"

#include <vector>

namespace farcast::sim {

class Flows {
public:
  Flows(const Setting& setting, Scheduler& scheduler, Requests& requests, Messages& messages, network::FlowNetwork& network)
      : setting_(setting), scheduler_(scheduler), requests_(requests), messages_(messages), network_(network) {}

  // Starts the flow of a send or a transfer.
  void start(std::uint32_t request);
  // Lets happen what is due now.
  void advance(const LookAhead& look_ahead);

private:
  void arrive(std::uint32_t request);

  const Setting& setting_;
  Scheduler& scheduler_;
  Requests& requests_;
  Messages& messages_;
  network::FlowNetwork& network_;
  std::vector<network::FlowNetwork::Token> arrived_;
};

} // namespace farcast::sim
