// The core that each rank runs on: how long its computations take there, and what it does over time
// (for the energy).
//
// A rank's other threads compute on the further cores that the placement gives it, however many
// they are, and on no more: what they use is added up and counted at the end, since the power of
// cores adds up (energy/power_meter.h).
// Invariants: 1. times are ascending; 2. without power figures on every host there is no meter, and
// energy stays unset.
// Threads: none; one owner.
#pragma once

#include "predictor/energy/power_meter.h"
#include "predictor/sim/energy_shares.h"
#include "predictor/sim/setting.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace farcast::sim {

using energy::CoreState;

class Cores {
public:
  // Energy is booked in `account`, which outlives it.
  Cores(const Setting& setting, Account& account);

  // Returns: the seconds that `measured` seconds of computation take on the rank's core
  // (host/compute.h).
  [[nodiscard]] double compute(std::uint32_t rank, double measured) const {
    return as_measured_ ? measured : scaled(rank, measured);
  }
  // From `time` on the rank's core is in `state`.
  void set(std::uint32_t rank, CoreState state, double time) {
    if (!saving_.empty() && saving_[rank] != CoreState::idle && state != CoreState::idle) state = saving_[rank];
    if (states_.empty() || states_[rank] == state) return;
    states_[rank] = state;
    if (meter_) meter_->set(setting_.host_of(rank), core_of_[rank], state, base::Seconds(time));
    if (shares_) shares_->set(rank, state, time);
    if (setting_.observer != nullptr) setting_.observer->core({rank, setting_.host_of(rank), core_of_[rank], state, time});
  }
  // Until further notice the rank's core is in `state` whenever it is not idle; idle: as set()
  // says.
  void save(std::uint32_t rank, CoreState state) {
    if (saving_.empty()) saving_.assign(core_of_.size(), CoreState::idle);
    saving_[rank] = state;
  }
  // From `time` on what the rank draws is for that computation or call.
  void enter(std::uint32_t rank, SpentIn what, double time) {
    if (shares_) shares_->enter(rank, what, time);
  }
  // Other threads of the rank use so many seconds of cores from `begin` to `end`, beside that.
  void use_others(std::uint32_t rank, SpentIn what, double core_seconds, double begin, double end);
  // Fills in energy, its parts, the nodes and how many are used, and books the last of it: before the
  // account is reported.
  void report(Prediction& prediction);

private:
  [[nodiscard]] double scaled(std::uint32_t rank, double measured) const;

  const Setting& setting_;
  std::vector<double> speed_;     // [rank] relative; a single one where all are the same
  bool as_measured_ = false;      // computations take what they took
  std::vector<int> core_of_;      // [rank]
  std::vector<CoreState> states_; // [rank]; empty when nobody wants to know
  std::vector<CoreState> saving_; // [rank]; empty: no collective saves power
  std::vector<double> others_;    // [rank] seconds of cores; empty: no rank has other threads
  std::optional<energy::PowerMeter> meter_;
  std::optional<EnergyShares> shares_; // with the meter
};

} // namespace farcast::sim
