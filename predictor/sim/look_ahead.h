// Fetches into the cache what the next events lead to, line by line: messages arrive in no order
// that a cache could foresee.
//
// It changes nothing. What a message that arrives leads to: its send, its receive, the strand that
// waits for it; what a strand that goes on looks at: its rank's figures, and what its next message
// leads to when that is like the last. Threads: none; one owner.
#pragma once

#include "predictor/base/fetch_ahead.h"
#include "predictor/sim/account.h"
#include "predictor/sim/messages.h"
#include "predictor/sim/requests.h"
#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"
#include "predictor/trace/operation.h"

namespace farcast::sim {

class LookAhead {
public:
  LookAhead(const Setting& setting, const trace::Timelines& timelines, Scheduler& scheduler, const Account& account,
            Requests& requests, Messages& messages, network::FlowNetwork& network)
      : setting_(setting), timelines_(timelines), scheduler_(scheduler), account_(account), requests_(requests),
        messages_(messages), network_(network) {}

  // Messages that will arrive soon. Call it once per instant.
  void before_instant() {
    if (network_.in_flight() >= base::kFetchMany) look();
  }
  // A message that arrives, in three steps.
  void send(std::uint32_t send) const { __builtin_prefetch(&requests_[send], 1); }
  void receive(std::uint32_t send) const;
  void waiting(std::uint32_t send) const;
  // A strand that goes on, in three steps.
  void strand(std::uint32_t strand) const { base::fetch_lines(scheduler_[strand]); }
  void figures(const Strand& strand) const;
  void what_it_sends(const Strand& strand) const;

private:
  void look();
  [[nodiscard]] const Strand* strand_of(std::uint32_t send) const;

  const Setting& setting_;
  const trace::Timelines& timelines_;
  Scheduler& scheduler_;
  const Account& account_;
  Requests& requests_;
  Messages& messages_;
  network::FlowNetwork& network_;
  std::vector<network::FlowNetwork::Token> soon_; // sends
  base::FetchWindow<std::uint32_t, 4> arriving_;  // the last of them
};

} // namespace farcast::sim
