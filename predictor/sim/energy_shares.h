// Which rank, and which of its computations and calls, the joules of the nodes are spent for.
//
// What a core draws beyond the static part of its node (Heinrich17 eq. (1)) is its rank's. The static
// part is shared equally, at each instant, by the ranks whose cores are active then; what a node
// draws with no active core is nobody's. A rank's joules are those of the region that it computes or
// of the call that it is in at that instant, so that, but for rounding,
//   energy of the nodes = of the ranks + idle = of the regions and call sites + idle.
// What other threads of a rank use is their rank's, as often as the prediction counts it, and that of
// the region or call beside which they ran. The division of the static part is our choice: the paper
// has whole nodes only.
// Invariant: times are ascending. Threads: none; one owner.
#pragma once

#include "predictor/energy/power_meter.h"
#include "predictor/sim/account.h"
#include "predictor/sim/setting.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace farcast::sim {

struct SpentIn { // what a rank's time and energy are for
  bool call = false;
  std::uint32_t index = 0; // of the call site, or of the region
};

class EnergyShares {
public:
  // The joules of ranks, regions and call sites are booked in `account`, which outlives it. Requires:
  // every host of the placement has power figures.
  EnergyShares(const Setting& setting, Account& account);

  // From `time` on the rank's core is in `state`.
  void set(std::uint32_t rank, energy::CoreState state, double time);
  // From `time` on what the rank draws is for that.
  void enter(std::uint32_t rank, SpentIn what, double time) {
    settle(rank, time);
    ranks_[rank].in = what;
  }
  // Other threads of the rank use so many seconds of cores beside that.
  void use_others(std::uint32_t rank, SpentIn what, double core_seconds);
  // Books what is not booked yet until `end`. `counted`: [rank] the share of what other threads use
  // that the prediction counts; empty: there are none. Returns: the joules of nodes without an active
  // core.
  base::Joules finish(double end, const std::vector<double>& counted);

private:
  struct Node {
    std::array<double, energy::kCoreStates> watts{}; // [state] of a core, beyond the static part
    double static_watts = 0;
    double idle_watts = 0;
    double other_watts = 0;                      // of a core that other threads keep busy
    const model::ThreadPower* threads = nullptr; // more of them than cores: all of it is shared equally
    double last_s = 0;
    double share_j = 0; // of the static part, that a core has which is active from the start on
    double idle_j = 0;
    double share_watts = 0; // of each active core
    int active = 0;         // cores
    void advance(double time) {
      const double passed = std::max(0.0, time - last_s);
      if (active > 0)
        share_j += share_watts * passed;
      else
        idle_j += idle_watts * passed;
      last_s = std::max(last_s, time);
    }
    void activate(int more); // cores; fewer if negative
  };
  struct Rank {
    SpentIn in;
    energy::CoreState state = energy::CoreState::idle;
    std::uint32_t node = 0;
    double since_s = 0; // its joules until then are booked
    double share_j = 0; // its node's at that time
  };
  using Table = IndexTable<std::vector<double>>; // [call site or region][rank]

  void settle(std::uint32_t rank, double time) {
    if (ranks_[rank].state != energy::CoreState::idle && time > ranks_[rank].since_s) book_until(rank, time);
  }
  void book_until(std::uint32_t rank, double time);
  void book(std::uint32_t rank, SpentIn in, double joules);

  Account& account_;
  std::vector<Node> nodes_;
  std::vector<Rank> ranks_;
  std::array<Table, 2> others_s_; // [is a call] seconds of cores
};

} // namespace farcast::sim
