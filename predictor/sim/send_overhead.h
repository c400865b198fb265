// What a call that posts a send costs its process: `os` of a blocking one, `ois` of a non-blocking
// one, less the transport's cold_call where it comes right behind another. On ordered channels what
// of it is chance: sim/chance.h.
//
// Threads: none; one owner.
#pragma once

#include "predictor/network/channel_protocol.h"
#include "predictor/sim/chance.h"
#include "predictor/sim/message_layer.h"
#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace farcast::sim {

class SendOverhead {
public:
  SendOverhead(const Setting& setting, Scheduler& scheduler, const MessageLayer& layer)
      : platform_(setting.platform), scheduler_(scheduler), layer_(layer),
        chance_(layer.has_headers() ? setting.options.seed : 0), calls_(static_cast<std::size_t>(setting.ranks), 0) {}

  // Returns: the seconds of such a call that begins now. `whole`: a blocking one hands over the
  // message itself.
  double begin(std::uint32_t rank, bool immediate, bool whole, double bytes) {
    const double alone = after_a_pause(immediate, whole, bytes);
    const double now = scheduler_.now();
    Strand& main = scheduler_[rank]; // a rank's main strand has its number
    const bool right_behind = now <= main.called_until;
    const double drawn = chance_.post(rank, calls_[rank]++);
    const double time = drawn * main.pace * (right_behind ? std::max(0.0, alone - platform_.transport.cold_call.value()) : alone);
    main.called_until = (now + time) * (1 + 1e-12); // sums may be rounded up
    return time;
  }

private:
  [[nodiscard]] double after_a_pause(bool immediate, bool whole, double bytes) const {
    const platform::Overhead& overhead = immediate ? platform_.p2p.isend_overhead : platform_.p2p.send_overhead;
    const bool header = bytes <= 0 && layer_.has_headers(); // alone
    if ((immediate || whole) && !header) return platform::message_overhead_at(platform_.p2p, overhead, bytes).value();
    return layer_.has_headers() ? network::least_overhead_s(overhead) : 0;
  }

  const platform::Platform& platform_;
  Scheduler& scheduler_;
  const MessageLayer& layer_;
  Chance chance_;
  std::vector<std::uint64_t> calls_; // [rank] that have been posted
};

} // namespace farcast::sim
