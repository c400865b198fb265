// What network/flow_network.h carries: the messages of the flow layer, and the bytes of files with
// any layer. With --network blocks messages between nodes, and files, take the time of a formula
// instead: a message between hosts of which one or both say L, o and g of their networks (Soares16 eq.
// (5)) that of the slower network, any other the block formula of Proficz16.
//
// Threads: none; one owner.
#pragma once

#include "predictor/model/block_formulas.h"
#include "predictor/sim/look_ahead.h"
#include "predictor/sim/messages.h"
#include "predictor/sim/setting.h"

#include <optional>
#include <span>
#include <vector>

namespace farcast::sim {

class Flows {
public:
  using Block = model::Block;
  Flows(const Setting& setting, Scheduler& scheduler, Requests& requests, Messages& messages, network::FlowNetwork& network)
      : setting_(setting), scheduler_(scheduler), requests_(requests), messages_(messages), network_(network) {}

  // Starts the flow of a send or a transfer.
  void start(std::uint32_t request);
  // The bytes of a storage request go to or from the host's files.
  void access(std::uint32_t request, platform::HostId host, bool reads, double bytes);
  // Returns: whether a formula says what reading, or writing, takes.
  [[nodiscard]] bool has_formula(bool reads) const { return formula(reads ? Block::disk_read : Block::disk_write) != nullptr; }
  // The time of a formula is over (Scheduler::kCarried).
  void carried(std::uint32_t request) { arrive(request); }
  // From now on soonest() has something to say. Before anything is started.
  void follow() { follows_ = true; }
  // Lowers out[rank] to the instant before which no message that is under way comes for the rank, or
  // leaves it. Returns: false where that is not known, or dear.
  [[nodiscard]] bool soonest(std::span<double> out);
  // Lets happen what is due now.
  void advance(const LookAhead& look_ahead);

private:
  [[nodiscard]] const model::BlockParameters* formula(Block block) const;
  [[nodiscard]] std::optional<double> message_s(platform::HostId source, platform::HostId destination, double bytes) const;
  void carry(std::uint32_t request, double seconds);
  void arrive(std::uint32_t request);
  void forget(std::uint32_t request);

  const Setting& setting_;
  Scheduler& scheduler_;
  Requests& requests_;
  Messages& messages_;
  network::FlowNetwork& network_;
  std::vector<network::FlowNetwork::Token> arrived_;
  struct UnderWay {
    double soonest; // s: of its arrival
    std::uint32_t request;
  };
  bool follows_ = false;
  std::vector<UnderWay> under_way_;  // messages
  std::vector<std::uint32_t> place_; // [request] in under_way_; kNone: it is not
};

} // namespace farcast::sim
