// How far a rank of a coupled run may go on without asking: until when nothing can happen on the
// cluster that it does not know of.
//
// In: what is due next anywhere, once no other strand acts at this instant. A rank whose poll has just
// found nothing, and which only polls, finds nothing before that instant: whatever others do begins
// with one of these events. If it polls for messages that it sends or receives, what another rank does
// reaches it no sooner than the quickest message.
// Threads: none; one owner.
#pragma once

#include "predictor/network/flow_network.h"
#include "predictor/sim/computation.h"
#include "predictor/sim/flows.h"
#include "predictor/sim/message_layer.h"
#include "predictor/sim/scheduler.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace farcast::sim {

// In seconds of the recorded run; 0: not known.
struct Quiet {
  double seconds = 0;               // for so long nothing comes for the rank
  double poll = 0;                  // what each poll takes of that beside its own time, at most
  bool grows = false;               // it lasts longer as other ranks get on (polls_ahead.h)
  bool messages = false;            // it holds for polls for messages alone
  double pace = 0;                  // how long a second of the recorded run's computation takes; of its calls, a second
  std::optional<double> least_poll; // virtual: what each poll takes at least; none: its own time
};

class Horizon {
public:
  Horizon(const Setting& setting, const Scheduler& scheduler, const Computation& computation, network::FlowNetwork& network,
          Flows& flows)
      : setting_(setting), scheduler_(scheduler), computation_(computation), network_(network), flows_(flows) {}

  // The next instant at which anything happens, and at which a flow does; infinity: none.
  struct Next {
    double instant;
    double flow;
  };
  // `layer`: null: it does nothing at times of its own.
  [[nodiscard]] Next next_instant(MessageLayer* layer) const {
    const double strands = scheduler_.next_event();
    if (layer == nullptr) {
      const double flow = network_.next_event_before(strands);
      return {std::min(strands, flow), flow};
    }
    const double flow = network_.next_event();
    return {std::min({strands, flow, layer->next_event()}), flow};
  }
  // Of a rank whose main strand acts now. `for_messages`: that is all that it polls for.
  [[nodiscard]] Quiet quiet(std::uint32_t rank, bool for_messages, MessageLayer& layer);
  // The same, of a poll that looks `from` then, and finds nothing before `until`.
  [[nodiscard]] Quiet quiet_until(std::uint32_t rank, double from, double until) const;
  // What binds the ranks, where `rank` acts now; not infinite for who only waits.
  void bound(std::uint32_t rank, MessageLayer& layer, trace::Bounds& out);
  // Returns: seconds that the quickest message between two ranks takes at least.
  [[nodiscard]] double quickest_message(const MessageLayer& layer) const;

private:
  static constexpr double kLongest = 1; // second: a rank that polls for ever is heard of

  // Puts into `comes` when a message that is under way comes for each rank, or leaves it, at the
  // soonest. Returns: when anything happens next of which it is not known whom it concerns.
  double next_messages(MessageLayer& layer, std::vector<double>& comes);

  const Setting& setting_;
  const Scheduler& scheduler_;
  const Computation& computation_;
  network::FlowNetwork& network_;
  Flows& flows_;
  std::optional<double> quickest_;
  std::vector<double> comes_; // scratch
};

} // namespace farcast::sim
